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
    { "aes-128-cbc", CHAIN },
    { "aes-256-cbc", CHAIN },
    { "aes-128-cfb", CHAIN },
    { "aes-256-cfb", CHAIN },
    { "aes-128-cfb8", CHAIN },
    { "aes-256-cfb8", CHAIN },
    { "aes-128-ofb", CHAIN },
    { "aes-256-ofb", CHAIN },
    { "aes-128-xts", UNITS },
    { "aes-256-xts", UNITS },
    { "aes-128-cmac", TAG },
    { "aes-256-cmac", TAG },
    { "aes-128-gmac", TAG },
    { "aes-256-gmac", TAG },
    { "aes-128-gcm", SEAL },
    { "aes-192-gcm", SEAL },
    { "aes-256-gcm", SEAL },
    { "aes-128-ccm", SEAL },
    { "aes-256-ccm", SEAL },
    { "aes-128-ocb3", SEAL },
    { "aes-256-ocb3", SEAL },
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

static int ends(const char *name, const char *with)
{
    const size_t size = strlen(name), last = strlen(with);
    return size >= last && strcmp(name + size - last, with) == 0;
}

int peer_mode(const char *name, int decrypt, const unsigned char *key, size_t key_bytes, const unsigned char *iv,
              size_t block_bytes, unsigned char *out, const unsigned char *in, size_t length)
{
    (void)key_bytes;
    (void)block_bytes;
    return once(cipher(name, ""), decrypt, key, iv, out, in, length);
}

int peer_seal(const char *name, unsigned char *out, unsigned char *tag, const struct peer_message *m)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    const int is_ccm = ends(name, "-ccm");
    char wanted[64] = "";
    int n, good;
    strncat(wanted, name, 30);
    if (ends(name, "-ocb3"))
        wanted[strlen(wanted) - 1] = 0;
    good = EVP_EncryptInit_ex2(ctx, cipher(wanted, ""), NULL, NULL, NULL) == 1 &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)m->nonce_bytes, NULL) == 1;
    /* CCM and OCB depend on the size of the tag, and CCM on that of the message. */
    if (good && (is_ccm || ends(name, "-ocb3")))
        good = EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)m->tag_bytes, NULL) == 1;
    good = good && EVP_EncryptInit_ex2(ctx, NULL, m->key, m->nonce, NULL) == 1;
    if (good && is_ccm)
        good = EVP_EncryptUpdate(ctx, NULL, &n, NULL, (int)m->length) == 1;
    good = good && EVP_EncryptUpdate(ctx, NULL, &n, m->ad, (int)m->ad_length) == 1;
    n = 0;
    if (good && (m->length > 0 || is_ccm))
        good = EVP_EncryptUpdate(ctx, out, &n, m->in, (int)m->length) == 1;
    good = good && EVP_EncryptFinal_ex(ctx, out + n, &n) == 1 &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)m->tag_bytes, tag) == 1;
    EVP_CIPHER_CTX_free(ctx);
    return good;
}

int peer_tag(const char *name, unsigned char *tag, const struct peer_message *m)
{
    const int is_gmac = ends(name, "-gmac");
    EVP_MAC *mac = EVP_MAC_fetch(NULL, is_gmac ? "GMAC" : "CMAC", NULL);
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
    char how[64] = "";
    unsigned char all[16];
    size_t n;
    OSSL_PARAM params[3] = { OSSL_PARAM_END, OSSL_PARAM_END, OSSL_PARAM_END };
    int good;
    strncat(how, name, strlen("aes-128-"));
    strcat(how, is_gmac ? "gcm" : "cbc");
    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, how, 0);
    if (is_gmac)
        params[1] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, (void *)(uintptr_t)m->nonce, m->nonce_bytes);
    good = EVP_MAC_init(ctx, m->key, m->key_bytes, params) == 1 && EVP_MAC_update(ctx, m->in, m->length) == 1 &&
           EVP_MAC_final(ctx, all, &n, sizeof all) == 1;
    memcpy(tag, all, m->tag_bytes);
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
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
