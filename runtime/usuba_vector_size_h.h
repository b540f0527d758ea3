/* usuba_vector_size_h.h - horizontal slicing in registers of USUBA_SIZE bytes. Included by usuba_vector_size.h.
 *
 * Register r of blocks has bit t of byte i of a block at place i of a piece p, of some of the instances; a register of atoms has
 * all instances of an element in a byte or in bytes that follow each other. What stands in places, and in a byte, is written
 * from its highest bit, ~ for the complement of a bit. */

/* The reverse of `usuba_interleave` by bytes: the lowest bit of the place becomes the number of the register, which becomes
 * the highest bit. */
USUBA_INLINE void USUBA_SIZED(usuba_uninterleave)(USUBA_V *x, USUBA_V *y)
{
#if USUBA_SIZE == 16
    const usuba_vector_16x16 a = (usuba_vector_16x16)*x, b = (usuba_vector_16x16)*y;
    *x = (usuba_vector_16)__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    *y = (usuba_vector_16)__builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#else
    const long long high = 0x0f0d0b0907050301, low = 0x0e0c0a0806040200;
#if USUBA_SIZE == 32
    const __m256i order = _mm256_set_epi64x(high, low, high, low);
    const __m256i a = _mm256_shuffle_epi8((__m256i)*x, order), b = _mm256_shuffle_epi8((__m256i)*y, order);
#else
    const __m512i order = _mm512_set_epi64(high, low, high, low, high, low, high, low);
    const __m512i a = _mm512_shuffle_epi8((__m512i)*x, order), b = _mm512_shuffle_epi8((__m512i)*y, order);
#endif
    *x = (USUBA_V)a;
    *y = (USUBA_V)b;
    USUBA_SIZED(usuba_interleave)(8, x, y);
#endif
}

#if USUBA_SIZE > 16
/* Exchanges the number of the register and the lowest bit of the number of a piece. */
USUBA_INLINE void USUBA_SIZED(usuba_exchange_pieces)(USUBA_V *x, USUBA_V *y)
{
#if USUBA_SIZE == 32
    const __m256i a = (__m256i)*x, b = (__m256i)*y;
    *x = (USUBA_V)_mm256_permute2x128_si256(a, b, 0x20);
    *y = (USUBA_V)_mm256_permute2x128_si256(a, b, 0x31);
#else
    const __m512i a = (__m512i)*x, b = (__m512i)*y;
    *x = (USUBA_V)_mm512_permutex2var_epi64(a, _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), b);
    *y = (USUBA_V)_mm512_permutex2var_epi64(a, _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2), b);
#endif
}
#endif

/* One step with the registers a, c and one with b, d. */
#define USUBA_EXCHANGE_2(a, c, b, d, n)                                                                                \
    USUBA_SIZED(usuba_exchange)(&x[a], &x[c], 1u << (n), ~USUBA_NUMBERED(n));                                          \
    USUBA_SIZED(usuba_exchange)(&x[b], &x[d], 1u << (n), ~USUBA_NUMBERED(n))
#define USUBA_INTERLEAVE_2(a, c, b, d)                                                                                 \
    USUBA_SIZED(usuba_interleave)(1, &x[a], &x[c]);                                                                    \
    USUBA_SIZED(usuba_interleave)(1, &x[b], &x[d])
#define USUBA_UNINTERLEAVE_2(a, c, b, d)                                                                               \
    USUBA_SIZED(usuba_uninterleave)(&x[a], &x[c]);                                                                     \
    USUBA_SIZED(usuba_uninterleave)(&x[b], &x[d])
#define USUBA_PIECES_2(a, c, b, d)                                                                                     \
    USUBA_SIZED(usuba_exchange_pieces)(&x[a], &x[c]);                                                                  \
    USUBA_SIZED(usuba_exchange_pieces)(&x[b], &x[d])

/* ---- Planes of 16, 8 or 4 bits: an atom of one piece has bits t of 16 bytes, or of a half or a quarter of as many. ---- */

