/* openssl.c - OpenSSL's libcrypto, Debian's or that of the crate openssl-src, which names itself in PEER_SOURCE. Which code it
 * takes is decided by OPENSSL_ia32cap in its environment, so the caller names the level: `openssl LEVEL …`; ssse3 with AES
 * instructions masked makes AES-CTR the bitsliced code of Käsper and Schwabe. That mask says nothing of the features beyond the
 * first two words, which OpenSSL then takes as absent: the instructions for SM4 are among them. Camellia, ARIA, SM4 and DES are
 * by tables. */
#include "peer.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <string.h>

#ifndef PEER_SOURCE
#define PEER_SOURCE ""
#endif

static EVP_CIPHER_CTX *context;

static int start(const EVP_CIPHER *cipher)
{
    EVP_CIPHER_CTX_free(context);
    context = EVP_CIPHER_CTX_new();
    return context && cipher && EVP_EncryptInit_ex(context, cipher, NULL, peer_key(), peer_zeros()) &&
        EVP_CIPHER_CTX_set_padding(context, 0);
}

static void run(uint8_t *data, size_t bytes)
{
    int written;
    EVP_EncryptUpdate(context, data, &written, data, (int)bytes);
}

static int chacha20(void)
{
    return start(EVP_chacha20());
}

static int aes_ctr(void)
{
    return start(EVP_aes_128_ctr());
}

static int aes_ecb(void)
{
    return start(EVP_aes_128_ecb());
}

static int camellia_ctr(void)
{
    return start(EVP_camellia_128_ctr());
}

static int camellia_ecb(void)
{
    return start(EVP_camellia_128_ecb());
}

static int aria_ctr(void)
{
    return start(EVP_aria_128_ctr());
}

static int aria_ecb(void)
{
    return start(EVP_aria_128_ecb());
}

static int sm4_ctr(void)
{
    return start(EVP_sm4_ctr());
}

static int sm4_ecb(void)
{
    return start(EVP_sm4_ecb());
}

static int des(void)
{
    return start(EVP_des_ecb());
}

static int triple_des(void)
{
    return start(EVP_des_ede3_ecb());
}

int main(int argc, char **argv)
{
    const char *level = argc > 1 ? argv[1] : "";
    const struct peer stream[] = { { "chacha20", "xor", level, "constant time", chacha20, run, 0 } };
    const struct peer masked[] = {
        { "aes-128", "ctr", "ssse3", "constant time", aes_ctr, run, 0 },
        { "aes-128", "ecb", "ssse3", "constant time", aes_ecb, run, 0 },
        { "camellia-128", "ctr", "gp64", "tables", camellia_ctr, run, 0 },
        { "camellia-128", "ecb", "gp64", "tables", camellia_ecb, run, 0 },
        { "aria-128", "ctr", "gp64", "tables", aria_ctr, run, 0 },
        { "aria-128", "ecb", "gp64", "tables", aria_ecb, run, 0 },
        { "sm4", "ctr", "gp64", "tables", sm4_ctr, run, 0 },
        { "sm4", "ecb", "gp64", "tables", sm4_ecb, run, 0 },
        { "des", "ecb", "gp64", "tables", des, run, 0 },
        { "tdes-ede3", "ecb", "gp64", "tables", triple_des, run, 0 },
    };
    char version[64];
    snprintf(version, sizeof version, "%s%s", OpenSSL_version(OPENSSL_VERSION_STRING), PEER_SOURCE);
    if (!strcmp(level, "without-aes")) {
        /* DES with one key is in the legacy provider; without it, that row is left out. */
        OSSL_PROVIDER_load(NULL, "default");
        OSSL_PROVIDER_load(NULL, "legacy");
        return peer_main("OpenSSL", version, masked, sizeof masked / sizeof *masked, argc, argv);
    }
    return peer_main("OpenSSL", version, stream, 1, argc, argv);
}
