/* crates.c - the RustCrypto crates, through the C functions of bench/crates/rustcrypto: `crates LEVEL …`. What is compiled for any
 * x86-64 may use SSE2. */
#include "peer.h"
#include <string.h>

extern int crate_chacha20_start(const uint8_t *key, const uint8_t *nonce);
extern void crate_chacha20_run(uint8_t *data, size_t bytes);
extern int crate_aes128_start(const uint8_t *key);
extern void crate_aes128_run(uint8_t *data, size_t bytes);
extern int crate_serpent_start(const uint8_t *key);
extern void crate_serpent_run(uint8_t *data, size_t bytes);
extern int crate_des_start(const uint8_t *key);
extern void crate_des_run(uint8_t *data, size_t bytes);
extern int crate_tdes_start(const uint8_t *key);
extern void crate_tdes_run(uint8_t *data, size_t bytes);
extern int crate_gift128_start(const uint8_t *key);
extern void crate_gift128_run(uint8_t *data, size_t bytes);
extern int crate_ascon_start(void);
extern void crate_ascon_run(uint8_t *data, size_t bytes);
extern int crate_ascon_aead_start(const uint8_t *key);
extern void crate_ascon_aead_run(uint8_t *data, size_t bytes);
extern int crate_keccak_start(void);
extern void crate_keccak_run(uint8_t *data, size_t bytes);
extern const char *crate_version(const char *name);

#define KEYED(cipher)                                    \
    static int start_##cipher(void)                      \
    {                                                    \
        return crate_##cipher##_start(peer_key());       \
    }
KEYED(aes128)
KEYED(serpent)
KEYED(des)
KEYED(tdes)
KEYED(gift128)
KEYED(ascon_aead)

static int start_chacha20(void)
{
    return crate_chacha20_start(peer_key(), peer_zeros());
}

int main(int argc, char **argv)
{
    const char *level = argc > 1 ? argv[1] : "gp64";
    const struct peer stream[] = { { "chacha20", "xor", level, "constant time", start_chacha20, crate_chacha20_run, 0 } };
    static const struct peer aes[] = { { "aes-128", "ecb", "sse2", "constant time", start_aes128, crate_aes128_run, 0 } };
    static const struct peer serpent[] = {
        { "serpent-128", "ecb", "sse2", "constant time", start_serpent, crate_serpent_run, 0 },
    };
    static const struct peer des[] = {
        { "des", "ecb", "gp64", "tables", start_des, crate_des_run, 0 },
        { "tdes-ede3", "ecb", "gp64", "tables", start_tdes, crate_tdes_run, 0 },
    };
    static const struct peer gift[] = {
        { "gift-128", "ecb", "gp64", "constant time", start_gift128, crate_gift128_run, 0 },
    };
    static const struct peer ascon[] = {
        { "ascon-p12", "permute", "gp64", "constant time", crate_ascon_start, crate_ascon_run, 40 * 400 },
    };
    static const struct peer ascon_aead[] = {
        { "ascon-aead128", "aead", "gp64", "constant time", start_ascon_aead, crate_ascon_aead_run, 0 },
    };
    static const struct peer keccak[] = {
        { "keccak-f1600", "permute", "gp64", "constant time", crate_keccak_start, crate_keccak_run, 200 * 80 },
    };
    int status = peer_main("crate chacha20", crate_version("chacha20"), stream, 1, argc, argv);
    if (strcmp(level, "avx2"))
        return status;
    status |= peer_main("crate aes", crate_version("aes"), aes, 1, argc, argv);
    status |= peer_main("crate serpent", crate_version("serpent"), serpent, 1, argc, argv);
    status |= peer_main("crate des", crate_version("des"), des, 2, argc, argv);
    status |= peer_main("crate gift-cipher", crate_version("gift-cipher"), gift, 1, argc, argv);
    status |= peer_main("crate ascon-core", crate_version("ascon-core"), ascon, 1, argc, argv);
    status |= peer_main("crate ascon-aead", crate_version("ascon-aead"), ascon_aead, 1, argc, argv);
    status |= peer_main("crate keccak", crate_version("keccak"), keccak, 1, argc, argv);
    return status;
}
