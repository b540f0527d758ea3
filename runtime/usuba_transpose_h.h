/* usuba_transpose_h.h - horizontal slicing: a register per word, an element per bit. */
#ifndef USUBA_TRANSPOSE_H_H
#define USUBA_TRANSPOSE_H_H

#include "usuba_masks.h"
#include "usuba_output.h"

/* Exchanges bit t of byte i of words[j] with bit j of byte i of words[t], for each of the 8 bytes. */
USUBA_INLINE void usuba_transpose8(uint64_t words[8])
{
    static const uint64_t masks[3] = { 0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu };
    unsigned stage, k;
    for (stage = 0; stage < 3; stage++) {
        const unsigned shift = 1u << stage;
        for (k = 0; k < 8; k = ((k | shift) + 1) & ~shift) {
            const uint64_t t = (words[k] >> shift ^ words[k | shift]) & masks[stage];
            words[k] ^= t << shift;
            words[k | shift] ^= t;
        }
    }
}

/* ---- H: `registers` is `words` registers of `size` bytes, chunks of `width` elements of `batch` bits. ---- */

/* Where in a register image byte `group` (8 instances) of a bit is. */
USUBA_INLINE size_t usuba_place_h(size_t bit, size_t group, size_t size, size_t batch, struct usuba_format format)
{
    const size_t element = batch / 8, chunk = format.width * element;
    return bit / format.width * size + group / element * chunk + bit % format.width * element + group % element;
}

/* Blocks of `format`, one for each of 8 * size / width instances, to registers: by groups of 8 instances and 8 bytes. */
USUBA_INLINE void usuba_pack_h(void *registers, size_t size, size_t batch, const unsigned char *blocks,
                               struct usuba_format format)
{
    unsigned char *image = (unsigned char *)registers;
    const size_t bits = format.width * format.words, instances = 8 * size / format.width;
    const int runs = format.order == USUBA_PLANES && batch == 8 && format.width % 8 == 0;
    size_t group, at, i, j, t;
    for (group = 0; group < instances / 8; group++) {
        USUBA_UNROLL
        for (at = 0; at < format.bytes; at += 8) {
            const size_t part = format.bytes - at < 8 ? format.bytes - at : 8;
            uint64_t words[8];
            USUBA_UNROLL
            for (j = 0; j < 8; j++) {
                const size_t block = usuba_block_of(8 * group + j, instances, size, format.bytes);
                words[j] = usuba_load_part(blocks + block * format.bytes + at, part);
            }
            usuba_transpose8(words);
            USUBA_UNROLL
            for (t = 0; t < 8; t++) {
                if (runs) {
                    /* Bit t of 8 consecutive bytes: 8 consecutive elements of one atom. */
                    const size_t bit = usuba_bit_number(format, at, t);
                    usuba_store64(image + usuba_place_h(bit, group, size, batch, format), words[t]);
                    continue;
                }
                USUBA_UNROLL
                for (i = 0; i < part; i++) {
                    const size_t bit = usuba_bit_number(format, at + i, t);
                    if (bit < bits)
                        image[usuba_place_h(bit, group, size, batch, format)] = (unsigned char)(words[t] >> (8 * i));
                }
            }
        }
    }
}

/* The reverse. */
USUBA_INLINE void usuba_unpack_h(struct usuba_output blocks, const void *registers, size_t size, size_t batch,
                                 struct usuba_format format)
{
    const unsigned char *image = (const unsigned char *)registers;
    const size_t bits = format.width * format.words, instances = 8 * size / format.width;
    const int runs = format.order == USUBA_PLANES && batch == 8 && format.width % 8 == 0;
    size_t group, at, i, j, t;
    for (group = 0; group < instances / 8; group++) {
        USUBA_UNROLL
        for (at = 0; at < format.bytes; at += 8) {
            const size_t part = format.bytes - at < 8 ? format.bytes - at : 8;
            uint64_t words[8];
            USUBA_UNROLL
            for (t = 0; t < 8; t++) {
                words[t] = 0;
                if (runs) {
                    const size_t bit = usuba_bit_number(format, at, t);
                    words[t] = usuba_load64(image + usuba_place_h(bit, group, size, batch, format));
                    continue;
                }
                USUBA_UNROLL
                for (i = 0; i < part; i++) {
                    const size_t bit = usuba_bit_number(format, at + i, t);
                    if (bit < bits)
                        words[t] |= (uint64_t)image[usuba_place_h(bit, group, size, batch, format)] << (8 * i);
                }
            }
            usuba_transpose8(words);
            USUBA_UNROLL
            for (j = 0; j < 8; j++) {
                const size_t block = usuba_block_of(8 * group + j, instances, size, format.bytes);
                usuba_output_part(usuba_output_at(blocks, block * format.bytes + at), words[j], part);
            }
        }
    }
}

/* One block to the uniform form: `words` chunks of width * batch / 8 bytes, each element all zeros or all ones. */
USUBA_INLINE void usuba_uniform_h(void *uniform, size_t batch, const unsigned char *block, struct usuba_format format)
{
    usuba_masks(uniform, batch / 8, block, format);
}

#endif
