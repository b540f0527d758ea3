/* usuba_interleave.h - horizontal slicing in integers: an integer of 64 bits per word, the words of several instances
 * interleaved bit by bit. */
#ifndef USUBA_INTERLEAVE_H
#define USUBA_INTERLEAVE_H

#include "usuba_transpose_v.h"

/* Words of a batch, one behind the other, to and from their interleaved form. */
USUBA_INLINE uint64_t usuba_interleave(uint64_t x, size_t batch)
{
    return usuba_rotate_numbers(x, 6, usuba_log2(batch));
}

USUBA_INLINE uint64_t usuba_uninterleave(uint64_t x, size_t batch)
{
    return usuba_rotate_numbers(x, 6, 6 - usuba_log2(batch));
}

/* `batch` blocks in the natural order, `apart` bytes apart, to integers: format.width * batch = 64 = 8 * size. */
USUBA_INLINE void usuba_pack_interleaved_from(unsigned char *image, size_t size, size_t batch, const unsigned char *blocks,
                                              size_t apart, struct usuba_format format)
{
    const size_t part = usuba_words_at_once(format);
    size_t word, j, k;
    for (word = 0; word < format.words; word += part) {
        uint64_t x[8] = { 0 }, words[8];
        for (j = 0; j < batch; j++) {
            usuba_load_words(words, blocks + j * apart, word, format);
            for (k = 0; k < part; k++)
                x[k] |= words[k] << (j * format.width);
        }
        for (k = 0; k < part; k++)
            usuba_store_lane(image + (word + k) * size, usuba_interleave(x[k], batch), size);
    }
}

/* Those of so many blocks, one behind the other. */
USUBA_INLINE void usuba_pack_interleaved(void *registers, size_t size, size_t batch, const unsigned char *blocks,
                                         struct usuba_format format)
{
    usuba_pack_interleaved_from((unsigned char *)registers, size, batch, blocks, format.bytes, format);
}

/* The reverse. */
USUBA_INLINE void usuba_unpack_interleaved(struct usuba_output blocks, const void *registers, size_t size, size_t batch,
                                           struct usuba_format format)
{
    const unsigned char *image = (const unsigned char *)registers;
    const uint64_t ones = UINT64_MAX >> (64 - format.width);
    const size_t cell = usuba_cell_bits(format);
    size_t group, word, j, k;
    if (usuba_cells_at_once(format) != 0) {
        for (group = 0; group < format.words / cell; group++) {
            uint64_t x[8], planes[8];
            for (k = 0; k < cell; k++)
                x[k] = usuba_uninterleave(usuba_load_lane(image + (group * cell + k) * size, size), batch);
            for (j = 0; j < batch; j++) {
                for (k = 0; k < cell; k++)
                    planes[k] = x[k] >> (j * format.width);
                usuba_output_planes(usuba_output_at(blocks, j * format.bytes), group, planes, format);
            }
        }
        return;
    }
    usuba_begin_words(blocks, batch * format.bytes, format);
    for (word = 0; word < format.words; word++) {
        const uint64_t x = usuba_uninterleave(usuba_load_lane(image + word * size, size), batch);
        for (j = 0; j < batch; j++)
            usuba_output_word(usuba_output_at(blocks, j * format.bytes), word, x >> (j * format.width) & ones, format);
    }
}

/* One block to the uniform form: an integer in which all instances are the same. */
USUBA_INLINE void usuba_uniform_interleaved(uint64_t *uniform, size_t batch, const unsigned char *block,
                                            struct usuba_format format)
{
    usuba_pack_interleaved_from((unsigned char *)uniform, sizeof *uniform, batch, block, 0, format);
}

#endif
