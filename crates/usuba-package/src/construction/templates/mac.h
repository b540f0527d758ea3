/* @stem@.h - @title@: @specification@.
 *
 * @rules@ */
#ifndef @STEM@_H
#define @STEM@_H

#include <stddef.h>
#include <stdint.h>

/* What functions return. */
#include "usuba_results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a key and of a tag. */
#define @STEM@_KEY_BYTES @key@
#define @STEM@_TAG_BYTES @tag@

/* The tag of `length` bytes; `in` may be null if there are none. The tag may lie anywhere, also in the message.
 * Returns USUBA_OK, or USUBA_ERROR_NULL or USUBA_ERROR_LENGTH (from 2^48 bytes on) with nothing written. */
int @stem@(unsigned char tag[@STEM@_TAG_BYTES], const unsigned char key[@STEM@_KEY_BYTES], const unsigned char *in,
    size_t length);

/* A message of which part has been seen. It has no pointers and may be copied. */
typedef struct @stem@_ctx {
    uint64_t state;
    uint64_t kept[@words@];
    size_t lengths[@lengths@];
    size_t waiting;
    unsigned char held[@room@];
} @stem@_ctx;

/* Begins a message under a key, whatever the context was before. */
int @stem@_init(@stem@_ctx *ctx, const unsigned char key[@STEM@_KEY_BYTES]);

/* Adds `length` bytes to the message, any number of times. */
int @stem@_update(@stem@_ctx *ctx, const unsigned char *in, size_t length);

/* Ends the message and writes its tag. The context keeps nothing of key and message. Compare tags in a time that does not
 * depend on where they differ.
 *
 * All three return USUBA_OK or USUBA_ERROR_NULL; _update also USUBA_ERROR_LENGTH for a message from 2^48 bytes on; _update and
 * _final also USUBA_ERROR_STATE after _final, and USUBA_ERROR_CONTEXT for a context that was not initialised or was wiped. An
 * error changes nothing. */
int @stem@_final(@stem@_ctx *ctx, unsigned char tag[@STEM@_TAG_BYTES]);

/* Overwrites the context; it must be initialised again before it is used. */
void @stem@_wipe(@stem@_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif
