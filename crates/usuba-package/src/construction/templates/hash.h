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

/* Bytes of a digest. */
#define @STEM@_DIGEST_BYTES @digest@
/* Bytes of a block of the message. */
#define @STEM@_BLOCK_BYTES @rate@

/* The digest of `length` bytes; `in` may be null if there are none. The digest may lie anywhere, also in the message.
 * Returns USUBA_OK, or USUBA_ERROR_NULL or USUBA_ERROR_LENGTH (from 2^48 bytes on) with nothing written. */
int @stem@(unsigned char digest[@STEM@_DIGEST_BYTES], const unsigned char *in, size_t length);

/* A message of which part has been seen. It has no pointers and may be copied, to go on in several ways. */
typedef struct @stem@_ctx {
    uint64_t state;
    uint64_t kept[@words@];
    size_t lengths[@lengths@];
    size_t waiting;
    unsigned char held[@room@];
} @stem@_ctx;

/* Begins a message, whatever the context was before. */
int @stem@_init(@stem@_ctx *ctx);

/* Adds `length` bytes to the message, any number of times. */
int @stem@_update(@stem@_ctx *ctx, const unsigned char *in, size_t length);

/* Ends the message and writes its digest. The context keeps nothing of it.
 *
 * All three return USUBA_OK or USUBA_ERROR_NULL; _update also USUBA_ERROR_LENGTH for a message from 2^48 bytes on; _update and
 * _final also USUBA_ERROR_STATE after _final, and USUBA_ERROR_CONTEXT for a context that was not initialised or was wiped. An
 * error changes nothing. */
int @stem@_final(@stem@_ctx *ctx, unsigned char digest[@STEM@_DIGEST_BYTES]);

/* Overwrites the context; it must be initialised again before it is used. */
void @stem@_wipe(@stem@_ctx *ctx);
@if batch

/* One of many messages: the arguments of @stem@, and what it returned. */
typedef struct @stem@_message {
    const unsigned char *in;
    size_t length;
    unsigned char *digest;
    int result;
} @stem@_message;

/* The digests of `count` messages of any lengths, as many at a time as the machine computes permutations side by side:
 * much faster than one after another.
 *
 * Every `result` is set to what @stem@ would return; a message in error does not keep the others from being
 * done. No digest may overlap another message or digest: this is not checked. Returns USUBA_OK if all results are, else the
 * first that is not; USUBA_ERROR_NULL without messages. */
int @stem@_batch(size_t count, @stem@_message *messages);
@end

#ifdef __cplusplus
}
#endif

#endif
