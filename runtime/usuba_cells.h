/* usuba_cells.h - planes of cells: words that have one bit of every cell each, and bytes that are cells.
 *
 * In an integer of cells the number of a bit is the number of the cell, then that of the bit in the cell; in one of planes
 * it is the number of the plane, then that of the cell. One is a rotation of these numbers away from the other. */
#ifndef USUBA_CELLS_H
#define USUBA_CELLS_H

#include "usuba_numbers.h"
#include "usuba_output.h"

/* A group is as many words as a cell has bits, in so many bytes. */
USUBA_INLINE size_t usuba_group_bytes(struct usuba_format format)
{
    return format.width * usuba_cell_bits(format) / 8;
}

/* How many bytes of cells are exchanged at once: 8, or all of a group that is shorter; 0 if words are no planes, or in sizes
 * that are left to code for single bits. */
USUBA_INLINE size_t usuba_cells_at_once(struct usuba_format format)
{
    const size_t bytes = usuba_group_bytes(format);
    if (usuba_cell_bits(format) == 0 || format.width > 64 || format.words % usuba_cell_bits(format) != 0)
        return 0;
    if (bytes >= 8 && bytes % 8 == 0)
        return 8;
    return bytes == 2 || bytes == 4 ? bytes : 0;
}

/* The words of a group of cells: usuba_cells_at_once(format) != 0. */
USUBA_INLINE void usuba_load_planes(uint64_t planes[8], const unsigned char *block, size_t group,
                                    struct usuba_format format)
{
    const size_t cell = usuba_cell_bits(format), step = usuba_cells_at_once(format), bytes = usuba_group_bytes(format);
    const size_t part = 8 * step / cell;
    const unsigned of = usuba_log2(8 * step);
    size_t at, k;
    for (k = 0; k < cell; k++)
        planes[k] = 0;
    for (at = 0; at < bytes; at += step) {
        uint64_t x = 0;
        if (step == 8)
            x = usuba_load64_big(block + group * bytes + at);
        else
            for (k = 0; k < step; k++)
                x = x << 8 | block[group * bytes + at + k];
        x = usuba_rotate_numbers(x, 0, of, of - usuba_log2(cell));
        for (k = 0; k < cell; k++)
            planes[k] = planes[k] << part | (x >> (cell - 1 - k) * part & UINT64_MAX >> (64 - part));
    }
}

/* The reverse: bits of planes beyond their width are ignored. */
USUBA_INLINE void usuba_output_planes(struct usuba_output block, size_t group, const uint64_t planes[8],
                                      struct usuba_format format)
{
    const size_t cell = usuba_cell_bits(format), step = usuba_cells_at_once(format), bytes = usuba_group_bytes(format);
    const size_t part = 8 * step / cell;
    const unsigned of = usuba_log2(8 * step);
    size_t at, k;
    for (at = 0; at < bytes; at += step) {
        const size_t below = (bytes - at - step) / step * part;
        uint64_t x = 0;
        for (k = 0; k < cell; k++)
            x = x << part | (planes[k] >> below & UINT64_MAX >> (64 - part));
        x = usuba_rotate_numbers(x, 0, of, usuba_log2(cell));
        /* A part is little-endian. */
        x = usuba_reverse_lane(x, step);
        usuba_output_part(usuba_output_at(block, group * bytes + at), x, step);
    }
}

/* How many words usuba_load_words loads: those of a group of planes, or one. */
USUBA_INLINE size_t usuba_words_at_once(struct usuba_format format)
{
    return usuba_cells_at_once(format) != 0 ? usuba_cell_bits(format) : 1;
}

#endif
