/* usuba_output.h - where the bytes of blocks go, with data added or without. */
#ifndef USUBA_OUTPUT_H
#define USUBA_OUTPUT_H

#include "usuba_format.h"

/* Where bytes x go: `to` = x, or `to` = x ^ `with` where that is not NULL. `to` may be `with`. */
struct usuba_output {
    unsigned char *to;
    const unsigned char *with;
};

USUBA_INLINE struct usuba_output usuba_output(unsigned char *to, const unsigned char *with)
{
    const struct usuba_output output = { to, with };
    return output;
}

USUBA_INLINE struct usuba_output usuba_output_at(struct usuba_output output, size_t at)
{
    return usuba_output(output.to + at, output.with == NULL ? NULL : output.with + at);
}

USUBA_INLINE void usuba_output_part(struct usuba_output output, uint64_t x, size_t bytes)
{
    usuba_store_part(output.to, output.with == NULL ? x : x ^ usuba_load_part(output.with, bytes), bytes);
}

#if defined(__SSE2__) || defined(__ARM_NEON) || defined(__ALTIVEC__)
typedef uint64_t usuba_vector_16 __attribute__((vector_size(16)));

/* A piece of two halves in memory. */
USUBA_INLINE usuba_vector_16 usuba_halves(const unsigned char *low, const unsigned char *high)
{
    uint64_t x, y;
    memcpy(&x, low, 8);
    memcpy(&y, high, 8);
    return (usuba_vector_16){ x, y };
}

/* The lower half of a piece to the first place, the upper one to the second; both have data to add, or none has. */
USUBA_INLINE void usuba_output_halves(struct usuba_output low, struct usuba_output high, usuba_vector_16 x)
{
    uint64_t half;
    if (low.with != NULL)
        x ^= usuba_halves(low.with, high.with);
    half = x[0];
    memcpy(low.to, &half, 8);
    half = x[1];
    memcpy(high.to, &half, 8);
}
#endif

#endif
