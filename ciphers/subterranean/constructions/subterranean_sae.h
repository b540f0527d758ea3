/* usuba_subterranean_sae.h - Subterranean-SAE, authenticated encryption with associated data: Daemen, Massolino, Mehrdad,
 * Rotella: The Subterranean 2.0 cipher suite, ToSC 2020 S1.
 *
 * The round of Subterranean exists in bit slices only: one message costs as much as the many that fit side by side. Use the
 * batch functions. A nonce must not be used twice under one key. Time depends on lengths and on the number of messages, and
 * in opening on whether a tag is right; never on keys, nonces or data. */
#ifndef USUBA_SUBTERRANEAN_SAE_H
#define USUBA_SUBTERRANEAN_SAE_H

#include <stddef.h>

/* What functions return. */
#include "usuba_results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a key, of a nonce and of a tag. */
#define USUBA_SUBTERRANEAN_SAE_KEY_BYTES 16
#define USUBA_SUBTERRANEAN_SAE_NONCE_BYTES 16
#define USUBA_SUBTERRANEAN_SAE_TAG_BYTES 16

/* Encrypts `length` bytes and makes the tag that authenticates them and the `ad_length` bytes at `ad`.
 *
 * `out` may be `in`. Nothing else may overlap `out`, but the tag may follow it at once. Pointers to nothing may be null.
 * Returns USUBA_OK, or USUBA_ERROR_NULL, USUBA_ERROR_LENGTH or USUBA_ERROR_OVERLAP with nothing written. */
int usuba_subterranean_sae_seal(unsigned char *out, unsigned char tag[USUBA_SUBTERRANEAN_SAE_TAG_BYTES],
                                const unsigned char key[USUBA_SUBTERRANEAN_SAE_KEY_BYTES],
                                const unsigned char nonce[USUBA_SUBTERRANEAN_SAE_NONCE_BYTES], const unsigned char *ad,
                                size_t ad_length, const unsigned char *in, size_t length);

/* Decrypts `length` bytes, if the tag is theirs.
 *
 * Decryption and authentication go hand in hand, so `out` must not be read by anyone before the function returns. If it
 * returns USUBA_ERROR_TAG, all of `out` is zero: in place, the ciphertext is then lost. The other errors are those of
 * usuba_subterranean_sae_seal, with nothing written; buffers may lie as there. */
int usuba_subterranean_sae_open(unsigned char *out, const unsigned char tag[USUBA_SUBTERRANEAN_SAE_TAG_BYTES],
                                const unsigned char key[USUBA_SUBTERRANEAN_SAE_KEY_BYTES],
                                const unsigned char nonce[USUBA_SUBTERRANEAN_SAE_NONCE_BYTES], const unsigned char *ad,
                                size_t ad_length, const unsigned char *in, size_t length);

/* One of many messages: the arguments of usuba_subterranean_sae_seal or _open, and what it returned. */
typedef struct usuba_subterranean_sae_message {
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
} usuba_subterranean_sae_message;

/* Seals, or opens, `count` messages of any lengths, as many at a time as the machine computes permutations side by side:
 * much faster than one after another.
 *
 * Every `result` is set to what the function for one message would return; a message that is in error or is refused does
 * not keep the others from being done. No output of one message may overlap anything of another: this is not checked.
 * Returns USUBA_OK if all results are, else the first that is not; USUBA_ERROR_NULL without messages. */
int usuba_subterranean_sae_seal_batch(size_t count, usuba_subterranean_sae_message *messages);
int usuba_subterranean_sae_open_batch(size_t count, usuba_subterranean_sae_message *messages);

#ifdef __cplusplus
}
#endif

#endif
