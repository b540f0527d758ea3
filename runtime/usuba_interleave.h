/* usuba_interleave.h - horizontal slicing in integers: an integer of 64 bits per word, the words of several instances
 * interleaved bit by bit. */
#ifndef USUBA_INTERLEAVE_H
#define USUBA_INTERLEAVE_H

#include "usuba_transpose_v.h"

/* A bit of an integer has a number of six bits. Exchanges bits `high` and `low` of these numbers. */
USUBA_INLINE uint64_t usuba_exchange_numbers(uint64_t x, unsigned high, unsigned low)
{
    /* Bit i: whether bit n of the number i is set. */
    static const uint64_t set[6] = { 0xaaaaaaaaaaaaaaaau, 0xccccccccccccccccu, 0xf0f0f0f0f0f0f0f0u,
                                     0xff00ff00ff00ff00u, 0xffff0000ffff0000u, 0xffffffff00000000u };
    const unsigned shift = (1u << high) - (1u << low);
    const uint64_t t = (x >> shift ^ x) & set[low] & ~set[high];
    return x ^ t ^ t << shift;
}

/* Bit n of the number of every bit goes to place n + steps mod 6. `steps` = 6 - s undoes `steps` = s. */
USUBA_INLINE uint64_t usuba_rotate_numbers(uint64_t x, unsigned steps)
{
    unsigned n;
    if (steps <= 3) {
        for (n = 5; n >= steps && steps > 0; n--)
            x = usuba_exchange_numbers(x, n, n - steps);
    } else {
        for (n = 6 - steps; n <= 5 && steps < 6; n++)
            x = usuba_exchange_numbers(x, n, n - (6 - steps));
    }
    return x;
}

/* log2 of the number of instances. */
USUBA_INLINE unsigned usuba_log2(size_t batch)
{
    unsigned n = 0;
    while (batch >> n > 1)
        n++;
    return n;
}

/* `batch` blocks in the natural order to integers: format.width * batch = 64 = 8 * size. */
USUBA_INLINE void usuba_pack_interleaved(void *registers, size_t size, size_t batch, const unsigned char *blocks,
                                         struct usuba_format format)
{
    unsigned char *image = (unsigned char *)registers;
    size_t word, j;
    for (word = 0; word < format.words; word++) {
        uint64_t x = 0;
        for (j = 0; j < batch; j++)
            x |= usuba_load_word(blocks + j * format.bytes, word, format) << (j * format.width);
        usuba_store_lane(image + word * size, usuba_rotate_numbers(x, usuba_log2(batch)), size);
    }
}

/* The reverse. */
USUBA_INLINE void usuba_unpack_interleaved(struct usuba_output blocks, const void *registers, size_t size, size_t batch,
                                           struct usuba_format format)
{
    const unsigned char *image = (const unsigned char *)registers;
    const uint64_t ones = UINT64_MAX >> (64 - format.width);
    size_t word, j;
    usuba_begin_words(blocks, batch * format.bytes, format);
    for (word = 0; word < format.words; word++) {
        const uint64_t x = usuba_rotate_numbers(usuba_load_lane(image + word * size, size), 6 - usuba_log2(batch));
        for (j = 0; j < batch; j++)
            usuba_output_word(usuba_output_at(blocks, j * format.bytes), word, x >> (j * format.width) & ones, format);
    }
}

/* One block to the uniform form: an integer in which all instances are the same. */
USUBA_INLINE void usuba_uniform_interleaved(uint64_t *uniform, size_t batch, const unsigned char *block,
                                            struct usuba_format format)
{
    size_t word, j;
    for (word = 0; word < format.words; word++) {
        uint64_t x = 0;
        for (j = 0; j < batch; j++)
            x |= usuba_load_word(block, word, format) << (j * format.width);
        uniform[word] = usuba_rotate_numbers(x, usuba_log2(batch));
    }
}

#endif
