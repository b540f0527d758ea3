/* usuba_counter.h - counters as bytes: numbers of any size, big-endian (`big`) or little-endian, modulo 256^bytes.
 *
 * Time depends on counters, which are no secrets. */
#ifndef USUBA_COUNTER_H
#define USUBA_COUNTER_H

#include "usuba_format.h"

/* The place of the digit of weight 256^i. */
USUBA_INLINE size_t usuba_digit(size_t i, size_t bytes, int big)
{
    return big ? bytes - 1 - i : i;
}

/* The number that four digits are; compilers keep loops over bytes as loops. */
USUBA_INLINE uint32_t usuba_counter_load32(const unsigned char *digits, int big)
{
    const uint32_t a = digits[0], b = digits[1], c = digits[2], d = digits[3];
    return big ? a << 24 | b << 16 | c << 8 | d : d << 24 | c << 16 | b << 8 | a;
}

/* The number that the lowest `digits` <= 8 digits are. */
USUBA_INLINE uint64_t usuba_counter_low(const unsigned char *counter, size_t bytes, int big, size_t digits)
{
    uint64_t low = 0;
    size_t i;
    if (bytes >= 8)
        return (big ? usuba_load64_big(counter + bytes - 8) : usuba_load64(counter)) & UINT64_MAX >> (64 - 8 * digits);
    if (bytes == 4 && digits == 4)
        return usuba_counter_load32(counter, big);
    for (i = digits; i-- > 0;)
        low = low << 8 | counter[usuba_digit(i, bytes, big)];
    return low;
}

/* A copy of a counter; one of 16 bytes in halves, as it is stored: compilers would load both at once, and processors wait for what
 * was stored in parts. */
USUBA_INLINE void usuba_counter_copy(unsigned char *to, const unsigned char *from, size_t bytes)
{
    if (bytes != 16) {
        memcpy(to, from, bytes);
    } else {
        const uint64_t first = usuba_unknown(usuba_load64(from)), second = usuba_unknown(usuba_load64(from + 8));
        usuba_store64(to, first);
        usuba_store64(to + 8, second);
    }
}

/* Adds n to the number that `bytes` bytes are. */
USUBA_INLINE void usuba_counter_add(unsigned char *counter, size_t bytes, int big, uint64_t n)
{
    size_t i = 0;
    if (bytes == 4) {
        const uint32_t sum = usuba_counter_load32(counter, big) + (uint32_t)n;
        for (i = 0; i < 4; i++)
            counter[usuba_digit(i, 4, big)] = (unsigned char)(sum >> 8 * i);
        return;
    }
    if (bytes >= 8) {
        const uint64_t low = usuba_counter_low(counter, bytes, big, 8) + n;
        if (big)
            usuba_store64_big(counter + bytes - 8, low);
        else
            usuba_store64(counter, low);
        n = low < n;
        i = 8;
    }
    for (; i < bytes && n != 0; i++) {
        unsigned char *digit = counter + usuba_digit(i, bytes, big);
        const unsigned low = *digit + (unsigned)(n & 0xff);
        *digit = (unsigned char)low;
        n = (n >> 8) + (low >> 8);
    }
}

/* `counter` and `j`, whose lowest bytes are the number `low`. What was stored in parts is not loaded whole, for which processors
 * wait. */
USUBA_INLINE void usuba_counter_block(unsigned char *block, uint64_t low, size_t j, const unsigned char *counter, size_t bytes,
                                      int big)
{
    memcpy(block, counter, bytes);
    if (bytes < 8 || low + j < low)
        usuba_counter_add(block, bytes, big, j);
    else if (big)
        usuba_store64_big(block + bytes - 8, low + j);
    else
        usuba_store64(block, low + j);
}

/* `count` numbers from `counter` on, one behind the other; `counter` becomes the number after them. */
USUBA_INLINE void usuba_counter_blocks(unsigned char *blocks, size_t count, unsigned char *counter, size_t bytes, int big)
{
    const uint64_t low = usuba_counter_low(counter, bytes, big, bytes < 8 ? bytes : 8);
    size_t j;
    if (count == 8) {
        USUBA_UNROLL
        for (j = 0; j < 8; j++)
            usuba_counter_block(blocks + j * bytes, low, j, counter, bytes, big);
    } else {
        for (j = 0; j < count; j++)
            usuba_counter_block(blocks + j * bytes, low, j, counter, bytes, big);
    }
    usuba_counter_add(counter, bytes, big, count);
}

#endif
