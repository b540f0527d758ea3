/* usuba_poly1305_words.h - words of 64 bits side by side, one for each of POLY1305_LANES lanes.
 *
 * usuba_poly1305_vectors.h includes this once for each kind of vectors. */

/* A word of 64 bits for each lane. */
typedef uint64_t POLY1305_NAME(vector) __attribute__((vector_size(8 * POLY1305_LANES)));
#define VECTOR POLY1305_NAME(vector)

#define ALL(word) ((VECTOR){ 0 } + (word))

/* The sum of the lanes. */
USUBA_INLINE uint64_t POLY1305_NAME(sum)(VECTOR a)
{
#if POLY1305_LANES == 8
    const __m256i lower = _mm512_castsi512_si256((__m512i)a), upper = _mm512_extracti64x4_epi64((__m512i)a, 1);
    const __m256i four = _mm256_add_epi64(lower, upper);
#else
    const __m256i four = (__m256i)a;
#endif
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two)));
}
