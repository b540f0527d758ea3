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

#endif
