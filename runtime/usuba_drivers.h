/* usuba_drivers.h - modes of operation around a kernel that works on a batch of blocks.
 *
 * What a mode does with a batch is a function of type `usuba_batch`: generated code passes a constant, so that compilers
 * call it directly. Nothing here allocates, and time depends on sizes and counters only. In all functions `out` may equal
 * `in`; other overlaps are refused by the public functions. Buffers may have any alignment. */
#ifndef USUBA_DRIVERS_H
#define USUBA_DRIVERS_H

#include "usuba_buffers.h"
#include "usuba_transpose.h"

/* From a whole batch at `in` to as many bytes at `out`. Reads everything at a place of `in` before it writes there. */
typedef void usuba_batch(void *context, unsigned char *out, const unsigned char *in);

/* `length` bytes, batch by batch of `size` bytes. A last batch that is not full is one in `scratch`, which has room for a
 * batch and holds what it made afterwards: the kernels have no smaller one. */
USUBA_INLINE void usuba_batches(usuba_batch *apply, void *context, unsigned char *out, const unsigned char *in,
                                size_t length, size_t size, unsigned char *scratch)
{
    for (; length >= size; length -= size) {
        apply(context, out, in);
        out += size;
        in += size;
    }
    if (length > 0) {
        memcpy(scratch, in, length);
        memset(scratch + length, 0, size - length);
        apply(context, scratch, scratch);
        memcpy(out, scratch, length);
    }
}

#endif
