/* usuba_poly1305.h - Poly1305, a one-time authenticator: RFC 8439, section 2.5.
 *
 * A key must be used for one message only: two tags under one key give it away. Time depends on lengths, never on keys or
 * data. */
#ifndef USUBA_POLY1305_H
#define USUBA_POLY1305_H

#include <stddef.h>
#include <stdint.h>

/* What functions return. */
#include "usuba_results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a key and of a tag. */
#define USUBA_POLY1305_KEY_BYTES 32
#define USUBA_POLY1305_TAG_BYTES 16

/* The tag of `length` bytes; `in` may be null if there are none. The tag may lie anywhere, also in the message.
 * Returns USUBA_OK, or USUBA_ERROR_NULL with nothing written. */
int usuba_poly1305(unsigned char tag[USUBA_POLY1305_TAG_BYTES], const unsigned char key[USUBA_POLY1305_KEY_BYTES],
                   const unsigned char *in, size_t length);

/* A message of which part has been seen: the multiplier and the sum in limbs, the end of the key, and bytes that do not
 * fill a block. It has no pointers and may be copied. */
typedef struct usuba_poly1305_ctx {
    uint64_t multiplier[5];
    uint64_t sum[5];
    unsigned char end[16];
    unsigned char block[16];
    uint32_t phase;
    uint32_t filled;
} usuba_poly1305_ctx;

/* Begins a message under a key, whatever the context was before. */
int usuba_poly1305_init(usuba_poly1305_ctx *ctx, const unsigned char key[USUBA_POLY1305_KEY_BYTES]);

/* Adds `length` bytes to the message, any number of times. */
int usuba_poly1305_update(usuba_poly1305_ctx *ctx, const unsigned char *in, size_t length);

/* Ends the message and writes its tag. The context keeps nothing of key and message. Compare tags in a time that does not
 * depend on where they differ.
 *
 * All three return USUBA_OK or USUBA_ERROR_NULL; _update and _final also USUBA_ERROR_STATE after _final, and
 * USUBA_ERROR_CONTEXT for a context that was not initialised or was wiped. An error changes nothing. */
int usuba_poly1305_final(usuba_poly1305_ctx *ctx, unsigned char tag[USUBA_POLY1305_TAG_BYTES]);

/* Overwrites the context; it must be initialised again before it is used. */
void usuba_poly1305_wipe(usuba_poly1305_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif
