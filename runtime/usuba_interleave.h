/* usuba_interleave.h - horizontal slicing in integers: an integer of 64 bits per word, the words of several instances
 * interleaved bit by bit. */
#ifndef USUBA_INTERLEAVE_H
#define USUBA_INTERLEAVE_H

#include "usuba_transpose_v.h"

/* Words of a batch, one behind the other, to and from their interleaved form. */
USUBA_INLINE uint64_t usuba_interleave(uint64_t x, size_t batch)
{
    return usuba_rotate_numbers(x, 0, 6, usuba_log2(batch));
}

USUBA_INLINE uint64_t usuba_uninterleave(uint64_t x, size_t batch)
{
    return usuba_rotate_numbers(x, 0, 6, 6 - usuba_log2(batch));
}

/* Bits of the place of a bit in its cell for those of the number of its integer, of `cell` = 4 or 8. */
USUBA_INLINE void usuba_exchange_cell_bits(uint64_t x[8], size_t cell)
{
    size_t k;
    uint64_t t;
    for (k = 0; k < cell; k += 2) {
        t = (x[k] >> 1 ^ x[k + 1]) & ~USUBA_NUMBERED(0);
        x[k] ^= t << 1;
        x[k + 1] ^= t;
    }
    for (k = 0; k < cell; k = ((k | 2) + 1) & ~(size_t)2) {
        t = (x[k] >> 2 ^ x[k | 2]) & ~USUBA_NUMBERED(1);
        x[k] ^= t << 2;
        x[k | 2] ^= t;
    }
    for (k = 0; k < 4 && cell == 8; k++) {
        t = (x[k] >> 4 ^ x[k + 4]) & ~USUBA_NUMBERED(2);
        x[k] ^= t << 4;
        x[k + 4] ^= t;
    }
}

/* A group of planes of a batch is as many integers as a cell has bits. Bytes of 64 bits, the first the most significant, of
 * block j are that integer of the cells whose number is, from its last bit, j and the part of the group counted from its end;
 * if a group is shorter, an integer has several blocks, and its number is the lower bits of theirs. The exchange makes the
 * number of an integer that of a plane, counted from the last, and leaves what it was in the place of the bit in the cell.
 * There is the block where it belongs; above it, in the numbers of bits, are a part and the cell in it, or cell and further
 * bits of the block, the wrong way round: `of` bits from bit `from` on are to be rotated. */
struct usuba_turn {
    unsigned from, of, steps;
};

USUBA_INLINE struct usuba_turn usuba_turn(size_t batch, struct usuba_format format)
{
    const unsigned cell_bits = usuba_log2(usuba_cell_bits(format)), block_bits = usuba_log2(batch);
    const struct usuba_turn whole = { block_bits, 6 - block_bits, 6 - cell_bits },
                            shared = { cell_bits, 6 - cell_bits, block_bits - cell_bits };
    return block_bits <= cell_bits ? whole : shared;
}

/* Integer `number` of a group of cells, of `batch` blocks that are `apart` bytes apart. */
USUBA_INLINE uint64_t usuba_load_cells(const unsigned char *blocks, size_t apart, size_t batch, size_t group, size_t number,
                                       struct usuba_format format)
{
    const size_t cell = usuba_cell_bits(format), bytes = usuba_group_bytes(format);
    uint64_t x = 0;
    size_t j;
    if (bytes >= 8)
        return usuba_load64_big(blocks + number % batch * apart + (group + 1) * bytes - 8 * (number / batch + 1));
    for (j = number; j < batch; j += cell)
        x |= usuba_load_sized(blocks + j * apart + group * bytes, bytes, 1) << (j / cell * 8 * bytes % 64);
    return x;
}

USUBA_INLINE void usuba_output_cells(struct usuba_output blocks, size_t batch, size_t group, size_t number, uint64_t x,
                                     struct usuba_format format)
{
    const size_t cell = usuba_cell_bits(format), bytes = usuba_group_bytes(format);
    size_t j;
    if (bytes >= 8) {
        const size_t at = number % batch * format.bytes + (group + 1) * bytes - 8 * (number / batch + 1);
        usuba_output_part(usuba_output_at(blocks, at), usuba_reverse_lane(x, 8), 8);
        return;
    }
    for (j = number; j < batch; j += cell) {
        const struct usuba_output to = usuba_output_at(blocks, j * format.bytes + group * bytes);
        const uint64_t part = x >> (j / cell * 8 * bytes % 64);
        usuba_store_sized(to.to, to.with == NULL ? part : part ^ usuba_load_sized(to.with, bytes, 1), bytes, 1);
    }
}

