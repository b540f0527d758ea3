/* usuba_transpose_v.h - vertical slicing: a register per word, a lane per instance. */
#ifndef USUBA_TRANSPOSE_V_H
#define USUBA_TRANSPOSE_V_H

#include "usuba_cells.h"

/* ---- V: `registers` is `words` registers of `size` bytes, with lanes of `lane` bytes, 8 * lane >= width. ---- */

/* Words of 2, 4 or 8 bytes of either order, written so that compilers see one load or store. Of four stores of bytes in a loop GCC
 * makes moves between vectors, ten times as slow. */
USUBA_INLINE uint64_t usuba_load_sized(const unsigned char *p, size_t bytes, int big)
{
    if (bytes == 2)
        return big ? (uint64_t)p[0] << 8 | p[1] : (uint64_t)p[1] << 8 | p[0];
    if (bytes == 4)
        return big ? usuba_swap32(usuba_load32(p)) : usuba_load32(p);
    return big ? usuba_load64_big(p) : usuba_load64(p);
}

USUBA_INLINE void usuba_store_sized(unsigned char *p, uint64_t x, size_t bytes, int big)
{
    if (bytes == 2) {
        p[0] = (unsigned char)(big ? x >> 8 : x);
        p[1] = (unsigned char)(big ? x : x >> 8);
    } else if (bytes == 4) {
        usuba_store32(p, big ? usuba_swap32((uint32_t)x) : (uint32_t)x);
    } else if (big) {
        usuba_store64_big(p, x);
    } else {
        usuba_store64(p, x);
    }
}

/* Word number `word` of a block: width <= 64. */
USUBA_INLINE uint64_t usuba_load_word(const unsigned char *block, size_t word, struct usuba_format format)
{
    const size_t m = format.width, bytes = m / 8, cell_bits = usuba_cell_bits(format);
    uint64_t value = 0;
    size_t i;
    if (cell_bits != 0) {
        for (i = 0; i < m; i++) {
            const size_t bit = (word / cell_bits * m + i) * cell_bits + word % cell_bits;
            value = value << 1 | (uint64_t)(block[bit / 8] >> (7 - bit % 8) & 1);
        }
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

/* Word number `word` and those that are loaded with it: usuba_words_at_once(format), of which `word` is a multiple. */
USUBA_INLINE void usuba_load_words(uint64_t words[8], const unsigned char *block, size_t word, struct usuba_format format)
{
    if (usuba_words_at_once(format) == 1)
        words[0] = usuba_load_word(block, word, format);
    else
        usuba_load_planes(words, block, word / usuba_words_at_once(format), format);
}

/* Writes word number `word`; where words share bytes, it is added to what is there. */
USUBA_INLINE void usuba_store_word(unsigned char *block, size_t word, uint64_t value, struct usuba_format format)
{
    const size_t m = format.width, bytes = m / 8, cell_bits = usuba_cell_bits(format);
    size_t i;
    if (cell_bits != 0) {
        for (i = 0; i < m; i++) {
            const size_t bit = (word / cell_bits * m + i) * cell_bits + word % cell_bits;
            block[bit / 8] = (unsigned char)(block[bit / 8] ^ (value >> (m - 1 - i) & 1) << (7 - bit % 8));
        }
    } else if (m % 8 != 0) {
        for (i = 0; i < m; i++) {
            const size_t bit = word * m + i;
            const size_t shift = format.order == USUBA_BIG ? 7 - bit % 8 : bit % 8;
            block[bit / 8] = (unsigned char)(block[bit / 8] ^ (value >> (m - 1 - i) & 1) << shift);
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

/* Whether words share bytes. */
USUBA_INLINE int usuba_are_shared(struct usuba_format format)
{
    return usuba_cell_bits(format) != 0 || format.width % 8 != 0;
}

/* Word by word, output begins with this, for `size` bytes of blocks; then come all words, in any order. */
USUBA_INLINE void usuba_begin_words(struct usuba_output blocks, size_t size, struct usuba_format format)
{
    if (!usuba_are_shared(format))
        return;
    if (blocks.with == NULL)
        memset(blocks.to, 0, size);
    else if (blocks.with != blocks.to)
        memcpy(blocks.to, blocks.with, size);
}

USUBA_INLINE void usuba_output_word(struct usuba_output block, size_t word, uint64_t value, struct usuba_format format)
{
    if (!usuba_are_shared(format) && block.with != NULL)
        value ^= usuba_load_word(block.with, word, format);
    usuba_store_word(block.to, word, value, format);
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

/* Blocks of `format`, one for each of size / lane instances, to registers: word by word, or group by group of planes. */
USUBA_INLINE void usuba_pack_v(void *registers, size_t size, size_t lane, const unsigned char *blocks,
                               struct usuba_format format)
{
    unsigned char *image = (unsigned char *)registers;
    const size_t part = usuba_words_at_once(format);
    uint64_t words[8];
    size_t j, word, k;
    for (word = 0; word < format.words; word += part) {
        for (j = 0; j < size / lane; j++) {
            const size_t block = usuba_block_of(j, size / lane, size, format.bytes);
            usuba_load_words(words, blocks + block * format.bytes, word, format);
            for (k = 0; k < part; k++)
                usuba_store_lane(image + (word + k) * size + j * lane, words[k], lane);
        }
    }
}

/* The reverse. */
USUBA_INLINE void usuba_unpack_v(struct usuba_output blocks, const void *registers, size_t size, size_t lane,
                                 struct usuba_format format)
{
    const unsigned char *image = (const unsigned char *)registers;
    const size_t cell = usuba_cell_bits(format);
    uint64_t planes[8];
    size_t j, k, group, word;
    if (usuba_cells_at_once(format) != 0) {
        for (j = 0; j < size / lane; j++) {
            const size_t block = usuba_block_of(j, size / lane, size, format.bytes);
            for (group = 0; group < format.words / cell; group++) {
                for (k = 0; k < cell; k++)
                    planes[k] = usuba_load_lane(image + (group * cell + k) * size + j * lane, lane);
                usuba_output_planes(usuba_output_at(blocks, block * format.bytes), group, planes, format);
            }
        }
        return;
    }
    usuba_begin_words(blocks, size / lane * format.bytes, format);
    for (j = 0; j < size / lane; j++) {
        const size_t block = usuba_block_of(j, size / lane, size, format.bytes);
        for (word = 0; word < format.words; word++)
            usuba_output_word(usuba_output_at(blocks, block * format.bytes), word,
                              usuba_load_lane(image + word * size + j * lane, lane), format);
    }
}

/* One block to the uniform form: `words` words of `lane` bytes. */
USUBA_INLINE void usuba_uniform_v(void *uniform, size_t lane, const unsigned char *block, struct usuba_format format)
{
    usuba_pack_v(uniform, lane, lane, block, format);
}

/* And back. */
USUBA_INLINE void usuba_bytes_v(unsigned char *block, const void *uniform, size_t lane, struct usuba_format format)
{
    usuba_unpack_v(usuba_output(block, NULL), uniform, lane, lane, format);
}

#endif