/* Registers g r (g counts the 16 / width atoms in 16 bytes), place i3 i2 i1 i0; exchange r and t. Then bring the upper bits of i,
 * which are those of the number of an atom, to the number of the register, and g to the end of the place. */
USUBA_INLINE void USUBA_SIZED(usuba_pack_planes)(unsigned char *image, const unsigned char *blocks, size_t at,
                                                 struct usuba_column column, size_t width)
{
    const size_t groups = 16 / width;
    unsigned char *to = image + 8 * at / width * USUBA_SIZE;
    const USUBA_V none = { 0 };
    size_t group, t;
    USUBA_V x[8];
    for (group = 0; group < groups; group++) {
#define USUBA_STEP(k) x[k] = USUBA_SIZED(usuba_load)(blocks + at, column, 8 * group + k);
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
        USUBA_SIZED(usuba_bits)(x);
#define USUBA_STEP(k) USUBA_SIZED(usuba_put)(to + (8 * group + 7 - k) * USUBA_SIZE, x[k]);
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
    }
    for (t = 0; t < 8 && groups > 1; t++) {
#define USUBA_STEP(k) x[k] = k < groups ? USUBA_SIZED(usuba_get)(to + (8 * k + t) * USUBA_SIZE) : none;
        USUBA_4(USUBA_STEP)
#undef USUBA_STEP
        if (groups == 4) {
            USUBA_INTERLEAVE_2(0, 2, 1, 3);
            USUBA_INTERLEAVE_2(0, 1, 2, 3);
        } else {
            USUBA_SIZED(usuba_interleave)(1, &x[0], &x[1]);
        }
#define USUBA_STEP(k) \
    if (k < groups) \
        USUBA_SIZED(usuba_put)(to + (8 * k + t) * USUBA_SIZE, x[k]);
        USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    }
}

USUBA_INLINE void USUBA_SIZED(usuba_unpack_planes)(struct usuba_output blocks, const unsigned char *image, size_t at,
                                                   struct usuba_column column, size_t width)
{
    const size_t groups = 16 / width;
    const unsigned char *from = image + 8 * at / width * USUBA_SIZE;
    const USUBA_V none = { 0 };
    size_t group, t;
    USUBA_V x[8], rows[32];
    for (t = 0; t < 8 && groups > 1; t++) {
#define USUBA_STEP(k) x[k] = k < groups ? USUBA_SIZED(usuba_get)(from + (8 * k + t) * USUBA_SIZE) : none;
        USUBA_4(USUBA_STEP)
#undef USUBA_STEP
        if (groups == 4) {
            USUBA_UNINTERLEAVE_2(0, 1, 2, 3);
            USUBA_UNINTERLEAVE_2(0, 2, 1, 3);
        } else {
            USUBA_SIZED(usuba_uninterleave)(&x[0], &x[1]);
        }
#define USUBA_STEP(k) \
    if (k < groups) \
        rows[8 * k + t] = x[k];
        USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    }
    for (group = 0; group < groups; group++) {
#define USUBA_STEP(k) \
    x[k] = groups > 1 ? rows[8 * group + 7 - k] : USUBA_SIZED(usuba_get)(from + (8 * group + 7 - k) * USUBA_SIZE);
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
        USUBA_SIZED(usuba_bits)(x);
#define USUBA_STEP(k) USUBA_SIZED(usuba_store)(usuba_output_at(blocks, at), column, 8 * group + k, x[k]);
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
    }
}

/* ---- Four words of 16 bits in blocks of 8 bytes, two to a piece: 8 instances j2 j1 j0 to a piece. ---- */

/* From register j2 j1, place j0 i2 i1 i0, bit t2 t1 t0 to register ~t0 t1, place i2 i1 i0 ~t2, bit j2 j1 j0: nibbles of a word
 * are t1 t0, its elements i2 i1 i0 ~t2. */
