/* usuba_chacha20_poly1305.h - ChaCha20-Poly1305, authenticated encryption with associated data: RFC 8439, section 2.8.
 *
 * A nonce must not be used twice under one key. Time depends on lengths and on the number of messages, and in opening on
 * whether a tag is right; never on keys, nonces or data. */
#ifndef USUBA_CHACHA20_POLY1305_H
#define USUBA_CHACHA20_POLY1305_H

#include <stddef.h>

/* What functions return. */
#include "usuba_results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a key, of a nonce and of a tag. */
#define USUBA_CHACHA20_POLY1305_KEY_BYTES 32
#define USUBA_CHACHA20_POLY1305_NONCE_BYTES 12
#define USUBA_CHACHA20_POLY1305_TAG_BYTES 16

/* Encrypts `length` bytes, at most 2^38 - 64, and makes the tag that authenticates them and the `ad_length` bytes at `ad`.
 *
 * `out` may be `in`. Nothing else may overlap `out`, but the tag may follow it at once. Pointers to nothing may be null.
 * Returns USUBA_OK, or USUBA_ERROR_NULL, USUBA_ERROR_LENGTH or USUBA_ERROR_OVERLAP with nothing written. */
int usuba_chacha20_poly1305_seal(unsigned char *out, unsigned char tag[USUBA_CHACHA20_POLY1305_TAG_BYTES],
                                 const unsigned char key[USUBA_CHACHA20_POLY1305_KEY_BYTES],
                                 const unsigned char nonce[USUBA_CHACHA20_POLY1305_NONCE_BYTES],
                                 const unsigned char *ad, size_t ad_length, const unsigned char *in, size_t length);

/* Decrypts `length` bytes, if the tag is theirs. The tag is compared first: if it returns USUBA_ERROR_TAG, or another of
 * the errors of usuba_chacha20_poly1305_seal, nothing was written. Buffers may lie as there. */
int usuba_chacha20_poly1305_open(unsigned char *out, const unsigned char tag[USUBA_CHACHA20_POLY1305_TAG_BYTES],
                                 const unsigned char key[USUBA_CHACHA20_POLY1305_KEY_BYTES],
                                 const unsigned char nonce[USUBA_CHACHA20_POLY1305_NONCE_BYTES],
                                 const unsigned char *ad, size_t ad_length, const unsigned char *in, size_t length);

/* One of many messages: the arguments of usuba_chacha20_poly1305_seal or _open, and what it returned. */
typedef struct usuba_chacha20_poly1305_message {
    const unsigned char *key;
    const unsigned char *nonce;
    const unsigned char *ad;
    size_t ad_length;
    const unsigned char *in;
    size_t length;
    unsigned char *out;
    /* Written by _seal_batch, only read by _open_batch. */
    unsigned char *tag;
    int result;
} usuba_chacha20_poly1305_message;

/* Seals, or opens, `count` messages, one after another: ChaCha20 computes blocks of one message side by side, so there is
 * nothing to be gained from several.
 *
 * Every `result` is set to what the function for one message returns; a message that is in error or is refused does not
 * keep the others from being done. Returns USUBA_OK if all results are, else the first that is not; USUBA_ERROR_NULL
 * without messages. */
int usuba_chacha20_poly1305_seal_batch(size_t count, usuba_chacha20_poly1305_message *messages);
int usuba_chacha20_poly1305_open_batch(size_t count, usuba_chacha20_poly1305_message *messages);

#ifdef __cplusplus
}
#endif

#endif
