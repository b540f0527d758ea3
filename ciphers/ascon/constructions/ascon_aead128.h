/* usuba_ascon_aead128.h - Ascon-AEAD128, authenticated encryption with associated data: NIST SP 800-232, section 4.
 *
 * A nonce must not be used twice under one key, and of all data no more than 2^54 bytes be processed under it. Time depends
 * on lengths and on the number of messages, and in opening on whether a tag is right; never on keys, nonces or data. */
#ifndef USUBA_ASCON_AEAD128_H
#define USUBA_ASCON_AEAD128_H

#include <stddef.h>

/* What functions return. */
#include "usuba_results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a key, of a nonce and of a tag. */
#define USUBA_ASCON_AEAD128_KEY_BYTES 16
#define USUBA_ASCON_AEAD128_NONCE_BYTES 16
#define USUBA_ASCON_AEAD128_TAG_BYTES 16

/* Encrypts `length` bytes and makes the tag that authenticates them and the `ad_length` bytes at `ad`.
 *
 * `out` may be `in`. Nothing else may overlap `out`, but the tag may follow it at once. Pointers to nothing may be null.
 * Returns USUBA_OK, or USUBA_ERROR_NULL, USUBA_ERROR_LENGTH or USUBA_ERROR_OVERLAP with nothing written. */
int usuba_ascon_aead128_seal(unsigned char *out, unsigned char tag[USUBA_ASCON_AEAD128_TAG_BYTES],
                             const unsigned char key[USUBA_ASCON_AEAD128_KEY_BYTES],
                             const unsigned char nonce[USUBA_ASCON_AEAD128_NONCE_BYTES], const unsigned char *ad,
                             size_t ad_length, const unsigned char *in, size_t length);

/* Decrypts `length` bytes, if the tag is theirs.
 *
 * Decryption and authentication go hand in hand, so `out` must not be read by anyone before the function returns. If it
 * returns USUBA_ERROR_TAG, all of `out` is zero: in place, the ciphertext is then lost. The other errors are those of
 * usuba_ascon_aead128_seal, with nothing written; buffers may lie as there. */
int usuba_ascon_aead128_open(unsigned char *out, const unsigned char tag[USUBA_ASCON_AEAD128_TAG_BYTES],
                             const unsigned char key[USUBA_ASCON_AEAD128_KEY_BYTES],
                             const unsigned char nonce[USUBA_ASCON_AEAD128_NONCE_BYTES], const unsigned char *ad,
                             size_t ad_length, const unsigned char *in, size_t length);

/* One of many messages: the arguments of usuba_ascon_aead128_seal or _open, and what it returned. */
typedef struct usuba_ascon_aead128_message {
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
} usuba_ascon_aead128_message;

/* Seals, or opens, `count` messages of any lengths, as many at a time as the machine computes permutations side by side:
 * much faster than one after another.
 *
 * Every `result` is set to what the function for one message would return; a message that is in error or is refused does
 * not keep the others from being done. No output of one message may overlap anything of another: this is not checked.
 * Returns USUBA_OK if all results are, else the first that is not; USUBA_ERROR_NULL without messages. */
int usuba_ascon_aead128_seal_batch(size_t count, usuba_ascon_aead128_message *messages);
int usuba_ascon_aead128_open_batch(size_t count, usuba_ascon_aead128_message *messages);

#ifdef __cplusplus
}
#endif

#endif