USUBA_INLINE void USUBA_SIZED(usuba_load_nibbles16)(USUBA_V x[4], const unsigned char *blocks, struct usuba_column column)
{
#define USUBA_STEP(k) x[k] = USUBA_SIZED(usuba_load)(blocks, column, k);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    USUBA_EXCHANGE_2(0, 2, 1, 3, 2);
    USUBA_EXCHANGE_2(0, 1, 2, 3, 1);
    /* Register t2 t1, bit j2 j1 t0. Exchanging the arguments of `interleave` complements a bit. */
    USUBA_INTERLEAVE_2(2, 0, 3, 1);
    /* Register ~j0 t1, place i2 i1 i0 ~t2. */
    USUBA_EXCHANGE_2(2, 0, 3, 1, 0);
}

USUBA_INLINE void USUBA_SIZED(usuba_store_nibbles16)(struct usuba_output blocks, struct usuba_column column, USUBA_V x[4])
{
    USUBA_EXCHANGE_2(2, 0, 3, 1, 0);
    USUBA_UNINTERLEAVE_2(2, 0, 3, 1);
    USUBA_EXCHANGE_2(0, 1, 2, 3, 1);
    USUBA_EXCHANGE_2(0, 2, 1, 3, 2);
#define USUBA_STEP(k) USUBA_SIZED(usuba_store)(blocks, column, k, x[k]);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
}

/* Nibbles: word ~t1 ~t0. */
USUBA_INLINE void USUBA_SIZED(usuba_pack_nibbles16)(unsigned char *image, const unsigned char *blocks,
                                                    struct usuba_column column)
{
    USUBA_V x[4];
    USUBA_SIZED(usuba_load_nibbles16)(x, blocks, column);
#define USUBA_STEP(k) USUBA_SIZED(usuba_put)(image + (k / 2 + 2 - k % 2 * 2) * USUBA_SIZE, x[k]);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
}

USUBA_INLINE void USUBA_SIZED(usuba_unpack_nibbles16)(struct usuba_output blocks, const unsigned char *image,
                                                      struct usuba_column column)
{
    USUBA_V x[4];
#define USUBA_STEP(k) x[k] = USUBA_SIZED(usuba_get)(image + (k / 2 + 2 - k % 2 * 2) * USUBA_SIZE);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    USUBA_SIZED(usuba_store_nibbles16)(blocks, column, x);
}

/* Little-endian words: word i2 i1, elements ~i0 ~t2 ~t1 ~t0. */
USUBA_INLINE USUBA_V USUBA_SIZED(usuba_swap_halves)(USUBA_V x)
{
#if USUBA_SIZE == 16
    return __builtin_shufflevector(x, x, 1, 0);
#elif USUBA_SIZE == 32
    return (USUBA_V)_mm256_shuffle_epi32((__m256i)x, 0x4e);
#else
    return (USUBA_V)_mm512_shuffle_epi32((__m512i)x, _MM_PERM_BADC);
#endif
}

USUBA_INLINE void USUBA_SIZED(usuba_pack_words16)(unsigned char *image, const unsigned char *blocks,
                                                  struct usuba_column column)
{
    USUBA_V x[4];
    USUBA_SIZED(usuba_load_nibbles16)(x, blocks, column);
    USUBA_INTERLEAVE_2(1, 0, 3, 2);
    /* Register ~t0 ~i2, place i1 i0 ~t2 ~t1. */
    USUBA_INTERLEAVE_2(0, 2, 1, 3);
    /* Register i1 ~i2, place i0 ~t2 ~t1 ~t0. */
    USUBA_SIZED(usuba_put)(image, USUBA_SIZED(usuba_swap_halves)(x[1]));
    USUBA_SIZED(usuba_put)(image + USUBA_SIZE, USUBA_SIZED(usuba_swap_halves)(x[3]));
    USUBA_SIZED(usuba_put)(image + 2 * USUBA_SIZE, USUBA_SIZED(usuba_swap_halves)(x[0]));
    USUBA_SIZED(usuba_put)(image + 3 * USUBA_SIZE, USUBA_SIZED(usuba_swap_halves)(x[2]));
}

