/* openssl.c - libcrypto of OpenSSL 3 as a peer, for differential.c. */
#include "differential.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <string.h>

const struct peer_offer peer_offers[] = {
    { "aes-128", BLOCKS | COUNTER },
    { "aes-192", BLOCKS | COUNTER },
    { "aes-256", BLOCKS | COUNTER },
    { "aria-128", BLOCKS | COUNTER },
    { "aria-192", BLOCKS | COUNTER },
    { "aria-256", BLOCKS | COUNTER },
    { "camellia-128", BLOCKS | COUNTER },
    { "camellia-192", BLOCKS | COUNTER },
    { "camellia-256", BLOCKS | COUNTER },
    { "sm4", BLOCKS | COUNTER },
    { "des", BLOCKS },
    { "tdes-ede3", BLOCKS },
    { "chacha20", STREAM },
    { "poly1305", MAC },
    { "chacha20-poly1305", SEAL },
    { "keccak-f1600", HASHES },
    { NULL, 0 },
};

const char *peer_name(void)
{
    return OpenSSL_version(OPENSSL_VERSION);
}

/* A cipher of OpenSSL by our name and a mode; the last one is kept. Single DES is with the old algorithms. */
static EVP_CIPHER *cipher(const char *name, const char *mode)
{
    static char last[64];
    static EVP_CIPHER *kept;
    char wanted[64] = "";
    if (strcmp(name, "tdes-ede3") == 0)
        name = "des-ede3";
    strncat(wanted, name, 30);
    if (mode[0] != 0) {
        strcat(wanted, "-");
        strcat(wanted, mode);
    }
    if (strcmp(wanted, last) != 0) {
        if (strcmp(wanted, "des-ecb") == 0 &&
            (OSSL_PROVIDER_load(NULL, "default") == NULL || OSSL_PROVIDER_load(NULL, "legacy") == NULL))
            return NULL;
        EVP_CIPHER_free(kept);
        kept = EVP_CIPHER_fetch(NULL, wanted, NULL);
        strcpy(last, kept == NULL ? "" : wanted);
    }
    return kept;
}

static int once(const EVP_CIPHER *how, int decrypt, const unsigned char *key, const unsigned char *iv,
                unsigned char *out, const unsigned char *in, size_t length)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int written = 0;
    int good = how != NULL && ctx != NULL && EVP_CipherInit_ex2(ctx, how, key, iv, !decrypt, NULL) == 1 &&
               EVP_CIPHER_CTX_set_padding(ctx, 0) == 1;
    if (good && length > 0)
        good = EVP_CipherUpdate(ctx, out, &written, in, (int)length) == 1 && (size_t)written == length;
    EVP_CIPHER_CTX_free(ctx);
    return good;
}

int peer_blocks(const char *name, int decrypt, const unsigned char *key, size_t key_bytes, unsigned char *out,
                const unsigned char *in, size_t length)
{
    (void)key_bytes;
    return once(cipher(name, "ecb"), decrypt, key, NULL, out, in, length);
}

int peer_counter(const char *name, const unsigned char *key, size_t key_bytes, const unsigned char *counter,
                 size_t block_bytes, unsigned char *out, const unsigned char *in, size_t length)
{
    (void)key_bytes;
    (void)block_bytes;
    return once(cipher(name, "ctr"), 0, key, counter, out, in, length);
}

int peer_stream(const char *name, const unsigned char *key, const unsigned char *nonce, uint32_t counter,
                unsigned char *out, const unsigned char *in, size_t length)
{
    unsigned char iv[16];
    int i;
    for (i = 0; i < 4; i++)
        iv[i] = (unsigned char)(counter >> (8 * i));
    memcpy(iv + 4, nonce, 12);
    return once(cipher(name, ""), 0, key, iv, out, in, length);
}

int peer_seal(const char *name, unsigned char *out, unsigned char *tag, const unsigned char *key,
              const unsigned char *nonce, const unsigned char *ad, size_t ad_length, const unsigned char *in,
              size_t length)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n, good = EVP_EncryptInit_ex2(ctx, cipher(name, ""), key, nonce, NULL) == 1 &&
                  EVP_EncryptUpdate(ctx, NULL, &n, ad, (int)ad_length) == 1 &&
                  EVP_EncryptUpdate(ctx, out, &n, in, (int)length) == 1 && EVP_EncryptFinal_ex(ctx, out + n, &n) == 1 &&
                  EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
    EVP_CIPHER_CTX_free(ctx);
    return good;
}

int peer_mac(const char *name, unsigned char *tag, const unsigned char *key, const unsigned char *in, size_t length)
{
    EVP_MAC *mac = EVP_MAC_fetch(NULL, name, NULL);
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
    size_t n;
    const int good = EVP_MAC_init(ctx, key, 32, NULL) == 1 && EVP_MAC_update(ctx, in, length) == 1 &&
                     EVP_MAC_final(ctx, tag, &n, 16) == 1;
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
    return good;
}

int peer_hash(const char *name, unsigned char *out, size_t out_length, const unsigned char *in, size_t length)
{
    EVP_MD *hash = EVP_MD_fetch(NULL, name, NULL);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int good = hash != NULL && EVP_DigestInit_ex(ctx, hash, NULL) == 1 && EVP_DigestUpdate(ctx, in, length) == 1;
    if (good)
        good = strncmp(name, "shake", 5) == 0 ? EVP_DigestFinalXOF(ctx, out, out_length) == 1
                                              : EVP_DigestFinal_ex(ctx, out, NULL) == 1;
    EVP_MD_CTX_free(ctx);
    EVP_MD_free(hash);
    return good;
}
