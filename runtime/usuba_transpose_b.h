/* usuba_transpose_b.h - bitslicing: a register per bit. */
#ifndef USUBA_TRANSPOSE_B_H
#define USUBA_TRANSPOSE_B_H

#include "usuba_masks.h"
#include "usuba_output.h"

/* Exchanges bit p of rows[j] with bit j of rows[p]: blocks of 32 bits, then of 16, and so on. */
USUBA_STATIC void usuba_transpose64(uint64_t rows[64])
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

/* Blocks of `format`, one for each instance, to registers; of each block the bytes from `from` on, by 64-bit words. */
USUBA_INLINE void usuba_pack_b(void *registers, size_t size, const unsigned char *blocks, struct usuba_format format,
                               size_t from)
{
    unsigned char *image = (unsigned char *)registers;
    const size_t bits = format.width * format.words;
    size_t group, at, j, p;
    for (group = 0; group < size / 8; group++) {
        for (at = from; at < format.bytes; at += 8) {
            const size_t part = format.bytes - at < 8 ? format.bytes - at : 8;
            uint64_t rows[64];
            for (j = 0; j < 64; j++) {
                const size_t block = usuba_block_of(64 * group + j, 8 * size, size, format.bytes);
                rows[j] = usuba_load_part(blocks + block * format.bytes + at, part);
            }
            usuba_transpose64(rows);
            for (p = 0; p < 8 * part; p++) {
                const size_t bit = usuba_bit_number(format, at + p / 8, p % 8);
                if (bit < bits)
                    usuba_store64(image + bit * size + 8 * group, rows[p]);
            }
        }
    }
}

/* The reverse. */
USUBA_INLINE void usuba_unpack_b(struct usuba_output blocks, const void *registers, size_t size, struct usuba_format format,
                                 size_t from)
{
    const unsigned char *image = (const unsigned char *)registers;
    const size_t bits = format.width * format.words;
    size_t group, at, j, p;
    for (group = 0; group < size / 8; group++) {
        for (at = from; at < format.bytes; at += 8) {
            const size_t part = format.bytes - at < 8 ? format.bytes - at : 8;
            uint64_t rows[64];
            for (p = 0; p < 64; p++) {
                const size_t bit = p < 8 * part ? usuba_bit_number(format, at + p / 8, p % 8) : bits;
                rows[p] = bit < bits ? usuba_load64(image + bit * size + 8 * group) : 0;
            }
            usuba_transpose64(rows);
            for (j = 0; j < 64; j++) {
                const size_t block = usuba_block_of(64 * group + j, 8 * size, size, format.bytes);
                usuba_output_part(usuba_output_at(blocks, block * format.bytes + at), rows[j], part);
            }
        }
    }
}

/* One block to width * words masks of `element` bytes, zero or all ones: those of the uniform form, or registers of which all
 * instances are the same. */
USUBA_INLINE void usuba_uniform_b(void *uniform, size_t element, const unsigned char *block, struct usuba_format format)
{
    usuba_masks(uniform, element, block, format);
}

/* And back, from words in which all instances are the same: the register image on 64-bit registers of one key. */
USUBA_INLINE void usuba_bytes_b(unsigned char *block, const uint64_t *uniform, struct usuba_format format)
{
    const size_t bits = format.width * format.words;
    size_t byte, shift;
    if (format.order == USUBA_BIG && bits == 8 * format.bytes) {
        for (byte = 0; byte < format.bytes; byte++) {
            const uint64_t *at = uniform + 8 * byte;
            block[byte] = (unsigned char)((at[0] & 128) | (at[1] & 64) | (at[2] & 32) | (at[3] & 16) | (at[4] & 8) |
                                          (at[5] & 4) | (at[6] & 2) | (at[7] & 1));
        }
        return;
    }
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
