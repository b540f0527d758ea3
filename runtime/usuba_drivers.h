/* usuba_drivers.h - modes of operation around a kernel that works on a batch of blocks.
 *
 * A driver is told what to do with a batch by a function of type `usuba_batch`; the generated code passes a constant,
 * so that compilers call it directly. Nothing here allocates, and time depends on sizes only. In all functions `out`
 * may equal `in`; other overlaps are refused by the public functions. Buffers may have any alignment. */
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
#endif

/* From `count` inputs at `in` to `count` outputs at `out`, 1 <= count <= the batch. Reads all of `in` before it writes
 * to `out`. */
typedef void usuba_batch(const void *context, unsigned char *out, const unsigned char *in, size_t count);

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

/* out = in ^ keystream, `size` bytes. */
USUBA_INLINE void usuba_xor(unsigned char *out, const unsigned char *in, const unsigned char *keystream, size_t size)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t x, y;
        memcpy(&x, in + i, 8);
        memcpy(&y, keystream + i, 8);
        x ^= y;
        memcpy(out + i, &x, 8);
    }
    for (; i < size; i++)
        out[i] = (unsigned char)(in[i] ^ keystream[i]);
}

/* Adds 1 to the big-endian number of `bytes` bytes at `counter`, modulo 256^bytes. */
USUBA_INLINE void usuba_increment_big(unsigned char *counter, size_t bytes)
{
    unsigned carry = 1;
    size_t i;
    for (i = bytes; i-- > 0;) {
        carry += counter[i];
        counter[i] = (unsigned char)carry;
        carry >>= 8;
    }
}

/* Writes `count` counters, from the one at `counter` on, and leaves it at the number after the last one. */
USUBA_INLINE void usuba_count_big(unsigned char *blocks, unsigned char *counter, size_t count, size_t block)
{
    size_t i;
    if (block == 8 || block == 16) {
        const uint64_t low = usuba_load64_big(counter + block - 8);
        const uint64_t high = block == 16 ? usuba_load64_big(counter) : 0;
        for (i = 0; i < count; i++) {
            const uint64_t x = low + i;
            if (block == 16)
                usuba_store64_big(blocks + 16 * i, high + (x < low));
            usuba_store64_big(blocks + block * i + block - 8, x);
        }
        if (block == 16)
            usuba_store64_big(counter, high + (low + count < low));
        usuba_store64_big(counter + block - 8, low + count);
        return;
    }
    for (i = 0; i < count; i++) {
        memcpy(blocks + i * block, counter, block);
        usuba_increment_big(counter, block);
    }
}

/* ECB: every block by itself. `blocks` is any number of blocks of `block` bytes. */
USUBA_INLINE void usuba_ecb(usuba_batch *apply, const void *context, unsigned char *out, const unsigned char *in,
                            size_t blocks, size_t block, size_t batch)
{
    while (blocks > 0) {
        const size_t count = blocks < batch ? blocks : batch;
        apply(context, out, in, count);
        out += count * block;
        in += count * block;
        blocks -= count;
    }
}

/* CTR of SP 800-38A: out = in ^ E(counter) || E(counter + 1) || ..., the counter being a big-endian number of a whole
 * block that wraps from all ones to zero. `length` is any number of bytes. `counter` is left at the number after the
 * last one used, so that calls whose lengths are whole blocks continue each other. `scratch` has room for `batch`
 * blocks and holds keystream afterwards. */
USUBA_INLINE void usuba_ctr(usuba_batch *encrypt, const void *context, unsigned char *counter, unsigned char *out,
                            const unsigned char *in, size_t length, size_t block, size_t batch, unsigned char *scratch)
{
    while (length > 0) {
        const size_t wanted = length / block + (length % block != 0);
        const size_t count = wanted < batch ? wanted : batch;
        const size_t size = length < count * block ? length : count * block;
        usuba_count_big(scratch, counter, count, block);
        encrypt(context, scratch, scratch, count);
        usuba_xor(out, in, scratch, size);
        out += size;
        in += size;
        length -= size;
    }
}

/* A cipher whose block function contains the counter: out = in ^ f(counter) || f(counter + 1) || ..., the counter being
 * a little-endian number of `counter_bytes` <= 8 bytes, modulo 256^counter_bytes. `keystream` is told the counters, as
 * bytes. `counters` has room for `batch` counters, `scratch` for `batch` blocks of keystream. */
USUBA_INLINE void usuba_stream(usuba_batch *keystream, const void *context, uint64_t counter, size_t counter_bytes,
                               unsigned char *out, const unsigned char *in, size_t length, size_t block, size_t batch,
                               unsigned char *counters, unsigned char *scratch)
{
    while (length > 0) {
        const size_t wanted = length / block + (length % block != 0);
        const size_t count = wanted < batch ? wanted : batch;
        const size_t size = length < count * block ? length : count * block;
        size_t i;
        for (i = 0; i < count; i++)
            usuba_store_part(counters + i * counter_bytes, counter++, counter_bytes);
        keystream(context, scratch, counters, count);
        usuba_xor(out, in, scratch, size);
        out += size;
        in += size;
        length -= size;
    }
}

#endif
