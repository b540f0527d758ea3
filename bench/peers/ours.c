/* ours.c - the bytes that Usuba's libraries make of the common text: what the peers' are compared with. */
#include "peer.h"
#include "usuba_aes_128.h"
#include "usuba_aria_128.h"
#include "usuba_ascon_p12.h"
#include "usuba_camellia_128.h"
#include "usuba_chacha20.h"
#include "usuba_des.h"
#include "usuba_serpent_128.h"
#include "usuba_sm4.h"
#include "usuba_tdes_ede3.h"
#include <string.h>

static unsigned char counter[16];
static uint32_t blocks;

#define BLOCK_CIPHER(name, block_bytes)                                                \
    static usuba_##name##_ctx name##_context;                                          \
    static int name##_start(void)                                                      \
    {                                                                                  \
        memset(counter, 0, sizeof counter);                                            \
        return usuba_##name##_init(&name##_context, peer_key()) == USUBA_OK;           \
    }                                                                                  \
    static void name##_ecb(uint8_t *data, size_t bytes)                                \
    {                                                                                  \
        (void)usuba_##name##_encrypt_blocks(&name##_context, data, data, bytes / block_bytes); \
    }

#define COUNTER_MODE(name)                                                             \
    static void name##_ctr(uint8_t *data, size_t bytes)                                \
    {                                                                                  \
        (void)usuba_##name##_ctr_xor(&name##_context, counter, data, data, bytes);     \
    }

BLOCK_CIPHER(aes_128, 16)
COUNTER_MODE(aes_128)
BLOCK_CIPHER(serpent_128, 16)
COUNTER_MODE(serpent_128)
BLOCK_CIPHER(aria_128, 16)
COUNTER_MODE(aria_128)
BLOCK_CIPHER(camellia_128, 16)
COUNTER_MODE(camellia_128)
BLOCK_CIPHER(sm4, 16)
COUNTER_MODE(sm4)
BLOCK_CIPHER(des, 8)
BLOCK_CIPHER(tdes_ede3, 8)

static int chacha20_start(void)
{
    blocks = 0;
    return 1;
}

static void chacha20(uint8_t *data, size_t bytes)
{
    (void)usuba_chacha20_xor(peer_key(), peer_zeros(), blocks, data, data, bytes);
    blocks += (uint32_t)(bytes / 64);
}

static int nothing(void)
{
    return 1;
}

static void ascon_p12(uint8_t *data, size_t bytes)
{
    (void)usuba_ascon_p12_permute(data, bytes / 40);
}

static const struct peer peers[] = {
    { "aes-128", "ctr", "native", "constant time", aes_128_start, aes_128_ctr, 0 },
    { "aes-128", "ecb", "native", "constant time", aes_128_start, aes_128_ecb, 0 },
    { "serpent-128", "ctr", "native", "constant time", serpent_128_start, serpent_128_ctr, 0 },
    { "serpent-128", "ecb", "native", "constant time", serpent_128_start, serpent_128_ecb, 0 },
    { "aria-128", "ctr", "native", "constant time", aria_128_start, aria_128_ctr, 0 },
    { "aria-128", "ecb", "native", "constant time", aria_128_start, aria_128_ecb, 0 },
    { "camellia-128", "ctr", "native", "constant time", camellia_128_start, camellia_128_ctr, 0 },
    { "camellia-128", "ecb", "native", "constant time", camellia_128_start, camellia_128_ecb, 0 },
    { "sm4", "ctr", "native", "constant time", sm4_start, sm4_ctr, 0 },
    { "sm4", "ecb", "native", "constant time", sm4_start, sm4_ecb, 0 },
    { "des", "ecb", "native", "constant time", des_start, des_ecb, 0 },
    { "tdes-ede3", "ecb", "native", "constant time", tdes_ede3_start, tdes_ede3_ecb, 0 },
    { "chacha20", "xor", "native", "constant time", chacha20_start, chacha20, 0 },
    { "ascon-p12", "permute", "native", "constant time", nothing, ascon_p12, 40 * 400 },
};

int main(int argc, char **argv)
{
    return peer_main("Usuba", "this", peers, sizeof peers / sizeof peers[0], argc, argv);
}
