/* @stem@.h - @title@: @specification@.
 *
 * @rules@ */
#ifndef @STEM@_H
#define @STEM@_H

#include <stddef.h>

/* What functions return. */
#include "usuba_results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a key, of a nonce and of a tag. */
#define @STEM@_KEY_BYTES @key@
#define @STEM@_NONCE_BYTES @nonce@
#define @STEM@_TAG_BYTES @tag@

/* Encrypts `length` bytes and makes the tag that authenticates them and the `ad_length` bytes at `ad`.
 *
 * `out` may be `in`. Nothing else may overlap `out`, but the tag may follow it at once. Pointers to nothing may be null.
 * Returns USUBA_OK, or USUBA_ERROR_NULL, USUBA_ERROR_LENGTH (@longest@) or USUBA_ERROR_OVERLAP with nothing written. */
int @stem@_seal(unsigned char *out, unsigned char tag[@STEM@_TAG_BYTES], const unsigned char key[@STEM@_KEY_BYTES],
    const unsigned char nonce[@STEM@_NONCE_BYTES], const unsigned char *ad, size_t ad_length, const unsigned char *in,
    size_t length);

@if fast
/* Decrypts `length` bytes, if the tag is theirs. The tag is compared first: if it returns USUBA_ERROR_TAG, or another of the
 * errors of @stem@_seal, nothing was written. Buffers may lie as there. */
@end
@if made
/* Decrypts `length` bytes, if the tag is theirs.
 *
 * Decryption and authentication go hand in hand, so `out` must not be read by anyone before the function returns. If it
 * returns USUBA_ERROR_TAG, all of `out` is zero: in place, the ciphertext is then lost. The other errors are those of
 * @stem@_seal, with nothing written; buffers may lie as there. */
@end
int @stem@_open(unsigned char *out, const unsigned char tag[@STEM@_TAG_BYTES], const unsigned char key[@STEM@_KEY_BYTES],
    const unsigned char nonce[@STEM@_NONCE_BYTES], const unsigned char *ad, size_t ad_length, const unsigned char *in,
    size_t length);
@if any_batch

/* One of many messages: the arguments of @stem@_seal or _open, and what it returned. */
typedef struct @stem@_message {
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
} @stem@_message;

@if one_by_one
/* Seals, or opens, `count` messages of any lengths, one after another: blocks of one message are computed side by side.
 *
 * Every `result` is set to what the function for one message returns; a message that is in error or is refused does not
 * keep the others from being done. Returns USUBA_OK if all results are, else the first that is not; USUBA_ERROR_NULL
 * without messages. */
@end
@if batch
/* Seals, or opens, `count` messages of any lengths, as many at a time as the machine computes permutations side by side:
 * much faster than one after another.
 *
 * Every `result` is set to what the function for one message would return; a message that is in error or is refused does
 * not keep the others from being done. No output of one message may overlap anything of another: this is not checked.
 * Returns USUBA_OK if all results are, else the first that is not; USUBA_ERROR_NULL without messages. */
@end
int @stem@_seal_batch(size_t count, @stem@_message *messages);
int @stem@_open_batch(size_t count, @stem@_message *messages);
@end

#ifdef __cplusplus
}
#endif

#endif
