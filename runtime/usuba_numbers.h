/* usuba_numbers.h - moving the bits of integers by their numbers.
 *
 * A bit of an integer has a number, of six bits for an integer of 64. A permutation of the bits of these numbers moves all
 * bits of the integer at once, by a few exchanges of two of them. */
#ifndef USUBA_NUMBERS_H
#define USUBA_NUMBERS_H

#include "usuba_format.h"

/* Bit k of the n-th: whether bit n of the number k is set. */
#define USUBA_NUMBERED(n)                                                                                              \
    ((n) == 0   ? 0xaaaaaaaaaaaaaaaau                                                                                  \
     : (n) == 1 ? 0xccccccccccccccccu                                                                                  \
     : (n) == 2 ? 0xf0f0f0f0f0f0f0f0u                                                                                  \
     : (n) == 3 ? 0xff00ff00ff00ff00u                                                                                  \
     : (n) == 4 ? 0xffff0000ffff0000u                                                                                  \
                : 0xffffffff00000000u)

/* Bits i and j of the numbers for each other. */
USUBA_INLINE uint64_t usuba_exchange_numbers(uint64_t x, unsigned i, unsigned j)
{
    const unsigned high = i > j ? i : j, low = i > j ? j : i, shift = (1u << high) - (1u << low);
    const uint64_t moved = USUBA_NUMBERED(low) & ~USUBA_NUMBERED(high);
    const uint64_t t = (x >> shift ^ x) & moved;
    return x ^ t ^ t << shift;
}

#define USUBA_EXCHANGE_IN_CYCLE(cycle, n)                                                                              \
    if ((cycle) < cycles && (n) < of / cycles)                                                                         \
        x = usuba_exchange_numbers(x, from + (cycle), from + ((cycle) + (n) * steps) % of)

/* Of the `of` bits of the numbers from bit `from` on, number n goes to place n + steps, modulo `of`; `of` - s steps undo s. A
 * rotation is as many cycles as `of` and `steps` have in common, and a cycle is exchanges with one of its places. */
USUBA_INLINE uint64_t usuba_rotate_numbers(uint64_t x, unsigned from, unsigned of, unsigned steps)
{
    const unsigned cycles = steps % of == 0                  ? of
                            : of % 3 == 0 && steps % 3 == 0 ? 3
                            : of % 2 == 0 && steps % 2 == 0 ? 2
                                                            : 1;
    USUBA_EXCHANGE_IN_CYCLE(0, 1);
    USUBA_EXCHANGE_IN_CYCLE(0, 2);
    USUBA_EXCHANGE_IN_CYCLE(0, 3);
    USUBA_EXCHANGE_IN_CYCLE(0, 4);
    USUBA_EXCHANGE_IN_CYCLE(0, 5);
    USUBA_EXCHANGE_IN_CYCLE(1, 1);
    USUBA_EXCHANGE_IN_CYCLE(1, 2);
    USUBA_EXCHANGE_IN_CYCLE(2, 1);
    return x;
}

/* log2 of a power of two of up to 512. */
USUBA_INLINE unsigned usuba_log2(size_t n)
{
    return (unsigned)(n > 1) + (n > 2) + (n > 4) + (n > 8) + (n > 16) + (n > 32) + (n > 64) + (n > 128) + (n > 256);
}

#endif
