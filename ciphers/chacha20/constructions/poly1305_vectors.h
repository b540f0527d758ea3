/* usuba_poly1305_vectors.h - Poly1305 on blocks side by side, for x86-64: four with AVX2, eight with AVX-512F, and eight by other
 * multiplications with AVX-512 IFMA.
 *
 * The lane j of L takes the blocks j, j + L, j + 2 L, ... of a message, each time multiplying what it has by r^L; in the end
 * it is multiplied by r^(L - j), and the lanes are added (Goll and Gueron, Vectorization of Poly1305 Message Authentication
 * Code, ITNG 2015). A limb of a number is in 64 bits of a lane: five limbs of 26 bits, as vpmuludq multiplies 32 bits by 32, or
 * three of 44, as vpmadd52luq and vpmadd52huq multiply 52 by 52.
 *
 * Only poly1305.c includes this, where limbs have 64 bits. The functions are compiled for machines that have the vectors,
 * whatever the flags of the compiler. */
#ifndef USUBA_POLY1305_VECTORS_H
#define USUBA_POLY1305_VECTORS_H

#include <immintrin.h>

/* The sum of the lanes, in five limbs of less than 2^61 at distances of 26 bits, modulo p. */
USUBA_INLINE void poly1305_fold(uint64_t a[3], const uint64_t limbs[POLY1305_LIMBS])
{
    /* x is less than 2^114 and y less than 2^102; a2 becomes at most 4. */
    poly1305_wide x = limbs[0] + ((poly1305_wide)limbs[1] << 26) + ((poly1305_wide)limbs[2] << 52);
    const poly1305_wide y = (uint64_t)(x >> 64) + ((poly1305_wide)limbs[3] << 14) + ((poly1305_wide)limbs[4] << 40);
    const uint64_t high = (uint64_t)(y >> 64);
    x = (poly1305_wide)(uint64_t)x + (high >> 2) + (high & ~(uint64_t)3);
    a[0] = (uint64_t)x;
    x = (poly1305_wide)(uint64_t)y + (uint64_t)(x >> 64);
    a[1] = (uint64_t)x;
    a[2] = (high & 3) + (uint64_t)(x >> 64);
}

#if defined(POLY1305_ON_8_LANES_FUSED)
/* The same of three limbs of less than 2^48 at distances of 44 bits. */
USUBA_INLINE void poly1305_fold_44(uint64_t a[3], uint64_t first, uint64_t second, uint64_t third)
{
    /* x is less than 2^93 and y less than 2^73. */
    poly1305_wide x = first + ((poly1305_wide)second << 44);
    const poly1305_wide y = (uint64_t)(x >> 64) + ((poly1305_wide)third << 24);
    const uint64_t high = (uint64_t)(y >> 64);
    x = (poly1305_wide)(uint64_t)x + (high >> 2) + (high & ~(uint64_t)3);
    a[0] = (uint64_t)x;
    x = (poly1305_wide)(uint64_t)y + (uint64_t)(x >> 64);
    a[1] = (uint64_t)x;
    a[2] = (high & 3) + (uint64_t)(x >> 64);
}
#endif

#if defined(POLY1305_ON_4_LANES)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define POLY1305_LANES 4
#define POLY1305_NAME(name) poly1305_##name##_by_4
#define POLY1305_REGISTER "x"
#define POLY1305_PRODUCT(a, b) _mm256_mul_epu32((__m256i)(a), (__m256i)(b))
/* The first words of the blocks of two registers, and their second words: blocks 0, 2, 1, 3. */
#define POLY1305_FIRSTS(a, b) _mm256_unpacklo_epi64((__m256i)(a), (__m256i)(b))
#define POLY1305_SECONDS(a, b) _mm256_unpackhi_epi64((__m256i)(a), (__m256i)(b))
#include "usuba_poly1305_words.h"
#include "usuba_poly1305_limbs_26.h"
#include "usuba_poly1305_lanes.h"
#undef POLY1305_LANES
#undef POLY1305_NAME
#undef POLY1305_REGISTER
#undef POLY1305_PRODUCT
#undef POLY1305_FIRSTS
#undef POLY1305_SECONDS
#undef VECTOR
#undef ALL
#undef NUMBER
#undef FACTOR
#undef SUM

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

#if defined(POLY1305_ON_8_LANES)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif

#define POLY1305_LANES 8
#define POLY1305_NAME(name) poly1305_##name##_by_8
#define POLY1305_REGISTER "v"
#define POLY1305_PRODUCT(a, b) _mm512_mul_epu32((__m512i)(a), (__m512i)(b))
/* Blocks 0, 4, 1, 5, 2, 6, 3, 7. */
#define POLY1305_FIRSTS(a, b) _mm512_unpacklo_epi64((__m512i)(a), (__m512i)(b))
#define POLY1305_SECONDS(a, b) _mm512_unpackhi_epi64((__m512i)(a), (__m512i)(b))
#include "usuba_poly1305_words.h"
#include "usuba_poly1305_limbs_26.h"
#include "usuba_poly1305_lanes.h"
#undef POLY1305_LANES
#undef POLY1305_NAME
#undef POLY1305_REGISTER
#undef POLY1305_PRODUCT
#undef POLY1305_FIRSTS
#undef POLY1305_SECONDS
#undef VECTOR
#undef ALL
#undef NUMBER
#undef FACTOR
#undef SUM

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

#if defined(POLY1305_ON_8_LANES_FUSED)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512ifma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512ifma")
#endif

#define POLY1305_LANES 8
#define POLY1305_NAME(name) poly1305_##name##_by_8_fused
/* Blocks 0, 4, 1, 5, 2, 6, 3, 7. */
#define POLY1305_FIRSTS(a, b) _mm512_unpacklo_epi64((__m512i)(a), (__m512i)(b))
#define POLY1305_SECONDS(a, b) _mm512_unpackhi_epi64((__m512i)(a), (__m512i)(b))
#include "usuba_poly1305_words.h"
#include "usuba_poly1305_limbs_44.h"
#include "usuba_poly1305_lanes.h"
#undef POLY1305_LANES
#undef POLY1305_NAME
#undef POLY1305_FIRSTS
#undef POLY1305_SECONDS
#undef VECTOR
#undef ALL
#undef NUMBER
#undef FACTOR
#undef SUM

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

#endif
