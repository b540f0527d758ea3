/* usuba_drivers.h - modes of operation around a kernel that works on a batch of blocks.
 *
 * What a mode does with a batch is a function of type `usuba_batch`: generated code passes a constant, so that compilers
 * call it directly. Nothing here allocates, and time depends on sizes and counters only. In all functions `out` may equal
 * `in`; other overlaps are refused by the public functions. Buffers may have any alignment. */
#ifndef USUBA_DRIVERS_H
#define USUBA_DRIVERS_H

#include "usuba_transpose.h"

/* What public functions return. */
#ifndef USUBA_OK
#define USUBA_OK 0
/* A null pointer where there must be data. */
#define USUBA_ERROR_NULL (-1)
/* A size in bytes that does not fit in a size_t, or a longer keystream than the counter can number. */
#define USUBA_ERROR_LENGTH (-2)
/* Input and output overlap without being the same. */
#define USUBA_ERROR_OVERLAP (-3)
/* A tag that is not right: the data are not authentic. */
#define USUBA_ERROR_TAG (-4)
/* A call that the ones before it do not allow, such as more input after the digest. */
#define USUBA_ERROR_STATE (-5)
/* A context that was not made, or was wiped. */
#define USUBA_ERROR_CONTEXT (-6)
/* A target that there is no code for, or that this machine lacks. */
#define USUBA_ERROR_TARGET (-7)
#endif

/* From a whole batch at `in` to as many bytes at `out`. Reads everything at a place of `in` before it writes there. */
typedef void usuba_batch(void *context, unsigned char *out, const unsigned char *in);

/* Whether the arguments of a function from `size` bytes to as many make sense. */
USUBA_INLINE int usuba_check(const void *out, const void *in, size_t size)
{
    const uintptr_t o = (uintptr_t)out, i = (uintptr_t)in;
    if (size == 0)
        return USUBA_OK;
    if (out == NULL || in == NULL)
        return USUBA_ERROR_NULL;
    if (size > UINTPTR_MAX - o || size > UINTPTR_MAX - i)
        return USUBA_ERROR_LENGTH;
    if (o != i && o < i + size && i < o + size)
        return USUBA_ERROR_OVERLAP;
    return USUBA_OK;
}

/* Overwrites `size` bytes at `p` in a way that compilers do not remove. */
static inline void usuba_wipe(void *p, size_t size)
{
#if defined(__GNUC__) || defined(__clang__)
    memset(p, 0, size);
    __asm__ __volatile__("" : : "r"(p) : "memory");
#else
    volatile unsigned char *q = (volatile unsigned char *)p;
    while (size--)
        *q++ = 0;
#endif
}

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