/* Exchanges the complement of the highest bit of the place and the lowest bit of a byte. */
USUBA_INLINE USUBA_V USUBA_SIZED(usuba_exchange_half)(USUBA_V x)
{
    const uint64_t even = 0x5555555555555555u, odd = 0xaaaaaaaaaaaaaaaau;
    return (USUBA_SIZED(usuba_swap_halves)(x) & USUBA_SIZED(usuba_halves)(even, odd)) |
           ((x << 1) & USUBA_SIZED(usuba_halves)(odd, 0)) | ((x >> 1) & USUBA_SIZED(usuba_halves)(0, even));
}

USUBA_INLINE void USUBA_SIZED(usuba_unpack_words16)(struct usuba_output blocks, const unsigned char *image,
                                                    struct usuba_column column)
{
    USUBA_V x[4];
#define USUBA_STEP(k) x[k] = USUBA_SIZED(usuba_get)(image + k * USUBA_SIZE);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    /* Register i2 i1, place ~i0 ~t2 ~t1 ~t0, bit j2 j1 j0. */
    USUBA_INTERLEAVE_2(0, 2, 1, 3);
    /* Register ~i0 i1, place ~t2 ~t1 ~t0 i2. */
    USUBA_INTERLEAVE_2(0, 1, 2, 3);
    /* Register ~i0 ~t2, place ~t1 ~t0 i2 i1. */
    USUBA_INTERLEAVE_2(2, 0, 3, 1);
    /* Register t1 ~t2, place ~t0 i2 i1 i0. */
    USUBA_EXCHANGE_2(1, 0, 3, 2, 2);
    USUBA_EXCHANGE_2(0, 2, 1, 3, 1);
    /* Register j1 ~j2, bit t2 t1 j0. */
    USUBA_SIZED(usuba_store)(blocks, column, 0, USUBA_SIZED(usuba_exchange_half)(x[1]));
    USUBA_SIZED(usuba_store)(blocks, column, 1, USUBA_SIZED(usuba_exchange_half)(x[3]));
    USUBA_SIZED(usuba_store)(blocks, column, 2, USUBA_SIZED(usuba_exchange_half)(x[0]));
    USUBA_SIZED(usuba_store)(blocks, column, 3, USUBA_SIZED(usuba_exchange_half)(x[2]));
}

#if USUBA_SIZE > 16
/* ---- Four words of 32 bits in blocks of 16 bytes: an atom is two pieces. 8 instances p0 r1 r0, in halves p1. ---- */

/* Nibbles: word ~t1 ~t0, elements i3 i2 i1 i0 ~t2, i3 the number of a piece. */
USUBA_INLINE void USUBA_SIZED(usuba_pack_nibbles32)(unsigned char *image, const unsigned char *blocks,
                                                    struct usuba_column column)
{
    USUBA_V x[4];
#define USUBA_STEP(k) x[k] = USUBA_SIZED(usuba_load)(blocks, column, k);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    USUBA_PIECES_2(0, 2, 1, 3);
    /* Register p0 r0, piece p1 r1, place i3 i2 i1 i0, bit t2 t1 t0. */
    USUBA_EXCHANGE_2(0, 2, 1, 3, 2);
    USUBA_EXCHANGE_2(0, 1, 2, 3, 0);
    /* Register t2 t0, bit p0 t1 r0. */
    USUBA_INTERLEAVE_2(2, 0, 3, 1);
    /* Register ~i3 t0, place i2 i1 i0 ~t2. */
    USUBA_PIECES_2(2, 0, 3, 1);
    USUBA_EXCHANGE_2(2, 0, 3, 1, 1);
    /* Register ~t1 t0, piece p1 i3, bit p0 r1 r0. */
#define USUBA_STEP(k) USUBA_SIZED(usuba_put)(image + (k ^ 1) * USUBA_SIZE, x[k]);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
}

