/* usuba_transpose_b.h - bitslicing: a register per bit. */
#ifndef USUBA_TRANSPOSE_B_H
#define USUBA_TRANSPOSE_B_H

#include "usuba_vector.h"

/* Exchanges bit p of rows[j] with bit j of rows[p]: blocks of 32 bits, then of 16, and so on. */
static inline void usuba_transpose64(uint64_t rows[64])
{
    uint64_t mask = 0x00000000ffffffffu;
    unsigned shift, k;
    for (shift = 32; shift != 0; shift >>= 1, mask ^= mask << shift) {
        for (k = 0; k < 64; k = ((k | shift) + 1) & ~shift) {
            const uint64_t t = (rows[k] >> shift ^ rows[k | shift]) & mask;
            rows[k] ^= t << shift;
            rows[k | shift] ^= t;
        }
    }
}

/* ---- B: `registers` is width * words registers of `size` bytes, `size` a multiple of 8; 8 * size instances. ---- */

/* The bytes of blocks from `from` on, by 64-bit words. */
USUBA_INLINE void usuba_pack_b_words(unsigned char *image, size_t size, const unsigned char *blocks, size_t count,
                                     struct usuba_format format, size_t from)
{
    const size_t bits = format.width * format.words;
    size_t group, at, j, p;
    for (group = 0; group < size / 8; group++) {
        const size_t first = 64 * group;
        const size_t present = count <= first ? 0 : count - first < 64 ? count - first : 64;
        for (at = from; at < format.bytes; at += 8) {
            const size_t part = format.bytes - at < 8 ? format.bytes - at : 8;
            uint64_t rows[64];
            for (j = 0; j < present; j++)
                rows[j] = usuba_load_part(blocks + (first + j) * format.bytes + at, part);
            for (; j < 64; j++)
                rows[j] = 0;
            usuba_transpose64(rows);
            for (p = 0; p < 8 * part; p++) {
                const size_t bit = usuba_bit_number(format, at + p / 8, p % 8);
                if (bit < bits)
                    usuba_store64(image + bit * size + 8 * group, rows[p]);
            }
        }
    }
}

USUBA_INLINE void usuba_unpack_b_words(unsigned char *blocks, size_t count, const unsigned char *image, size_t size,
                                       struct usuba_format format, size_t from)
{
    const size_t bits = format.width * format.words;
    size_t group, at, j, p;
    for (group = 0; 64 * group < count; group++) {
        const size_t first = 64 * group;
        const size_t present = count - first < 64 ? count - first : 64;
        for (at = from; at < format.bytes; at += 8) {
            const size_t part = format.bytes - at < 8 ? format.bytes - at : 8;
            uint64_t rows[64];
            for (p = 0; p < 64; p++) {
                const size_t bit = p < 8 * part ? usuba_bit_number(format, at + p / 8, p % 8) : bits;
                rows[p] = bit < bits ? usuba_load64(image + bit * size + 8 * group) : 0;
            }
            usuba_transpose64(rows);
            for (j = 0; j < present; j++)
                usuba_store_part(blocks + (first + j) * format.bytes + at, rows[j], part);
        }
    }
}

#if USUBA_VECTOR
/* The bytes of blocks that vectors take: 16 or 8 at a time, if every bit of them belongs to a word. */
USUBA_INLINE size_t usuba_vector_bytes_b(size_t size, struct usuba_format format)
{
    const int known = size == 8 || size == 16 || (size == 32 && USUBA_VECTOR >= 32) || (size == 64 && USUBA_VECTOR >= 64);
    return known && 8 * format.bytes == format.width * format.words ? format.bytes / 8 * 8 : 0;
}

/* In these functions `width` and `full` of a column are constants, so that a full batch is free of tests. */
USUBA_INLINE void usuba_pack_b_column(unsigned char *image, size_t size, const unsigned char *blocks, size_t at,
                                      struct usuba_column column, struct usuba_format format)
{
    if (size == 8)
        usuba_pack_b_8(image, blocks, at, column, format);
    if (size == 16)
        usuba_pack_b_16(image, blocks, at, column, format);
#if USUBA_VECTOR >= 32
    if (size == 32)
        usuba_pack_b_32(image, blocks, at, column, format);
#endif
#if USUBA_VECTOR >= 64
    if (size == 64)
        usuba_pack_b_64(image, blocks, at, column, format);
#endif
}

