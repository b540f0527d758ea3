/* usuba_masks.h - one block as masks: for every bit an element that is all zeros or all ones.
 *
 * It is how bitsliced and horizontal kernels read what is the same for all instances. Keys are made masks whenever a call begins,
 * so this goes eight bits at a time: a sum of a byte with itself in eight places, or a comparison of vectors. */
#ifndef USUBA_MASKS_H
#define USUBA_MASKS_H

#include "usuba_cells.h"

#if defined(__GNUC__) || defined(__clang__)
/* Vectors that every machine has which has any, and wider ones. What is too wide compilers take apart badly. */
typedef uint8_t usuba_masks_1 __attribute__((vector_size(16)));
typedef uint16_t usuba_masks_2 __attribute__((vector_size(16)));
typedef uint32_t usuba_masks_4 __attribute__((vector_size(16)));
typedef uint32_t usuba_masks_32 __attribute__((vector_size(32)));
typedef uint64_t usuba_masks_8 __attribute__((vector_size(64)));

/* All ones in elements of `x` that have the bit that the element of `ones` is, zeros in the others; `type` has 8 << `log` bits. Clang
 * warns of comparisons of AltiVec's vectors, whose type is to change: there the bit goes up to the sign, and down again. */
#if defined(__ALTIVEC__)
typedef int8_t usuba_signs_0 __attribute__((vector_size(16)));
typedef int16_t usuba_signs_1 __attribute__((vector_size(16)));
typedef int32_t usuba_signs_2 __attribute__((vector_size(16)));
#define USUBA_MASKS(type, log, x, ones) \
    ((type)((usuba_signs_##log)(((x) & (ones)) | ((type){ 0 } - ((x) & (ones)))) >> ((8 << log) - 1)))
#else
#define USUBA_MASKS(type, log, x, ones) ((type)(((x) & (ones)) == (ones)))
#endif
#endif

/* Lowest bits of bytes to bytes of all zeros or all ones. */
USUBA_INLINE uint64_t usuba_whole_bytes(uint64_t x)
{
    return (x & 0x0101010101010101u) * 255;
}

/* The bits of a byte, from the most significant, to eight masks of `element` bytes. */
USUBA_INLINE void usuba_masks_of_byte(unsigned char *to, size_t element, unsigned char byte)
{
    size_t i;
#if defined(__GNUC__) || defined(__clang__)
    if (element == 2) {
        static const usuba_masks_2 bits = { 128, 64, 32, 16, 8, 4, 2, 1 };
        const usuba_masks_2 masks = USUBA_MASKS(usuba_masks_2, 1, byte, bits);
        memcpy(to, &masks, sizeof masks);
        return;
    }
#if defined(__AVX512F__)
    if (element == 8) {
        static const usuba_masks_8 bits = { 128, 64, 32, 16, 8, 4, 2, 1 };
        const usuba_masks_8 masks = (usuba_masks_8)((bits & byte) == bits);
        memcpy(to, &masks, sizeof masks);
        return;
    }
#endif
#if defined(__AVX2__)
    if (element == 4 || element == 8) {
        static const usuba_masks_32 by_4 = { 128, 64, 32, 16, 8, 4, 2, 1 },
                                    by_8[2] = { { 128, 128, 64, 64, 32, 32, 16, 16 }, { 8, 8, 4, 4, 2, 2, 1, 1 } };
        for (i = 0; i < element / 4; i++) {
            const usuba_masks_32 bits = element == 4 ? by_4 : by_8[i];
            const usuba_masks_32 masks = (usuba_masks_32)((bits & byte) == bits);
            memcpy(to + 32 * i, &masks, sizeof masks);
        }
        return;
    }
#endif
    if (element == 4 || element == 8) {
        /* A mask of 8 bytes is two lanes. */
        static const usuba_masks_4 by_4[2] = { { 128, 64, 32, 16 }, { 8, 4, 2, 1 } },
                                   by_8[4] = { { 128, 128, 64, 64 }, { 32, 32, 16, 16 }, { 8, 8, 4, 4 }, { 2, 2, 1, 1 } };
        for (i = 0; i < element / 2; i++) {
            const usuba_masks_4 bits = element == 4 ? by_4[i & 1] : by_8[i];
            const usuba_masks_4 masks = USUBA_MASKS(usuba_masks_4, 2, byte, bits);
            memcpy(to + 16 * i, &masks, sizeof masks);
        }
        return;
    }
#endif
    if (element == 1) {
        /* What is set in its place carries to the top bit of that byte, and no further. */
        const uint64_t placed = (uint64_t)byte * 0x0101010101010101u & 0x0102040810204080u;
        usuba_store64(to, usuba_whole_bytes((placed + 0x7f7e7c7870604000u) >> 7));
        return;
    }
    for (i = 0; i < 8; i++)
        memset(to + i * element, 0 - (byte >> (7 - i) & 1), element);
}

/* The same for a word of `width` bits. */
USUBA_INLINE void usuba_masks_of_word(unsigned char *to, size_t element, uint64_t word, size_t width)
{
    size_t at;
    for (at = 0; at + 8 <= width; at += 8)
        usuba_masks_of_byte(to + at * element, element, (unsigned char)(word >> (width - 8 - at)));
    if (at < width) {
        unsigned char last[8 * 32];
        usuba_masks_of_byte(last, element, (unsigned char)(word << (8 - (width - at))));
        memcpy(to + at * element, last, (width - at) * element);
    }
}

/* Sixteen cells of 8 bits to masks of single bytes. */
USUBA_INLINE void usuba_masks_of_bytes(unsigned char *to, const unsigned char *cells, size_t width)
{
    size_t k;
#if defined(__GNUC__) || defined(__clang__)
    usuba_masks_1 x;
    memcpy(&x, cells, sizeof x);
    for (k = 0; k < 8; k++) {
        const usuba_masks_1 one = (usuba_masks_1){ 0 } + (uint8_t)(128 >> k), masks = USUBA_MASKS(usuba_masks_1, 0, x, one);
        memcpy(to + k * width, &masks, sizeof masks);
    }
#else
    for (k = 0; k < 8; k++) {
        usuba_store64(to + k * width, usuba_whole_bytes(usuba_load64(cells) >> (7 - k)));
        usuba_store64(to + k * width + 8, usuba_whole_bytes(usuba_load64(cells + 8) >> (7 - k)));
    }
#endif
}

/* Eight cells of 4 bits to masks of single bytes. */
USUBA_INLINE void usuba_masks_of_nibbles(unsigned char *to, const unsigned char *cells, size_t width)
{
    uint64_t x = usuba_load_part(cells, 4);
    size_t k;
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x >> 4 | x << 8) & 0x0f0f0f0f0f0f0f0fu;
    for (k = 0; k < 4; k++)
        usuba_store64(to + k * width, usuba_whole_bytes(x >> (3 - k)));
}

/* One block to masks of `element` bytes, by the number of the bit: words from the first, each from its most significant bit. */
USUBA_INLINE void usuba_masks(void *uniform, size_t element, const unsigned char *block, struct usuba_format format)
{
    unsigned char *to = (unsigned char *)uniform;
    const size_t m = format.width, bits = m * format.words, cell = usuba_cell_bits(format);
    const size_t bytes = usuba_group_bytes(format);
    size_t at, group, k, shift;
    if (format.order == USUBA_PLANES && element == 1 && m % 16 == 0) {
        for (group = 0; group < format.words / cell; group++)
            for (at = 0; at < m; at += 16)
                usuba_masks_of_bytes(to + group * cell * m + at, block + group * bytes + at, m);
        return;
    }
    if (format.order == USUBA_NIBBLES && element == 1 && m % 8 == 0) {
        for (group = 0; group < format.words / cell; group++)
            for (at = 0; at < m; at += 8)
                usuba_masks_of_nibbles(to + group * cell * m + at, block + group * bytes + at / 2, m);
        return;
    }
    if (usuba_cells_at_once(format) != 0) {
        for (group = 0; group < format.words / cell; group++) {
            uint64_t planes[8];
            usuba_load_planes(planes, block, group, format);
            for (k = 0; k < cell; k++)
                usuba_masks_of_word(to + (group * cell + k) * m * element, element, planes[k], m);
        }
        return;
    }
    if (format.order == USUBA_BIG && bits == 8 * format.bytes) {
        for (at = 0; at < format.bytes; at++)
            usuba_masks_of_byte(to + 8 * at * element, element, block[at]);
        return;
    }
    if (format.order == USUBA_LITTLE && m % 8 == 0) {
        for (at = 0; at < format.bytes; at++)
            usuba_masks_of_byte(to + usuba_bit_number(format, at, 7) * element, element, block[at]);
        return;
    }
    for (at = 0; at < format.bytes; at++) {
        for (shift = 0; shift < 8; shift++) {
            const size_t bit = usuba_bit_number(format, at, shift);
            if (bit < bits)
                memset(to + bit * element, 0 - (block[at] >> shift & 1), element);
        }
    }
}

#endif