USUBA_INLINE void USUBA_SIZED(usuba_unpack_nibbles32)(struct usuba_output blocks, const unsigned char *image,
                                                      struct usuba_column column)
{
    USUBA_V x[4];
#define USUBA_STEP(k) x[k] = USUBA_SIZED(usuba_get)(image + (k ^ 1) * USUBA_SIZE);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    USUBA_EXCHANGE_2(2, 0, 3, 1, 1);
    USUBA_PIECES_2(2, 0, 3, 1);
    USUBA_UNINTERLEAVE_2(2, 0, 3, 1);
    USUBA_EXCHANGE_2(0, 1, 2, 3, 0);
    USUBA_EXCHANGE_2(0, 2, 1, 3, 2);
    USUBA_PIECES_2(0, 2, 1, 3);
#define USUBA_STEP(k) USUBA_SIZED(usuba_store)(blocks, column, k, x[k]);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
}

/* Big-endian words, or such with the bytes reversed: word i3 i2, elements i1 i0 ~t2 ~t1 ~t0, i1 the number of a piece. */
USUBA_INLINE void USUBA_SIZED(usuba_pack_words32)(unsigned char *image, const unsigned char *blocks,
                                                  struct usuba_column column, int reverse)
{
    USUBA_V x[4];
#define USUBA_STEP(k) \
    x[k] = USUBA_SIZED(usuba_load)(blocks, column, k); \
    x[k] = reverse ? USUBA_SIZED(usuba_reverse)(4, x[k]) : x[k];
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    USUBA_PIECES_2(0, 1, 2, 3);
    /* Register r1 p0, piece p1 r0, place i3 i2 i1 i0, bit t2 t1 t0. */
    USUBA_EXCHANGE_2(0, 1, 2, 3, 2);
    USUBA_EXCHANGE_2(0, 2, 1, 3, 1);
    /* Register t1 t2, bit p0 r1 t0. */
    USUBA_INTERLEAVE_2(1, 0, 3, 2);
    USUBA_INTERLEAVE_2(2, 0, 3, 1);
    /* Register ~i2 ~i3, place i1 i0 ~t2 ~t1. */
    USUBA_PIECES_2(1, 0, 3, 2);
    USUBA_EXCHANGE_2(1, 0, 3, 2, 0);
    /* Register ~i2 ~t0, piece p1 i3, bit p0 r1 r0. */
    USUBA_INTERLEAVE_2(0, 1, 2, 3);
    USUBA_PIECES_2(0, 1, 2, 3);
    /* Register ~i2 i3, piece p1 i1, place i0 ~t2 ~t1 ~t0. */
#define USUBA_STEP(k) USUBA_SIZED(usuba_put)(image + (k % 2 * 2 + 1 - k / 2) * USUBA_SIZE, x[k]);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
}

USUBA_INLINE void USUBA_SIZED(usuba_unpack_words32)(struct usuba_output blocks, const unsigned char *image,
                                                    struct usuba_column column, int reverse)
{
    USUBA_V x[4];
#define USUBA_STEP(k) x[k] = USUBA_SIZED(usuba_get)(image + (k % 2 * 2 + 1 - k / 2) * USUBA_SIZE);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    USUBA_PIECES_2(0, 1, 2, 3);
    USUBA_UNINTERLEAVE_2(0, 1, 2, 3);
    USUBA_EXCHANGE_2(1, 0, 3, 2, 0);
    USUBA_PIECES_2(1, 0, 3, 2);
    USUBA_UNINTERLEAVE_2(2, 0, 3, 1);
    USUBA_UNINTERLEAVE_2(1, 0, 3, 2);
    USUBA_EXCHANGE_2(0, 2, 1, 3, 1);
    USUBA_EXCHANGE_2(0, 1, 2, 3, 2);
    USUBA_PIECES_2(0, 1, 2, 3);
#define USUBA_STEP(k) \
    x[k] = reverse ? USUBA_SIZED(usuba_reverse)(4, x[k]) : x[k]; \
    USUBA_SIZED(usuba_store)(blocks, column, k, x[k]);
    USUBA_4(USUBA_STEP)
#undef USUBA_STEP
}
#endif

#undef USUBA_EXCHANGE_2
#undef USUBA_INTERLEAVE_2
#undef USUBA_UNINTERLEAVE_2
#undef USUBA_PIECES_2
