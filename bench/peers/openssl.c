/* openssl.c - OpenSSL's libcrypto. Which code it takes is decided by OPENSSL_ia32cap in its environment, so the caller names
 * the level: `openssl LEVEL …`; ssse3 with AES instructions masked makes AES-CTR the bitsliced code of Käsper and Schwabe. */
#include "peer.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

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
        { "tdes-ede3", "ecb", "gp64", "tables", triple_des, run, 0 },
    };
    const char *version = OpenSSL_version(OPENSSL_VERSION_STRING);
    if (!strcmp(level, "without-aes"))
        return peer_main("OpenSSL", version, masked, 3, argc, argv);
    return peer_main("OpenSSL", version, stream, 1, argc, argv);
}
