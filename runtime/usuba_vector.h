/* usuba_vector.h - registers of 16, 32 and 64 bytes, as far as the compiler's flags allow them, and what moves blocks in
 * them.
 *
 * An exchange of two registers takes one bit of the number of a register for one bit of the place in it. A transposition
 * is a sequence of exchanges; each function says which, with the place of a byte in a piece of 16 bytes (the lane in which
 * x86 shuffles) written from its highest bit. All of this is in terms of bytes in memory, whatever the byte order.
 *
 * USUBA_VECTOR is the widest size, or 0 if there is only the portable code; defining USUBA_PORTABLE makes it 0. A file whose
 * functions are for other machines than the compiler's flags say defines USUBA_VECTOR_BYTES. */
#ifndef USUBA_VECTOR_H
#define USUBA_VECTOR_H

#include "usuba_numbers.h"

#define USUBA_VECTOR 0
#if defined(__has_builtin) && !defined(USUBA_PORTABLE)
#if __has_builtin(__builtin_shufflevector)
#if defined(__SSE2__) || defined(__ARM_NEON) || defined(__ALTIVEC__)
#undef USUBA_VECTOR
#if defined(USUBA_VECTOR_BYTES)
#define USUBA_VECTOR USUBA_VECTOR_BYTES
#elif defined(__AVX512F__) && defined(__AVX512BW__)
#define USUBA_VECTOR 64
#elif defined(__AVX2__)
#define USUBA_VECTOR 32
#else
#define USUBA_VECTOR 16
#endif
#endif
#endif
#endif

/* Where bytes x go: `to` = x, or `to` = x ^ `with` where that is not NULL. `to` may be `with`. */
struct usuba_output {
    unsigned char *to;
    const unsigned char *with;
};

USUBA_INLINE struct usuba_output usuba_output(unsigned char *to, const unsigned char *with)
{
    const struct usuba_output output = { to, with };
    return output;
}

USUBA_INLINE struct usuba_output usuba_output_at(struct usuba_output output, size_t at)
{
    return usuba_output(output.to + at, output.with == NULL ? NULL : output.with + at);
}

USUBA_INLINE void usuba_output_part(struct usuba_output output, uint64_t x, size_t bytes)
{
    usuba_store_part(output.to, output.with == NULL ? x : x ^ usuba_load_part(output.with, bytes), bytes);
}

/* The function for the size that a register has, of those that the compiler's flags allow; and of those above 16 bytes, where
 * that alone is asked for. */
#if USUBA_VECTOR >= 64
#define USUBA_FOR_SIZE_ABOVE_16(size, name, arguments) ((size) == 64 ? name##_64 arguments : name##_32 arguments)
#define USUBA_FOR_SIZE(size, name, arguments) \
    ((size) == 64 ? name##_64 arguments : (size) == 32 ? name##_32 arguments : name##_16 arguments)
#elif USUBA_VECTOR >= 32
#define USUBA_FOR_SIZE_ABOVE_16(size, name, arguments) name##_32 arguments
#define USUBA_FOR_SIZE(size, name, arguments) ((size) == 32 ? name##_32 arguments : name##_16 arguments)
#else
#define USUBA_FOR_SIZE_ABOVE_16(size, name, arguments) ((void)0)
#define USUBA_FOR_SIZE(size, name, arguments) name##_16 arguments
#endif

/* Whether there are vectors of this size. */
USUBA_INLINE int usuba_is_vector(size_t size)
{
    return (size == 16 || size == 32 || size == 64) && size <= USUBA_VECTOR;
}

#if USUBA_VECTOR

#if USUBA_VECTOR >= 32 || defined(__SSSE3__)
#include <immintrin.h>
#endif

typedef uint64_t usuba_vector_16 __attribute__((vector_size(16)));
typedef uint32_t usuba_vector_16x4 __attribute__((vector_size(16)));
typedef uint16_t usuba_vector_16x8 __attribute__((vector_size(16)));
typedef uint8_t usuba_vector_16x16 __attribute__((vector_size(16)));

/* The bytes of each block that are worked on: `width` = 8 or 16, `stride` bytes from block to block. */
struct usuba_column {
    size_t stride, width;
};

/* A piece of two halves in memory. */
USUBA_INLINE usuba_vector_16 usuba_halves(const unsigned char *low, const unsigned char *high)
{
    uint64_t x, y;
    memcpy(&x, low, 8);
    memcpy(&y, high, 8);
    return (usuba_vector_16){ x, y };
}

USUBA_INLINE void usuba_output_half(struct usuba_output output, uint64_t x)
{
    uint64_t y = 0;
    if (output.with != NULL)
        memcpy(&y, output.with, 8);
    y ^= x;
    memcpy(output.to, &y, 8);
}

/* The lower half of a piece to the first place, the upper one to the second; both have data to add, or none has. */
USUBA_INLINE void usuba_output_halves(struct usuba_output low, struct usuba_output high, usuba_vector_16 x)
{
    uint64_t half;
    if (low.with != NULL)
        x ^= usuba_halves(low.with, high.with);
    half = x[0];
    memcpy(low.to, &half, 8);
    half = x[1];
    memcpy(high.to, &half, 8);
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
