/* usuba_transpose_v.h - vertical slicing: a register per word, a lane per instance. */
#ifndef USUBA_TRANSPOSE_V_H
#define USUBA_TRANSPOSE_V_H

#include "usuba_vector.h"

/* ---- V: `registers` is `words` registers of `size` bytes, with lanes of `lane` bytes, 8 * lane >= width. ---- */

/* Words of 2, 4 or 8 bytes of either order, written so that compilers see one load or store. */
USUBA_INLINE uint64_t usuba_load_sized(const unsigned char *p, size_t bytes, int big)
{
    if (bytes == 2)
        return big ? (uint64_t)p[0] << 8 | p[1] : (uint64_t)p[1] << 8 | p[0];
    if (bytes == 4)
        return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
                   : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
    return big ? usuba_load64_big(p) : usuba_load64(p);
}

USUBA_INLINE void usuba_store_sized(unsigned char *p, uint64_t x, size_t bytes, int big)
{
    if (bytes == 2) {
        p[0] = (unsigned char)(big ? x >> 8 : x);
        p[1] = (unsigned char)(big ? x : x >> 8);
    } else if (bytes == 4) {
        p[0] = (unsigned char)(big ? x >> 24 : x);
        p[1] = (unsigned char)(big ? x >> 16 : x >> 8);
        p[2] = (unsigned char)(big ? x >> 8 : x >> 16);
        p[3] = (unsigned char)(big ? x : x >> 24);
    } else if (big) {
        usuba_store64_big(p, x);
    } else {
        usuba_store64(p, x);
    }
}

/* Word number `word` of a block: width <= 64. */
USUBA_INLINE uint64_t usuba_load_word(const unsigned char *block, size_t word, struct usuba_format format)
{
    const size_t m = format.width, bytes = m / 8;
    uint64_t value = 0;
    size_t i;
    if (format.order == USUBA_PLANES) {
        const unsigned char *p = block + word / 8 * m;
        for (i = 0; i < m; i++)
            value = value << 1 | (uint64_t)(p[i] >> (7 - word % 8) & 1);
    } else if (m % 8 != 0) {
        for (i = 0; i < m; i++) {
            const size_t bit = word * m + i;
            const size_t shift = format.order == USUBA_BIG ? 7 - bit % 8 : bit % 8;
            value = value << 1 | (uint64_t)(block[bit / 8] >> shift & 1);
        }
    } else if (m == 16 || m == 32 || m == 64) {
        value = usuba_load_sized(block + word * bytes, bytes, format.order == USUBA_BIG);
    } else if (format.order == USUBA_BIG) {
        for (i = 0; i < bytes; i++)
            value |= (uint64_t)block[word * bytes + i] << (8 * (bytes - 1 - i));
    } else {
        for (i = 0; i < bytes; i++)
            value |= (uint64_t)block[word * bytes + i] << (8 * i);
    }
    return value;
}