/* `batch` blocks in the natural order, `apart` bytes apart, to integers: format.width * batch = 64 = 8 * size. */
USUBA_INLINE void usuba_pack_interleaved_from(unsigned char *image, size_t size, size_t batch, const unsigned char *blocks,
                                              size_t apart, struct usuba_format format)
{
    const size_t cell = usuba_cell_bits(format);
    size_t word, group, j, k;
    if (usuba_cells_at_once(format) != 0) {
        const struct usuba_turn turn = usuba_turn(batch, format);
        for (group = 0; group < format.words / cell; group++) {
            uint64_t x[8];
            for (k = 0; k < cell; k++)
                x[k] = usuba_load_cells(blocks, apart, batch, group, k, format);
            usuba_exchange_cell_bits(x, cell);
            for (k = 0; k < cell; k++)
                usuba_store_lane(image + (group * cell + cell - 1 - k) * size,
                                 usuba_rotate_numbers(x[k], turn.from, turn.of, turn.steps), size);
        }
        return;
    }
    for (word = 0; word < format.words; word++) {
        uint64_t x = 0;
        for (j = 0; j < batch; j++)
            x |= usuba_load_word(blocks + j * apart, word, format) << (j * format.width);
        usuba_store_lane(image + word * size, usuba_interleave(x, batch), size);
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
        const struct usuba_turn turn = usuba_turn(batch, format);
        for (group = 0; group < format.words / cell; group++) {
            uint64_t x[8];
            for (k = 0; k < cell; k++)
                x[k] = usuba_rotate_numbers(usuba_load_lane(image + (group * cell + cell - 1 - k) * size, size), turn.from,
                                            turn.of, turn.of - turn.steps % turn.of);
            usuba_exchange_cell_bits(x, cell);
            for (k = 0; k < cell; k++)
                usuba_output_cells(blocks, batch, group, k, x[k], format);
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

/* The low bits of lanes, so many bits each. */
USUBA_INLINE uint64_t usuba_lane_bits(size_t bits, size_t lane)
{
    return lane >= 64 ? UINT64_MAX >> (64 - bits) : UINT64_MAX / ((UINT64_C(1) << lane) - 1) * ((UINT64_C(1) << bits) - 1);
}

/* Lower nibbles of bytes side by side. */
USUBA_INLINE uint64_t usuba_join_nibbles(uint64_t x)
{
    x &= 0x0f0f0f0f0f0f0f0fu;
    x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
    x = (x | x >> 8) & 0x0000ffff0000ffffu;
    return (x | x >> 16) & 0x00000000ffffffffu;
}

/* One block to the uniform form: an integer in which all instances are the same. */
USUBA_INLINE void usuba_uniform_interleaved(uint64_t *uniform, size_t batch, const unsigned char *block,
                                            struct usuba_format format)
{
    size_t group, k;
    if (format.order == USUBA_PLANES && batch == 4 && format.width == 16) {
        for (group = 0; group < format.words / 8; group++) {
            /* Four instances of a cell are a nibble: those of upper and of lower halves of bytes. */
            const uint64_t first = usuba_load64_big(block + 16 * group), last = usuba_load64_big(block + 16 * group + 8);
            const uint64_t upper = usuba_join_nibbles(first >> 4) << 32 | usuba_join_nibbles(last >> 4);
            const uint64_t lower = usuba_join_nibbles(first) << 32 | usuba_join_nibbles(last);
            for (k = 0; k < 4; k++) {
                uniform[8 * group + k] = (upper >> (3 - k) & usuba_lane_bits(1, 4)) * 15;
                uniform[8 * group + 4 + k] = (lower >> (3 - k) & usuba_lane_bits(1, 4)) * 15;
            }
        }
        return;
    }
    usuba_pack_interleaved_from((unsigned char *)uniform, sizeof *uniform, batch, block, 0, format);
}

/* And back, from integers in which all instances are the same. */
USUBA_INLINE void usuba_bytes_interleaved(unsigned char *block, const uint64_t *uniform, size_t batch,
                                          struct usuba_format format)
{
    const struct usuba_output to = usuba_output(block, NULL);
    const uint64_t ones = UINT64_MAX >> (64 - format.width);
    size_t word, group, cell, k;
    if (format.order == USUBA_PLANES && batch >= 8) {
        for (group = 0; group < format.words / 8; group++) {
            uint64_t cells = 0;
            /* Of each plane the instance whose number is the place of its bit in bytes. */
            for (k = 0; k < 8; k++)
                cells |= uniform[8 * group + k] & usuba_lane_bits(1, batch) << (7 - k);
            for (cell = 0; cell < format.width; cell++)
                block[group * format.width + cell] = (unsigned char)(cells >> (format.width - 1 - cell) * batch);
        }
        return;
    }
    if (usuba_cells_at_once(format) != 0) {
        const size_t bits = usuba_cell_bits(format);
        for (group = 0; group < format.words / bits; group++) {
            uint64_t planes[8];
            for (k = 0; k < bits; k++)
                planes[k] = usuba_uninterleave(uniform[group * bits + k], batch) & ones;
            usuba_output_planes(to, group, planes, format);
        }
        return;
    }
    usuba_begin_words(to, format.bytes, format);
    for (word = 0; word < format.words; word++)
        usuba_output_word(to, word, usuba_uninterleave(uniform[word], batch) & ones, format);
}

#endif
