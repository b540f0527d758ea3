/* ours.c - what `usubac build ciphers/aes --mode gcm-seal` and `gcm-open` make, for 128 and 256 bits, behind the table of gcm.h. */
#include "aes_128_gcm_open.h"
#include "aes_128_gcm_seal.h"
#include "aes_256_gcm_open.h"
#include "aes_256_gcm_seal.h"
#include "gcm.h"
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

struct context {
    _Alignas(64) uint8_t seal[12288];
    _Alignas(64) uint8_t open[12288];
    _Alignas(64) uint8_t keys[240];
    int bits;
};

_Static_assert(USUBA_AES_256_GCM_SEAL_PREPARED_BYTES <= 12288 && USUBA_AES_256_GCM_OPEN_PREPARED_BYTES <= 12288, "room");

static uint32_t substituted(uint32_t word)
{
    return (uint32_t)_mm_cvtsi128_si32(_mm_aeskeygenassist_si128(_mm_set1_epi32((int)word), 0));
}

/* FIPS 197, section 5.2. */
static void schedule(const uint8_t *key, int bits, uint8_t *keys)
{
    const unsigned words = (unsigned)bits / 32, all = 4 * (words + 7);
    uint32_t word[60], constant = 1;
    memcpy(word, key, 4 * words);
    for (unsigned at = words; at < all; at++) {
        uint32_t last = word[at - 1];
        if (at % words == 0) {
            last = substituted(last);
            last = (last >> 8 | last << 24) ^ constant;
            constant = constant << 1 ^ (constant & 0x80 ? 0x11b : 0);
        } else if (words > 6 && at % words == 4)
            last = substituted(last);
        word[at] = word[at - words] ^ last;
    }
    memcpy(keys, word, 4 * all);
}

static void *start(int bits, const uint8_t *key)
{
    struct context *context;
    if (!__builtin_cpu_supports("vaes") || !__builtin_cpu_supports("avx512bw"))
        return NULL;
    if (posix_memalign((void **)&context, 4096, sizeof *context) != 0)
        return NULL;
    context->bits = bits;
    schedule(key, bits, context->keys);
    if (bits == 128) {
        usuba_aes_128_gcm_seal_prepare(context->keys, context->seal);
        usuba_aes_128_gcm_open_prepare(context->keys, context->open);
    } else {
        usuba_aes_256_gcm_seal_prepare(context->keys, context->seal);
        usuba_aes_256_gcm_open_prepare(context->keys, context->open);
    }
    return context;
}

static int seal(void *of, const uint8_t *nonce, const uint8_t *aad, size_t aad_bytes, const uint8_t *plain, size_t bytes,
                uint8_t *cipher, uint8_t *tag)
{
    const struct context *context = of;
    return context->bits == 128
               ? usuba_aes_128_gcm_seal(16, 12, aad_bytes, bytes, context->seal, context->keys, nonce, aad, plain, cipher, tag)
               : usuba_aes_256_gcm_seal(16, 12, aad_bytes, bytes, context->seal, context->keys, nonce, aad, plain, cipher, tag);
}

static int open(void *of, const uint8_t *nonce, const uint8_t *aad, size_t aad_bytes, const uint8_t *cipher, size_t bytes,
                const uint8_t *tag, uint8_t *plain)
{
    const struct context *context = of;
    return context->bits == 128
               ? usuba_aes_128_gcm_open(12, aad_bytes, bytes, 16, context->open, context->keys, nonce, aad, cipher, tag, plain)
               : usuba_aes_256_gcm_open(12, aad_bytes, bytes, 16, context->open, context->keys, nonce, aad, cipher, tag, plain);
}

const struct gcm gcm_implementations[] = {{"", start, seal, open}, {0}};
