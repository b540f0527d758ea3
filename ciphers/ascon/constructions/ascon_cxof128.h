/* usuba_ascon_cxof128.h - Ascon-CXOF128, Ascon-XOF128 with a customization string: NIST SP 800-232, section 5.3.
 *
 * Up to 128 bits of security, as far as the output is long enough: 32 bytes against collisions. With different strings
 * the outputs have nothing to do with each other, nor with those of Ascon-XOF128.
 * Time depends on lengths and on the number of messages, never on data. */
#ifndef USUBA_ASCON_CXOF128_H
#define USUBA_ASCON_CXOF128_H

#include <stddef.h>
#include <stdint.h>

/* What functions return. */
#include "usuba_results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes of a customization string. */
#define USUBA_ASCON_CXOF128_CUSTOMIZATION_BYTES 256

/* `out_length` bytes of output for `length` bytes under a string of `custom_length`; pointers to nothing may be null. The
 * output may lie anywhere, also in the message. Returns USUBA_OK, or USUBA_ERROR_NULL or USUBA_ERROR_LENGTH (of the string)
 * with nothing written. */
int usuba_ascon_cxof128(unsigned char *out, size_t out_length, const unsigned char *custom, size_t custom_length,
                        const unsigned char *in, size_t length);

/* A message of which part has been seen. It has no pointers and may be copied, to go on in several ways. */
typedef struct usuba_ascon_cxof128_ctx {
    unsigned char state[40];
    uint32_t phase;
    uint32_t position;
} usuba_ascon_cxof128_ctx;

/* Begins a message under a customization string, whatever the context was before. Also USUBA_ERROR_LENGTH. */
int usuba_ascon_cxof128_init(usuba_ascon_cxof128_ctx *ctx, const unsigned char *custom, size_t custom_length);

/* Adds `length` bytes to the message, any number of times. */
int usuba_ascon_cxof128_update(usuba_ascon_cxof128_ctx *ctx, const unsigned char *in, size_t length);

/* Writes the next `length` bytes of output, any number of times. The first time, even for no bytes, ends the message.
 *
 * All three return USUBA_OK or USUBA_ERROR_NULL; _update also USUBA_ERROR_STATE after _squeeze; both USUBA_ERROR_CONTEXT for
 * a context that was not initialised or was wiped. An error changes nothing. */
int usuba_ascon_cxof128_squeeze(usuba_ascon_cxof128_ctx *ctx, unsigned char *out, size_t length);

/* Overwrites the context; it must be initialised again before it is used. */
void usuba_ascon_cxof128_wipe(usuba_ascon_cxof128_ctx *ctx);

/* One of many messages: the arguments of usuba_ascon_cxof128, and what it returned. */
typedef struct usuba_ascon_cxof128_message {
    const unsigned char *custom;
    size_t custom_length;
    const unsigned char *in;
    size_t length;
    unsigned char *out;
    size_t out_length;
    int result;
} usuba_ascon_cxof128_message;

/* The outputs of `count` messages, of any lengths both, as many at a time as the machine computes permutations side by
 * side: much faster than one after another.
 *
 * Every `result` is set to what usuba_ascon_cxof128 would return; a message in error does not keep the others from being
 * done. No output may overlap another message or output: this is not checked. Returns USUBA_OK if all results are, else
 * the first that is not; USUBA_ERROR_NULL without messages. */
int usuba_ascon_cxof128_batch(size_t count, usuba_ascon_cxof128_message *messages);

#ifdef __cplusplus
}
#endif

#endif