USUBA_INLINE void usuba_pack_b_vectors(unsigned char *image, size_t size, const unsigned char *blocks, size_t count,
                                       struct usuba_format format, int full)
{
    const struct usuba_column wide = { format.bytes, 16, count, full }, narrow = { format.bytes, 8, count, full };
    const size_t end = usuba_vector_bytes_b(size, format);
    size_t at;
    for (at = 0; at + 16 <= end; at += 16)
        usuba_pack_b_column(image, size, blocks, at, wide, format);
    if (end % 16 != 0)
        usuba_pack_b_column(image, size, blocks, at, narrow, format);
}

USUBA_INLINE void usuba_unpack_b_column(unsigned char *blocks, const unsigned char *image, size_t size, size_t at,
                                        struct usuba_column column, struct usuba_format format)
{
    if (size == 8)
        usuba_unpack_b_8(blocks, image, at, column, format);
    if (size == 16)
        usuba_unpack_b_16(blocks, image, at, column, format);
#if USUBA_VECTOR >= 32
    if (size == 32)
        usuba_unpack_b_32(blocks, image, at, column, format);
#endif
#if USUBA_VECTOR >= 64
    if (size == 64)
        usuba_unpack_b_64(blocks, image, at, column, format);
#endif
}

USUBA_INLINE void usuba_unpack_b_vectors(unsigned char *blocks, size_t count, const unsigned char *image, size_t size,
                                         struct usuba_format format, int full)
{
    const struct usuba_column wide = { format.bytes, 16, count, full }, narrow = { format.bytes, 8, count, full };
    const size_t end = usuba_vector_bytes_b(size, format);
    size_t at;
    for (at = 0; at + 16 <= end; at += 16)
        usuba_unpack_b_column(blocks, image, size, at, wide, format);
    if (end % 16 != 0)
        usuba_unpack_b_column(blocks, image, size, at, narrow, format);
}
#endif

/* The first `count` blocks of `format` at `blocks` to registers. */
USUBA_INLINE void usuba_pack_b(void *registers, size_t size, const unsigned char *blocks, size_t count,
                               struct usuba_format format)
{
    size_t from = 0;
#if USUBA_VECTOR
    if (count == 8 * size)
        usuba_pack_b_vectors((unsigned char *)registers, size, blocks, count, format, 1);
    else
        usuba_pack_b_vectors((unsigned char *)registers, size, blocks, count, format, 0);
    from = usuba_vector_bytes_b(size, format);
#endif
    if (from < format.bytes)
        usuba_pack_b_words((unsigned char *)registers, size, blocks, count, format, from);
}

/* The first `count` instances of registers to blocks. */
USUBA_INLINE void usuba_unpack_b(unsigned char *blocks, size_t count, const void *registers, size_t size,
                                 struct usuba_format format)
{
    size_t from = 0;
#if USUBA_VECTOR
    if (count == 8 * size)
        usuba_unpack_b_vectors(blocks, count, (const unsigned char *)registers, size, format, 1);
    else
        usuba_unpack_b_vectors(blocks, count, (const unsigned char *)registers, size, format, 0);
    from = usuba_vector_bytes_b(size, format);
#endif
    if (from < format.bytes)
        usuba_unpack_b_words(blocks, count, (const unsigned char *)registers, size, format, from);
}

/* One block to the uniform form: width * words 64-bit words, zero or all ones. */
USUBA_INLINE void usuba_uniform_b(uint64_t *uniform, const unsigned char *block, struct usuba_format format)
{
    const size_t bits = format.width * format.words;
    size_t byte, shift;
    for (byte = 0; byte < format.bytes; byte++) {
        for (shift = 0; shift < 8; shift++) {
            const size_t bit = usuba_bit_number(format, byte, shift);
            if (bit < bits)
                uniform[bit] = 0 - (uint64_t)(block[byte] >> shift & 1);
        }
    }
}

/* And back, from the least significant bit of each word: the one instance of a register image on 64-bit registers. */
USUBA_INLINE void usuba_bytes_b(unsigned char *block, const uint64_t *uniform, struct usuba_format format)
{
    const size_t bits = format.width * format.words;
    size_t byte, shift;
    for (byte = 0; byte < format.bytes; byte++) {
        unsigned value = 0;
        for (shift = 0; shift < 8; shift++) {
            const size_t bit = usuba_bit_number(format, byte, shift);
            if (bit < bits)
                value |= (unsigned)(uniform[bit] & 1) << shift;
        }
        block[byte] = (unsigned char)value;
    }
}

#endif
