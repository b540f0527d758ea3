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

/* Bytes of a block of the message. */
#define @STEM@_BLOCK_BYTES @rate@
@if customized
/* The most bytes of a customization string. */
#define @STEM@_CUSTOMIZATION_BYTES @customization@

/* `out_length` bytes of output for `length` bytes under a string of `custom_length`; pointers to nothing may be null. The
 * output may lie anywhere, also in the message. Returns USUBA_OK, or USUBA_ERROR_NULL or USUBA_ERROR_LENGTH (of the string, or
 * from 2^48 bytes on) with nothing written. */
int @stem@(unsigned char *out, size_t out_length, const unsigned char *custom, size_t custom_length,
    const unsigned char *in, size_t length);
@end
@if plain
/* `out_length` bytes of output for `length` bytes; pointers to nothing may be null. The output may lie anywhere, also in the
 * message. Returns USUBA_OK, or USUBA_ERROR_NULL or USUBA_ERROR_LENGTH (from 2^48 bytes on) with nothing written. */
int @stem@(unsigned char *out, size_t out_length, const unsigned char *in, size_t length);
@end

/* A message of which part has been seen. It has no pointers and may be copied, to go on in several ways. */
typedef struct @stem@_ctx {
    uint64_t state;
    uint64_t kept[@words@];
    size_t lengths[@lengths@];
    size_t waiting;
    unsigned char held[@room@];
} @stem@_ctx;

@if customized
/* Begins a message under a customization string, whatever the context was before. Also USUBA_ERROR_LENGTH. */
int @stem@_init(@stem@_ctx *ctx, const unsigned char *custom, size_t custom_length);
@end
@if plain
/* Begins a message, whatever the context was before. */
int @stem@_init(@stem@_ctx *ctx);
@end

/* Adds `length` bytes to the message, any number of times. */
int @stem@_update(@stem@_ctx *ctx, const unsigned char *in, size_t length);

/* Writes the next `length` bytes of output, any number of times. The first time, even for no bytes, ends the message.
 *
 * All three return USUBA_OK or USUBA_ERROR_NULL; _update also USUBA_ERROR_STATE after _squeeze; both USUBA_ERROR_LENGTH where
 * message or output would have 2^48 bytes, and USUBA_ERROR_CONTEXT for a context that was not initialised or was wiped. An
 * error changes nothing. */
int @stem@_squeeze(@stem@_ctx *ctx, unsigned char *out, size_t length);

/* Overwrites the context; it must be initialised again before it is used. */
void @stem@_wipe(@stem@_ctx *ctx);
@if batch

/* One of many messages: the arguments of @stem@, and what it returned. */
typedef struct @stem@_message {
@if customized
    const unsigned char *custom;
    size_t custom_length;
@end
    const unsigned char *in;
    size_t length;
    unsigned char *out;
    size_t out_length;
    int result;
} @stem@_message;

/* The outputs of `count` messages, of any lengths both, as many at a time as the machine computes permutations side by
 * side: much faster than one after another.
 *
 * Every `result` is set to what @stem@ would return; a message in error does not keep the others from being
 * done. No output may overlap another message or output: this is not checked. Returns USUBA_OK if all results are, else
 * the first that is not; USUBA_ERROR_NULL without messages. */
int @stem@_batch(size_t count, @stem@_message *messages);
@end

#ifdef __cplusplus
}
#endif

#endif
