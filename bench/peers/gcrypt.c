/* gcrypt.c - libgcrypt. `gcrypt LEVEL …`: ssse3 turns AVX2 and the AES instructions off, before the library looks. */
#include "peer.h"
#include <gcrypt.h>
#include <string.h>

static gcry_cipher_hd_t handle;

static int start(int algorithm, int mode, size_t key_bytes)
{
    if (handle)
        gcry_cipher_close(handle);
    if (gcry_cipher_open(&handle, algorithm, mode, 0) || gcry_cipher_setkey(handle, peer_key(), key_bytes))
        return 0;
    if (algorithm == GCRY_CIPHER_CHACHA20)
        return !gcry_cipher_setiv(handle, peer_zeros(), 12);
    return mode != GCRY_CIPHER_MODE_CTR || !gcry_cipher_setctr(handle, peer_zeros(), 16);
}

static void run(uint8_t *data, size_t bytes)
{
    gcry_cipher_encrypt(handle, data, bytes, NULL, 0);
}

static int chacha20(void)
{
    return start(GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_STREAM, 32);
}

static int serpent(void)
{
    return start(GCRY_CIPHER_SERPENT128, GCRY_CIPHER_MODE_CTR, 16);
}

static int aes(void)
{
    return start(GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_CTR, 16);
}

static int des(void)
{
    return start(GCRY_CIPHER_DES, GCRY_CIPHER_MODE_ECB, 8);
}

static int triple_des(void)
{
    return start(GCRY_CIPHER_3DES, GCRY_CIPHER_MODE_ECB, 24);
}

static void without(const char *feature)
{
    gcry_control(GCRYCTL_DISABLE_HWF, feature, NULL);
}

int main(int argc, char **argv)
{
    const char *level = argc > 1 ? argv[1] : "avx2";
    static const struct peer avx2[] = {
        { "chacha20", "xor", "avx2", "constant time", chacha20, run, 0 },
        { "serpent-128", "ctr", "avx2", "constant time", serpent, run, 0 },
        { "des", "ecb", "gp64", "tables", des, run, 0 },
        { "tdes-ede3", "ecb", "gp64", "tables", triple_des, run, 0 },
    };
    static const struct peer ssse3[] = {
        { "chacha20", "xor", "ssse3", "constant time", chacha20, run, 0 },
        { "serpent-128", "ctr", "sse2", "constant time", serpent, run, 0 },
        { "aes-128", "ctr", "ssse3", "constant time", aes, run, 0 },
    };
    const int narrow = !strcmp(level, "ssse3");
    if (narrow) {
        without("intel-avx2");
        without("intel-avx");
        without("intel-aesni");
        without("intel-vaes-vpclmul");
    }
    const char *version = gcry_check_version(NULL);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return narrow ? peer_main("libgcrypt", version, ssse3, 3, argc, argv)
                  : peer_main("libgcrypt", version, avx2, 4, argc, argv);
}