/* Writes word number `word`; where words share bytes, the block must have been zero. */
USUBA_INLINE void usuba_store_word(unsigned char *block, size_t word, uint64_t value, struct usuba_format format)
{
    const size_t m = format.width, bytes = m / 8;
    size_t i;
    if (format.order == USUBA_PLANES) {
        unsigned char *p = block + word / 8 * m;
        for (i = 0; i < m; i++)
            p[i] = (unsigned char)(p[i] | (value >> (m - 1 - i) & 1) << (7 - word % 8));
    } else if (m % 8 != 0) {
        for (i = 0; i < m; i++) {
            const size_t bit = word * m + i;
            const size_t shift = format.order == USUBA_BIG ? 7 - bit % 8 : bit % 8;
            block[bit / 8] = (unsigned char)(block[bit / 8] | (value >> (m - 1 - i) & 1) << shift);
        }
    } else if (m == 16 || m == 32 || m == 64) {
        usuba_store_sized(block + word * bytes, value, bytes, format.order == USUBA_BIG);
    } else if (format.order == USUBA_BIG) {
        for (i = 0; i < bytes; i++)
            block[word * bytes + i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
    } else {
        for (i = 0; i < bytes; i++)
            block[word * bytes + i] = (unsigned char)(value >> (8 * i));
    }
}

/* A lane in the byte order of the machine. */
USUBA_INLINE void usuba_store_lane(unsigned char *p, uint64_t value, size_t lane)
{
    if (lane == 1) {
        p[0] = (unsigned char)value;
    } else if (lane == 2) {
        const uint16_t x = (uint16_t)value;
        memcpy(p, &x, sizeof x);
    } else if (lane == 4) {
        const uint32_t x = (uint32_t)value;
        memcpy(p, &x, sizeof x);
    } else {
        memcpy(p, &value, sizeof value);
    }
}

USUBA_INLINE uint64_t usuba_load_lane(const unsigned char *p, size_t lane)
{
    if (lane == 1) {
        return p[0];
    } else if (lane == 2) {
        uint16_t x;
        memcpy(&x, p, sizeof x);
        return x;
    } else if (lane == 4) {
        uint32_t x;
        memcpy(&x, p, sizeof x);
        return x;
    } else {
        uint64_t x;
        memcpy(&x, p, sizeof x);
        return x;
    }
}

/* Word by word. */
USUBA_INLINE void usuba_pack_v_words(void *registers, size_t size, size_t lane, const unsigned char *blocks, size_t count,
                                     struct usuba_format format)
{
    unsigned char *image = (unsigned char *)registers;
    size_t j, word;
    if (count < size / lane)
        memset(image, 0, format.words * size);
    for (word = 0; word < format.words; word++) {
        for (j = 0; j < count; j++)
            usuba_store_lane(image + word * size + j * lane, usuba_load_word(blocks + j * format.bytes, word, format),
                             lane);
    }
}

USUBA_INLINE void usuba_unpack_v_words(unsigned char *blocks, size_t count, const void *registers, size_t size, size_t lane,
                                       struct usuba_format format)
{
    const unsigned char *image = (const unsigned char *)registers;
    size_t j, word;
    if (format.order == USUBA_PLANES || format.width % 8 != 0)
        memset(blocks, 0, count * format.bytes);
    for (j = 0; j < count; j++) {
        for (word = 0; word < format.words; word++)
            usuba_store_word(blocks + j * format.bytes, word,
                             usuba_load_lane(image + word * size + j * lane, lane), format);
    }
}

#if USUBA_VECTOR
/* Whether vectors do it: words as wide as lanes, in pieces of 8 bytes. */
USUBA_INLINE int usuba_has_vectors_v(size_t size, size_t lane, struct usuba_format format)
{
    const int known = size == 16 || (size == 32 && USUBA_VECTOR >= 32) || (size == 64 && USUBA_VECTOR >= 64);
    return known && 8 * lane == format.width && format.order != USUBA_PLANES && format.bytes % 8 == 0;
}

USUBA_INLINE void usuba_pack_v_column(unsigned char *image, size_t size, size_t lane, const unsigned char *blocks,
                                      size_t at, struct usuba_column column, int reverse)
{
    if (size == 16)
        usuba_pack_v_16(image, blocks, at, column, lane, reverse);
#if USUBA_VECTOR >= 32
    if (size == 32)
        usuba_pack_v_32(image, blocks, at, column, lane, reverse);
#endif
#if USUBA_VECTOR >= 64
    if (size == 64)
        usuba_pack_v_64(image, blocks, at, column, lane, reverse);
#endif
}

USUBA_INLINE void usuba_pack_v_vectors(unsigned char *image, size_t size, size_t lane, const unsigned char *blocks,
                                       size_t count, struct usuba_format format, int full)
{
    const struct usuba_column wide = { format.bytes, 16, count, full }, narrow = { format.bytes, 8, count, full };
    const int reverse = lane > 1 && (format.order == USUBA_BIG) != USUBA_BIG_ENDIAN;
    size_t at;
    for (at = 0; at + 16 <= format.bytes; at += 16)
        usuba_pack_v_column(image, size, lane, blocks, at, wide, reverse);
    if (at < format.bytes)
        usuba_pack_v_column(image, size, lane, blocks, at, narrow, reverse);
}

USUBA_INLINE void usuba_unpack_v_column(unsigned char *blocks, const unsigned char *image, size_t size, size_t lane,
                                        size_t at, struct usuba_column column, int reverse)
{
    if (size == 16)
        usuba_unpack_v_16(blocks, image, at, column, lane, reverse);
#if USUBA_VECTOR >= 32
    if (size == 32)
        usuba_unpack_v_32(blocks, image, at, column, lane, reverse);
#endif
#if USUBA_VECTOR >= 64
    if (size == 64)
        usuba_unpack_v_64(blocks, image, at, column, lane, reverse);
#endif
}

USUBA_INLINE void usuba_unpack_v_vectors(unsigned char *blocks, const unsigned char *image, size_t size, size_t lane,
                                         size_t count, struct usuba_format format, int full)
{
    const struct usuba_column wide = { format.bytes, 16, count, full }, narrow = { format.bytes, 8, count, full };
    const int reverse = lane > 1 && (format.order == USUBA_BIG) != USUBA_BIG_ENDIAN;
    size_t at;
    for (at = 0; at + 16 <= format.bytes; at += 16)
        usuba_unpack_v_column(blocks, image, size, lane, at, wide, reverse);
    if (at < format.bytes)
        usuba_unpack_v_column(blocks, image, size, lane, at, narrow, reverse);
}

#endif

/* The first `count` blocks to registers of size / lane instances. */
USUBA_INLINE void usuba_pack_v(void *registers, size_t size, size_t lane, const unsigned char *blocks, size_t count,
                               struct usuba_format format)
{
#if USUBA_VECTOR
    if (usuba_has_vectors_v(size, lane, format)) {
        if (count == size / lane)
            usuba_pack_v_vectors((unsigned char *)registers, size, lane, blocks, count, format, 1);
        else
            usuba_pack_v_vectors((unsigned char *)registers, size, lane, blocks, count, format, 0);
        return;
    }
#endif
    usuba_pack_v_words(registers, size, lane, blocks, count, format);
}

/* The first `count` instances of registers to blocks. */
USUBA_INLINE void usuba_unpack_v(unsigned char *blocks, size_t count, const void *registers, size_t size, size_t lane,
                                 struct usuba_format format)
{
#if USUBA_VECTOR
    if (usuba_has_vectors_v(size, lane, format)) {
        if (count == size / lane)
            usuba_unpack_v_vectors(blocks, (const unsigned char *)registers, size, lane, count, format, 1);
        else
            usuba_unpack_v_vectors(blocks, (const unsigned char *)registers, size, lane, count, format, 0);
        return;
    }
#endif
    usuba_unpack_v_words(blocks, count, registers, size, lane, format);
}

/* One block to the uniform form: `words` words of `lane` bytes. */
USUBA_INLINE void usuba_uniform_v(void *uniform, size_t lane, const unsigned char *block, struct usuba_format format)
{
    usuba_pack_v(uniform, lane, lane, block, 1, format);
}

/* And back. */
USUBA_INLINE void usuba_bytes_v(unsigned char *block, const void *uniform, size_t lane, struct usuba_format format)
{
    usuba_unpack_v(block, 1, uniform, lane, lane, format);
}

#endif
