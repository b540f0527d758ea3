/* usuba_drivers.h - modes of operation around a kernel that works on a batch of blocks.
 *
 * What a mode does with a batch is a function of type `usuba_batch`: generated code passes a constant, so that compilers
 * call it directly. Nothing here allocates, and time depends on sizes and counters only. In all functions `out` may equal
 * `in`; other overlaps are refused by the public functions. Buffers may have any alignment. */
#ifndef USUBA_DRIVERS_H
#define USUBA_DRIVERS_H

#include "usuba_buffers.h"
#include "usuba_counter.h"
#include "usuba_transpose.h"

/* Marks an initialised context; stray memory is unlikely to hold it. */
#define USUBA_CONTEXT_MADE 0x7573756261000000u

/* Whether `length` bytes are more blocks than a counter of 32 bits has numbers. */
USUBA_INLINE int usuba_overruns(size_t length, size_t block)
{
    return length > 0 && (uint64_t)(length - 1) / block >> 32 != 0;
}

/* How many of `length` bytes, in blocks of `block`, come before the big-endian number at `last`, of 32 bits, is 0 again. */
USUBA_INLINE size_t usuba_before_wrap(const unsigned char *last, size_t block, size_t length)
{
    const uint32_t low = (uint32_t)last[0] << 24 | (uint32_t)last[1] << 16 | (uint32_t)last[2] << 8 | last[3];
    const uint64_t blocks = ((uint64_t)1 << 32) - low;
    return blocks <= length / block ? (size_t)blocks * block : length;
}

/* Of kernels that take the number of turns of their loop from the caller, the form of round keys begins with that number. */
enum { USUBA_TURNS_BYTES = 64 };

USUBA_INLINE size_t usuba_turns(const void *form)
{
    size_t turns;
    memcpy(&turns, form, sizeof turns);
    return turns;
}

/* The round keys of a form. */
USUBA_INLINE const void *usuba_turn_keys(const void *form)
{
    return (const unsigned char *)form + USUBA_TURNS_BYTES;
}

/* Writes the number, and gives the place of the round keys. */
USUBA_INLINE void *usuba_count_turns(void *form, size_t turns)
{
    memcpy(form, &turns, sizeof turns);
    return (unsigned char *)form + USUBA_TURNS_BYTES;
}

/* `count` units of `size` bytes, the last one first. */
USUBA_INLINE void usuba_reverse(void *units, size_t size, size_t count)
{
    size_t i, at;
    for (i = 0; i < count / 2; i++) {
        unsigned char *a = (unsigned char *)units + size * i, *b = (unsigned char *)units + size * (count - 1 - i);
        for (at = 0; at + 8 <= size; at += 8) {
            const uint64_t word = usuba_load64(a + at);
            usuba_store64(a + at, usuba_load64(b + at));
            usuba_store64(b + at, word);
        }
        for (; at < size; at++) {
            const unsigned char byte = a[at];
            a[at] = b[at];
            b[at] = byte;
        }
    }
}

/* From a whole batch at `in` to as many bytes at `out`. Reads everything at a place of `in` before it writes there. */
typedef void usuba_batch(void *context, unsigned char *out, const unsigned char *in);

/* How many batches of `size` bytes there are in `length`, the last of which may not be full. */
USUBA_INLINE size_t usuba_batches_of(size_t length, size_t size)
{
    return length / size + (length % size != 0);
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
        /* What compilers know to be short they copy by string instructions, which take long to start. */
        const size_t rest = (size_t)usuba_unknown(length);
        memcpy(scratch, in, rest);
        memset(scratch + rest, 0, size - rest);
        apply(context, scratch, scratch);
        memcpy(out, scratch, rest);
    }
}

#endif
