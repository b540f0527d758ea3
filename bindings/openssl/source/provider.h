/* provider.h - what the parts of the provider know of each other. */
#ifndef USUBA_PROVIDER_H
#define USUBA_PROVIDER_H

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stddef.h>
#include <stdint.h>
#include <usuba_primitives.h>

/* Something that OpenSSL can fetch: a primitive, a block cipher in one of its modes. */
struct algorithm {
    const usuba_primitive *primitive;
    /* OSSL_OP_CIPHER, OSSL_OP_DIGEST or OSSL_OP_MAC. */
    int operation;
    /* Of ciphers: EVP_CIPH_ECB_MODE, … */
    unsigned mode;
};

/* The algorithm of this number, from 0 on; 0 after the last. It depends on the table of the library alone. */
int algorithm_at(size_t number, struct algorithm *algorithm);

/* Writes the names that OpenSSL has for it, with colons between them, or one made in the same manner. */
void algorithm_names(const struct algorithm *algorithm, char *text, size_t size);
#define NAME_BYTES 64

/* The functions of an algorithm that do not say which one is meant when they are called: a pair for each number. */
typedef void *new_function(void *provider);
typedef int get_params_function(OSSL_PARAM params[]);
#define SLOTS 512
new_function *slot_new(size_t number);
get_params_function *slot_get_params(size_t number);

/* What the slots call. New contexts are freed by the functions of the same kind. */
void *block_new(const struct algorithm *algorithm);
void *stream_new(const struct algorithm *algorithm);
void *aead_new(const struct algorithm *algorithm);
void *gcm_new(const struct algorithm *algorithm);
void *digest_new(const struct algorithm *algorithm);
void *mac_new(const struct algorithm *algorithm);
int digest_get_params(const struct algorithm *algorithm, OSSL_PARAM params[]);
int mac_get_params(const struct algorithm *algorithm, OSSL_PARAM params[]);

/* Answers about a cipher as a whole. */
struct cipher_sizes {
    unsigned mode;
    size_t key, iv, block;
    int aead, custom_iv;
};
int cipher_get_params(const struct cipher_sizes *sizes, OSSL_PARAM params[]);
const OSSL_PARAM *cipher_gettable_params(void *provider);
void block_sizes(const struct algorithm *algorithm, struct cipher_sizes *sizes);
void stream_sizes(const struct algorithm *algorithm, struct cipher_sizes *sizes);
void aead_sizes(const struct algorithm *algorithm, struct cipher_sizes *sizes);

/* Records of TLS in CBC. */
struct tls_records {
    /* 0 if the data are no records; and whether each has an IV of its own before it. */
    unsigned version;
    int with_iv;
    size_t mac_bytes;
    unsigned char mac[EVP_MAX_MD_SIZE];
};
/* Takes the parameters that say so. */
int tls_set_params(struct tls_records *tls, const OSSL_PARAM params[]);
/* Of a record that is decrypted: keeps its MAC, and makes `length` that of the data, which lie behind the IV. 0 if the padding is
 * wrong and the MAC has been checked already, or if the record is too short for both. */
int tls_take(struct tls_records *tls, size_t block, const unsigned char *data, size_t *length);

/* A record of TLS 1.2 that an AEAD gets whole with its next update: the number of the record and its header as they are
 * authenticated, and the bytes of its text. */
struct tls_record {
    int begun;
    unsigned char ad[EVP_AEAD_TLS1_AAD_LEN];
    size_t length;
};
/* Takes these from the parameter. Before the text of a record there are so many bytes of a nonce, and a tag is behind it. */
int tls_begin(struct tls_record *record, const OSSL_PARAM *param, int encrypting, size_t nonce_bytes, size_t tag_bytes);

/* All other functions of a kind, ended by a row of zeros. */
extern const OSSL_DISPATCH block_functions[], feedback_functions[], stream_functions[], aead_functions[],
    gcm_functions[], digest_functions[], mac_functions[];

/* Raises the error that a result of the library means. 1 for USUBA_OK, else 0: what OpenSSL wants of functions. */
int succeeded(int result);

/* Whether two ranges of bytes have a byte in common. */
int overlap(const void *a, size_t a_length, const void *b, size_t b_length);

/* out = in ^ with; each of both may be `out`. */
void xor_bytes(unsigned char *out, const unsigned char *in, const unsigned char *with, size_t length);

/* Keystream that was made ahead. Short requests are far cheaper together: a kernel computes many blocks at once. So what
 * is made ahead doubles from request to request of one message, up to the size of a large batch. */
#define KEYSTREAM_BYTES 4096
struct keystream {
    size_t used, made, ahead;
    unsigned char bytes[KEYSTREAM_BYTES];
};

/* out = in ^ the next `length` bytes of keystream, a whole number of blocks; `out` may be `in`. */
typedef int generate_function(void *context, unsigned char *out, const unsigned char *in, size_t length);

void keystream_reset(struct keystream *keystream);
/* The same for any number of bytes. */
int keystream_xor(struct keystream *keystream, size_t block, generate_function *generate, void *context,
    unsigned char *out, const unsigned char *in, size_t length);

/* ChaCha20 and its like: a key, and a counter and a nonce, which are the IV of OpenSSL's cipher in this order. */
struct counted {
    const usuba_stream_functions *functions;
    unsigned char key[64];
    unsigned char nonce[16];
    uint64_t counter;
};
generate_function counted_generate;

#endif
