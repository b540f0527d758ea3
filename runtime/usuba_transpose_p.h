/* usuba_transpose_p.h - packed vertical slicing: a register per 128 bits of a block, 128 bits of it per instance. */
#ifndef USUBA_TRANSPOSE_P_H
#define USUBA_TRANSPOSE_P_H

#include "usuba_transpose_v.h"

/* ---- Packed: register r of `size` bytes holds, in its bytes 16 j to 16 j + 15, the words of instance j that are
 * consecutive and fill 128 bits, the r-th such group; each in a lane of `lane` bytes, 8 * lane == width. ---- */

/* Whether a group is the bytes as they stand. */
USUBA_INLINE int usuba_is_plain_p(size_t lane, struct usuba_format format)
{
    return 8 * lane == format.width && usuba_cell_bits(format) == 0 &&
           (lane == 1 || (format.order == USUBA_BIG) == USUBA_BIG_ENDIAN);
}

/* Words of one group. */
USUBA_INLINE void usuba_pack_group(unsigned char *to, size_t lane, const unsigned char *block, size_t group,
                                   struct usuba_format format)
{
    size_t at;
    if (usuba_is_plain_p(lane, format)) {
        memcpy(to, block + 16 * group, 16);
        return;
    }
    for (at = 0; at < 16 / lane; at++)
        usuba_store_lane(to + at * lane, usuba_load_word(block, group * (16 / lane) + at, format), lane);
}

/* Blocks of `format`, one for each of size / 16 instances, to registers; in the natural order. */
USUBA_INLINE void usuba_pack_p(void *registers, size_t size, size_t lane, const unsigned char *blocks,
                               struct usuba_format format)
{
    unsigned char *image = (unsigned char *)registers;
    const size_t groups = format.words * lane / 16;
    size_t j, group;
    for (group = 0; group < groups; group++)
        for (j = 0; j < size / 16; j++)
            usuba_pack_group(image + group * size + 16 * j, lane, blocks + j * format.bytes, group, format);
}

/* The reverse. */
USUBA_INLINE void usuba_unpack_p(struct usuba_output blocks, const void *registers, size_t size, size_t lane,
                                 struct usuba_format format)
{
    const unsigned char *image = (const unsigned char *)registers;
    const size_t groups = format.words * lane / 16, n = 16 / lane;
    const int plain = usuba_is_plain_p(lane, format);
    size_t j, group, at;
    usuba_begin_words(blocks, size / 16 * format.bytes, format);
    for (j = 0; j < size / 16; j++) {
        for (group = 0; group < groups; group++) {
            const unsigned char *from = image + group * size + 16 * j;
            const struct usuba_output to = usuba_output_at(blocks, j * format.bytes);
            if (plain) {
                usuba_output_part(usuba_output_at(to, 16 * group), usuba_load64(from), 8);
                usuba_output_part(usuba_output_at(to, 16 * group + 8), usuba_load64(from + 8), 8);
                continue;
            }
            for (at = 0; at < n; at++)
                usuba_output_word(to, group * n + at, usuba_load_lane(from + at * lane, lane), format);
        }
    }
}

/* One block to the uniform form: its groups. */
USUBA_INLINE void usuba_uniform_p(void *uniform, size_t lane, const unsigned char *block, struct usuba_format format)
{
    usuba_pack_p(uniform, 16, lane, block, format);
}

#endif
