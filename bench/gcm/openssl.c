/* openssl.c - AES-GCM of OpenSSL's EVP behind the table of gcm.h; the context keeps the key from message to message. */
#include "gcm.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>

struct context {
    EVP_CIPHER_CTX *seal, *open;
};

static void *start(int bits, const uint8_t *key)
{
    static struct context contexts[2];
    struct context *context = &contexts[bits == 256];
    const EVP_CIPHER *cipher = bits == 128 ? EVP_aes_128_gcm() : EVP_aes_256_gcm();
    context->seal = EVP_CIPHER_CTX_new();
    context->open = EVP_CIPHER_CTX_new();
    if (EVP_EncryptInit_ex(context->seal, cipher, NULL, key, NULL) != 1 ||
        EVP_DecryptInit_ex(context->open, cipher, NULL, key, NULL) != 1)
        return NULL;
    return context;
}

static int seal(void *of, const uint8_t *nonce, const uint8_t *aad, size_t aad_bytes, const uint8_t *plain, size_t bytes,
                uint8_t *cipher, uint8_t *tag)
{
    EVP_CIPHER_CTX *context = ((struct context *)of)->seal;
    int done;
    return !(EVP_EncryptInit_ex(context, NULL, NULL, NULL, nonce) == 1 &&
             EVP_EncryptUpdate(context, NULL, &done, aad, (int)aad_bytes) == 1 &&
             EVP_EncryptUpdate(context, cipher, &done, plain, (int)bytes) == 1 &&
             EVP_EncryptFinal_ex(context, cipher + bytes, &done) == 1 &&
             EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
}

static int open(void *of, const uint8_t *nonce, const uint8_t *aad, size_t aad_bytes, const uint8_t *cipher, size_t bytes,
                const uint8_t *tag, uint8_t *plain)
{
    EVP_CIPHER_CTX *context = ((struct context *)of)->open;
    int done;
    return !(EVP_DecryptInit_ex(context, NULL, NULL, NULL, nonce) == 1 &&
             EVP_DecryptUpdate(context, NULL, &done, aad, (int)aad_bytes) == 1 &&
             EVP_DecryptUpdate(context, plain, &done, cipher, (int)bytes) == 1 &&
             EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, (void *)(uintptr_t)tag) == 1 &&
             EVP_DecryptFinal_ex(context, plain + bytes, &done) == 1);
}

const struct gcm gcm_implementations[] = {{"", start, seal, open}, {0}};
