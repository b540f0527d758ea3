/* usuba_ascon_hash256.h - Ascon-Hash256, a hash function: NIST SP 800-232, section 5.1.
 *
 * Digests of 32 bytes, with 128 bits of security against collisions and preimages; no keys.
 * Time depends on lengths and on the number of messages, never on data. */
#ifndef USUBA_ASCON_HASH256_H
#define USUBA_ASCON_HASH256_H

#include <stddef.h>
#include <stdint.h>

/* What functions return. */
#include "usuba_results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a digest. */
#define USUBA_ASCON_HASH256_DIGEST_BYTES 32

/* The digest of `length` bytes; `in` may be null if there are none. The digest may lie anywhere, also in the message.
 * Returns USUBA_OK, or USUBA_ERROR_NULL with nothing written. */
int usuba_ascon_hash256(unsigned char digest[USUBA_ASCON_HASH256_DIGEST_BYTES], const unsigned char *in, size_t length);

/* A message of which part has been seen. It has no pointers and may be copied, to go on in several ways. */
typedef struct usuba_ascon_hash256_ctx {
    unsigned char state[40];
    uint32_t phase;
    uint32_t position;
} usuba_ascon_hash256_ctx;

/* Begins a message, whatever the context was before. */
int usuba_ascon_hash256_init(usuba_ascon_hash256_ctx *ctx);

/* Adds `length` bytes to the message, any number of times. */
int usuba_ascon_hash256_update(usuba_ascon_hash256_ctx *ctx, const unsigned char *in, size_t length);

/* Ends the message and writes its digest. The context keeps nothing of it.
 *
 * All three return USUBA_OK or USUBA_ERROR_NULL; _update and _final also USUBA_ERROR_STATE after _final, and
 * USUBA_ERROR_CONTEXT for a context that was not initialised or was wiped. An error changes nothing. */
int usuba_ascon_hash256_final(usuba_ascon_hash256_ctx *ctx, unsigned char digest[USUBA_ASCON_HASH256_DIGEST_BYTES]);

/* Overwrites the context; it must be initialised again before it is used. */
void usuba_ascon_hash256_wipe(usuba_ascon_hash256_ctx *ctx);

/* One of many messages: the arguments of usuba_ascon_hash256, and what it returned. */
typedef struct usuba_ascon_hash256_message {
    const unsigned char *in;
    size_t length;
    unsigned char *digest;
    int result;
} usuba_ascon_hash256_message;

/* The digests of `count` messages of any lengths, as many at a time as the machine computes permutations side by side:
 * much faster than one after another.
 *
 * Every `result` is set to what usuba_ascon_hash256 would return; a message in error does not keep the others from being
 * done. No digest may overlap another message or digest: this is not checked. Returns USUBA_OK if all results are, else the
 * first that is not; USUBA_ERROR_NULL without messages. */
int usuba_ascon_hash256_batch(size_t count, usuba_ascon_hash256_message *messages);

#ifdef __cplusplus
}
#endif

#endif
