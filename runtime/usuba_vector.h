/* usuba_vector.h - counters in registers of 16, 32 and 64 bytes, as far as the compiler's flags allow them.
 *
 * USUBA_VECTOR is the widest size, or 0 if there is only the portable code; defining USUBA_PORTABLE makes it 0. A file whose
 * functions are for other machines than the compiler's flags say defines USUBA_VECTOR_BYTES. */
#ifndef USUBA_VECTOR_H
#define USUBA_VECTOR_H

#include "usuba_output.h"

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

/* The function for the size that a register has, of those that the compiler's flags allow. */
#if USUBA_VECTOR >= 64
#define USUBA_FOR_SIZE(size, name, arguments) \
    ((size) == 64 ? name##_64 arguments : (size) == 32 ? name##_32 arguments : name##_16 arguments)
#elif USUBA_VECTOR >= 32
#define USUBA_FOR_SIZE(size, name, arguments) ((size) == 32 ? name##_32 arguments : name##_16 arguments)
#else
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
typedef uint16_t usuba_vector_16x8 __attribute__((vector_size(16)));
typedef uint8_t usuba_vector_16x16 __attribute__((vector_size(16)));

#define USUBA_SIZE 16
#include "usuba_count_size.h"
#undef USUBA_SIZE
#if USUBA_VECTOR >= 32
typedef uint64_t usuba_vector_32 __attribute__((vector_size(32)));
#define USUBA_SIZE 32
#include "usuba_count_size.h"
#undef USUBA_SIZE
#endif
#if USUBA_VECTOR >= 64
typedef uint64_t usuba_vector_64 __attribute__((vector_size(64)));
#define USUBA_SIZE 64
#include "usuba_count_size.h"
#undef USUBA_SIZE
#endif

#endif

#endif
