/* usuba_transpose_p.h - packed vertical slicing: a register per 128 bits of a block, 128 bits of it per instance. */
#ifndef USUBA_TRANSPOSE_P_H
#define USUBA_TRANSPOSE_P_H

#include "usuba_transpose_v.h"

/* ---- Packed: register r of `size` bytes holds, in its bytes 16 j to 16 j + 15, the words of instance j that are
 * consecutive and fill 128 bits, the r-th such group; each in a lane of `lane` bytes, 8 * lane == width. ---- */

/* Whether a group is the bytes as they stand. */
USUBA_INLINE int usuba_is_plain_p(size_t lane, struct usuba_format format)
{
    return 8 * lane == format.width && format.order != USUBA_PLANES &&
           (lane == 1 || (format.order == USUBA_BIG) == USUBA_BIG_ENDIAN);
}

/* The first `count` blocks to registers of size / 16 instances. */
USUBA_INLINE void usuba_pack_p(void *registers, size_t size, size_t lane, const unsigned char *blocks, size_t count,
                               struct usuba_format format)
{
    unsigned char *image = (unsigned char *)registers;
    const size_t groups = format.words * lane / 16;
    size_t j, group, at;
    if (count < size / 16)
        memset(image, 0, groups * size);
    for (group = 0; group < groups; group++) {
        for (j = 0; j < count; j++) {
            unsigned char *to = image + group * size + 16 * j;
            const unsigned char *block = blocks + j * format.bytes;
            if (usuba_is_plain_p(lane, format)) {
                memcpy(to, block + 16 * group, 16);
                continue;
            }
            for (at = 0; at < 16 / lane; at++)
                usuba_store_lane(to + at * lane, usuba_load_word(block, group * (16 / lane) + at, format), lane);
        }
    }
}

/* The first `count` instances of registers to blocks. */
USUBA_INLINE void usuba_unpack_p(unsigned char *blocks, size_t count, const void *registers, size_t size, size_t lane,
                                 struct usuba_format format)
{
    const unsigned char *image = (const unsigned char *)registers;
    const size_t groups = format.words * lane / 16;
    size_t j, group, at;
    if (format.order == USUBA_PLANES)
        memset(blocks, 0, count * format.bytes);
    for (j = 0; j < count; j++) {
        for (group = 0; group < groups; group++) {
            const unsigned char *from = image + group * size + 16 * j;
            unsigned char *block = blocks + j * format.bytes;
            if (usuba_is_plain_p(lane, format)) {
                memcpy(block + 16 * group, from, 16);
                continue;
            }
            for (at = 0; at < 16 / lane; at++)
                usuba_store_word(block, group * (16 / lane) + at, usuba_load_lane(from + at * lane, lane), format);
        }
    }
}

/* One block to the uniform form: its groups. */
USUBA_INLINE void usuba_uniform_p(void *uniform, size_t lane, const unsigned char *block, struct usuba_format format)
{
    usuba_pack_p(uniform, 16, lane, block, 1, format);
}

#endif
