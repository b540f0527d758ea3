/* Answers requests through OpenSSL's libcrypto, one a line: algorithm, direction, length of the tag, key, iv, associated
   data, text; byte strings in hexadecimal behind a colon. The answer is the result and the tag, or a dash. */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    unsigned char at[4096];
    int count;
};

static void get(struct bytes *b) {
    static char text[8200];
    if (scanf("%8199s", text) != 1 || text[0] != ':') {
        exit(1);
    }
    b->count = (int)strlen(text + 1) / 2;
    for (int i = 0; i < b->count; i++) {
        unsigned value;
        sscanf(text + 1 + 2 * i, "%2x", &value);
        b->at[i] = (unsigned char)value;
    }
}

static void put(const unsigned char *at, int count) {
    putchar(':');
    for (int i = 0; i < count; i++) {
        printf("%02x", at[i]);
    }
}

static int mac(const struct bytes *key, const struct bytes *text, unsigned char *tag, size_t *size) {
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "CMAC", NULL);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(algorithm);
    char name[16];
    snprintf(name, sizeof name, "AES-%d-CBC", 8 * key->count);
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, name, 0), OSSL_PARAM_construct_end()};
    int done = EVP_MAC_init(context, key->at, (size_t)key->count, parameters) &&
               EVP_MAC_update(context, text->at, (size_t)text->count) && EVP_MAC_final(context, tag, size, 64);
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(algorithm);
    return done;
}

static int cipher(const char *name, int encrypt, int tag_size, struct bytes *key, struct bytes *iv, struct bytes *aad,
                  struct bytes *text, struct bytes *result, unsigned char *tag) {
    EVP_CIPHER *algorithm = EVP_CIPHER_fetch(NULL, name, NULL);
    if (algorithm == NULL) {
        return 0;
    }
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    int mode = EVP_CIPHER_get_mode(algorithm), last = 0, done, ccm = mode == EVP_CIPH_CCM_MODE;
    int aead = ccm || mode == EVP_CIPH_GCM_MODE || mode == EVP_CIPH_OCB_MODE;
    done = EVP_CipherInit_ex2(c, algorithm, NULL, NULL, encrypt, NULL);
    if (aead) {
        done &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, iv->count, NULL);
        if (mode != EVP_CIPH_GCM_MODE) {
            done &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, tag_size, NULL);
        }
    }
    done &= EVP_CipherInit_ex2(c, NULL, key->at, iv->count ? iv->at : NULL, encrypt, NULL);
    EVP_CIPHER_CTX_set_padding(c, 0);
    if (ccm) {
        done &= EVP_CipherUpdate(c, NULL, &last, NULL, text->count);
    }
    if (aead && aad->count) {
        done &= EVP_CipherUpdate(c, NULL, &last, aad->at, aad->count);
    }
    result->count = 0;
    if (text->count || ccm) {
        done &= EVP_CipherUpdate(c, result->at, &result->count, text->at, text->count);
    }
    last = 0;
    if (!ccm) {
        done &= EVP_CipherFinal_ex(c, result->at + result->count, &last);
    }
    result->count += last;
    if (aead && encrypt) {
        done &= EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, tag_size, tag);
    }
    EVP_CIPHER_CTX_free(c);
    EVP_CIPHER_free(algorithm);
    return done;
}

int main(void) {
    static struct bytes key, iv, aad, text, result;
    static unsigned char tag[64];
    char name[64], direction[16];
    int tag_size;
    while (scanf("%63s %15s %d", name, direction, &tag_size) == 3) {
        get(&key);
        get(&iv);
        get(&aad);
        get(&text);
        size_t size = (size_t)tag_size;
        result.count = 0;
        int done = strcmp(name, "CMAC") == 0
                       ? mac(&key, &text, tag, &size)
                       : cipher(name, direction[0] == 'e', tag_size, &key, &iv, &aad, &text, &result, tag);
        if (!done) {
            puts("-");
            continue;
        }
        put(result.at, result.count);
        putchar(' ');
        put(tag, tag_size);
        putchar('\n');
    }
    return 0;
}
