/* usuba_vector.h - registers of 16, 32 and 64 bytes, as far as the compiler's flags allow them, and what moves blocks in
 * them.
 *
 * An exchange of two registers takes one bit of the number of a register for one bit of the place in it. A transposition
 * is a sequence of exchanges; each function says which, with the place of a byte in a piece of 16 bytes (the lane in which
 * x86 shuffles) written from its highest bit. All of this is in terms of bytes in memory, whatever the byte order.
 *
 * USUBA_VECTOR is the widest size, or 0 if there is only the portable code; defining USUBA_PORTABLE makes it 0. */
#ifndef USUBA_VECTOR_H
#define USUBA_VECTOR_H

#include "usuba_format.h"

#define USUBA_VECTOR 0
#if defined(__has_builtin) && !defined(USUBA_PORTABLE)
#if __has_builtin(__builtin_shufflevector)
#if defined(__SSE2__) || defined(__ARM_NEON) || defined(__ALTIVEC__)
#undef USUBA_VECTOR
#if defined(__AVX512F__) && defined(__AVX512BW__)
#define USUBA_VECTOR 64
#elif defined(__AVX2__)
#define USUBA_VECTOR 32
#else
#define USUBA_VECTOR 16
#endif
#endif
#endif
#endif

#if USUBA_VECTOR

#if USUBA_VECTOR >= 32 || defined(__SSSE3__)
#include <immintrin.h>
#endif

typedef uint64_t usuba_vector_16 __attribute__((vector_size(16)));
typedef uint32_t usuba_vector_16x4 __attribute__((vector_size(16)));
typedef uint16_t usuba_vector_16x8 __attribute__((vector_size(16)));
typedef uint8_t usuba_vector_16x16 __attribute__((vector_size(16)));

/* The bytes of `blocks` that are worked on: of each of `count` blocks, `width` = 8 or 16 bytes, `stride` bytes from block
 * to block. `full`: there is a block for every instance, and `count` need not be looked at. */
struct usuba_column {
    size_t stride, width, count;
    int full;
};

/* A piece: 16 bytes of block `first`, or 8 each of `first` and the next one. Zero where there is no block. */
USUBA_INLINE usuba_vector_16 usuba_load_piece(const unsigned char *blocks, struct usuba_column column, size_t first)
{
    usuba_vector_16 piece = { 0, 0 };
    const unsigned char *p = blocks + first * column.stride;
    uint64_t low = 0, high = 0;
    if (column.width == 16 || (column.stride == 8 && column.full)) {
        if (column.full || first < column.count)
            memcpy(&piece, p, 16);
        return piece;
    }
    if (column.full || first < column.count)
        memcpy(&low, p, 8);
    if (column.full || first + 1 < column.count)
        memcpy(&high, p + column.stride, 8);
    return (usuba_vector_16){ low, high };
}

USUBA_INLINE void usuba_store_piece(unsigned char *blocks, struct usuba_column column, size_t first,
                                    usuba_vector_16 piece)
{
    unsigned char *p = blocks + first * column.stride;
    const uint64_t low = piece[0], high = piece[1];
    if (column.width == 16 || (column.stride == 8 && column.full)) {
        if (column.full || first < column.count)
            memcpy(p, &piece, 16);
        return;
    }
    if (column.full || first < column.count)
        memcpy(p, &low, 8);
    if (column.full || first + 1 < column.count)
        memcpy(p + column.stride, &high, 8);
}

#define USUBA_SIZE 16
#include "usuba_vector_size.h"
#undef USUBA_SIZE
#if USUBA_VECTOR >= 32
typedef uint64_t usuba_vector_32 __attribute__((vector_size(32)));
#define USUBA_SIZE 32
#include "usuba_vector_size.h"
#undef USUBA_SIZE
#endif
#if USUBA_VECTOR >= 64
typedef uint64_t usuba_vector_64 __attribute__((vector_size(64)));
#define USUBA_SIZE 64
#include "usuba_vector_size.h"
#undef USUBA_SIZE
#endif

#endif

#endif
