/* usuba_vector_size.h - moving blocks in registers of USUBA_SIZE bytes. Included by usuba_vector.h once for each size; the
 * names of all functions end in the size. */
#define USUBA_JOIN_(name, size) name##_##size
#define USUBA_JOIN(name, size) USUBA_JOIN_(name, size)
#define USUBA_SIZED(name) USUBA_JOIN(name, USUBA_SIZE)
#define USUBA_V USUBA_SIZED(usuba_vector)
#define USUBA_4(f) f(0) f(1) f(2) f(3)
#define USUBA_8(f) USUBA_4(f) f(4) f(5) f(6) f(7)
#define USUBA_16(f) USUBA_8(f) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)

USUBA_INLINE USUBA_V USUBA_SIZED(usuba_get)(const unsigned char *p)
{
    USUBA_V x;
    memcpy(&x, p, sizeof x);
    return x;
}

USUBA_INLINE void USUBA_SIZED(usuba_put)(unsigned char *p, USUBA_V x)
{
    memcpy(p, &x, sizeof x);
}

USUBA_INLINE void USUBA_SIZED(usuba_output)(struct usuba_output output, USUBA_V x)
{
    USUBA_SIZED(usuba_put)(output.to, output.with == NULL ? x : x ^ USUBA_SIZED(usuba_get)(output.with));
}

/* A register of pieces; as many as it has are looked at. */
USUBA_INLINE USUBA_V USUBA_SIZED(usuba_join)(usuba_vector_16 a, usuba_vector_16 b, usuba_vector_16 c, usuba_vector_16 d)
{
    (void)b, (void)c, (void)d;
#if USUBA_SIZE == 16
    return a;
#else
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)a), (__m128i)b, 1);
#if USUBA_SIZE == 32
    return (USUBA_V)low;
#else
    const __m512i three = _mm512_inserti32x4(_mm512_castsi256_si512(low), (__m128i)c, 2);
    return (USUBA_V)_mm512_inserti32x4(three, (__m128i)d, 3);
#endif
#endif
}

/* Pieces l from p + l * distance, in one or in halves `second` bytes apart. */
USUBA_INLINE USUBA_V USUBA_SIZED(usuba_gather)(const unsigned char *p, size_t distance)
{
#define USUBA_STEP(l) (16 * l < USUBA_SIZE ? usuba_get_16(p + l * distance) : none)
    const usuba_vector_16 none = { 0 };
    return USUBA_SIZED(usuba_join)(USUBA_STEP(0), USUBA_STEP(1), USUBA_STEP(2), USUBA_STEP(3));
#undef USUBA_STEP
}

USUBA_INLINE USUBA_V USUBA_SIZED(usuba_gather_halves)(const unsigned char *p, size_t distance, size_t second)
{
#define USUBA_STEP(l) (16 * l < USUBA_SIZE ? usuba_halves(p + l * distance, p + l * distance + second) : none)
    const usuba_vector_16 none = { 0 };
    return USUBA_SIZED(usuba_join)(USUBA_STEP(0), USUBA_STEP(1), USUBA_STEP(2), USUBA_STEP(3));
#undef USUBA_STEP
}

/* Piece l of a register. */
USUBA_INLINE usuba_vector_16 USUBA_SIZED(usuba_piece)(USUBA_V x, int l)
{
#if USUBA_SIZE == 16
    (void)l;
    return x;
#elif USUBA_SIZE == 32
    return (usuba_vector_16)(l == 0 ? _mm256_castsi256_si128((__m256i)x) : _mm256_extracti128_si256((__m256i)x, 1));
#else
    const __m512i y = (__m512i)x;
    return (usuba_vector_16)(l == 0   ? _mm512_castsi512_si128(y)
                             : l == 1 ? _mm512_extracti32x4_epi32(y, 1)
                             : l == 2 ? _mm512_extracti32x4_epi32(y, 2)
                                      : _mm512_extracti32x4_epi32(y, 3));
#endif
}

enum { USUBA_SIZED(usuba_pieces) = USUBA_SIZE / 16 };

/* Register number k of a column: blocks in the order of `usuba_block_of`, two to a piece where the width is 8. Blocks that
 * are the column follow each other in the register. */
USUBA_INLINE USUBA_V USUBA_SIZED(usuba_load)(const unsigned char *blocks, struct usuba_column column, size_t k)
{
    const size_t pieces = USUBA_SIZED(usuba_pieces), stride = column.stride;
    const unsigned char *p = blocks + k * pieces * stride;
    if (stride == column.width)
        return USUBA_SIZED(usuba_get)(blocks + k * USUBA_SIZE);
    if (column.width == 16)
        return USUBA_SIZED(usuba_gather)(p, stride);
    return USUBA_SIZED(usuba_gather_halves)(blocks + 2 * k * pieces * stride, stride, pieces * stride);
}

/* The reverse. */
USUBA_INLINE void USUBA_SIZED(usuba_store)(struct usuba_output blocks, struct usuba_column column, size_t k, USUBA_V x)
{
    const size_t pieces = USUBA_SIZED(usuba_pieces), stride = column.stride;
    if (stride == column.width) {
        USUBA_SIZED(usuba_output)(usuba_output_at(blocks, k * USUBA_SIZE), x);
    } else if (column.width == 16) {
        const struct usuba_output first = usuba_output_at(blocks, k * pieces * stride);
#define USUBA_STEP(l) \
    if (l < pieces) \
        usuba_output_16(usuba_output_at(first, l * stride), USUBA_SIZED(usuba_piece)(x, l));
        USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    } else {
        const struct usuba_output first = usuba_output_at(blocks, 2 * k * pieces * stride);
#define USUBA_STEP(l) \
    if (l < pieces) { \
        const usuba_vector_16 piece = USUBA_SIZED(usuba_piece)(x, l); \
        usuba_output_half(usuba_output_at(first, l * stride), piece[0]); \
        usuba_output_half(usuba_output_at(first, (pieces + l) * stride), piece[1]); \
    }
        USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    }
}

/* In every piece, takes the elements of `bytes` bytes of x and y in turn: those of the first halves to x, of the second
 * halves to y. The highest bit of the place becomes the number of the register; the others move up; the number of the
 * register becomes the lowest. */
USUBA_INLINE void USUBA_SIZED(usuba_interleave)(size_t bytes, USUBA_V *x, USUBA_V *y)
{
#if USUBA_SIZE == 16
    if (bytes == 1) {
        const usuba_vector_16x16 a = (usuba_vector_16x16)*x, b = (usuba_vector_16x16)*y;
        *x = (usuba_vector_16)__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        *y = (usuba_vector_16)__builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    } else if (bytes == 2) {
        const usuba_vector_16x8 a = (usuba_vector_16x8)*x, b = (usuba_vector_16x8)*y;
        *x = (usuba_vector_16)__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
        *y = (usuba_vector_16)__builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    } else if (bytes == 4) {
        const usuba_vector_16x4 a = (usuba_vector_16x4)*x, b = (usuba_vector_16x4)*y;
        *x = (usuba_vector_16)__builtin_shufflevector(a, b, 0, 4, 1, 5);
        *y = (usuba_vector_16)__builtin_shufflevector(a, b, 2, 6, 3, 7);
    } else {
        const usuba_vector_16 a = *x, b = *y;
        *x = (usuba_vector_16)__builtin_shufflevector(a, b, 0, 2);
        *y = (usuba_vector_16)__builtin_shufflevector(a, b, 1, 3);
    }
#elif USUBA_SIZE == 32
    const __m256i a = (__m256i)*x, b = (__m256i)*y;
    if (bytes == 1) {
        *x = (USUBA_V)_mm256_unpacklo_epi8(a, b);
        *y = (USUBA_V)_mm256_unpackhi_epi8(a, b);
    } else if (bytes == 2) {
        *x = (USUBA_V)_mm256_unpacklo_epi16(a, b);
        *y = (USUBA_V)_mm256_unpackhi_epi16(a, b);
    } else if (bytes == 4) {
        *x = (USUBA_V)_mm256_unpacklo_epi32(a, b);
        *y = (USUBA_V)_mm256_unpackhi_epi32(a, b);
    } else {
        *x = (USUBA_V)_mm256_unpacklo_epi64(a, b);
        *y = (USUBA_V)_mm256_unpackhi_epi64(a, b);
    }
#else
    const __m512i a = (__m512i)*x, b = (__m512i)*y;
    if (bytes == 1) {
        *x = (USUBA_V)_mm512_unpacklo_epi8(a, b);
        *y = (USUBA_V)_mm512_unpackhi_epi8(a, b);
    } else if (bytes == 2) {
        *x = (USUBA_V)_mm512_unpacklo_epi16(a, b);
        *y = (USUBA_V)_mm512_unpackhi_epi16(a, b);
    } else if (bytes == 4) {
        *x = (USUBA_V)_mm512_unpacklo_epi32(a, b);
        *y = (USUBA_V)_mm512_unpackhi_epi32(a, b);
    } else {
        *x = (USUBA_V)_mm512_unpacklo_epi64(a, b);
        *y = (USUBA_V)_mm512_unpackhi_epi64(a, b);
    }
#endif
}

/* Exchanges the number of the register and bit log2(shift) of the place of a bit in its byte; `mask` has the bits whose
 * place has 0 there. */
USUBA_INLINE void USUBA_SIZED(usuba_exchange)(USUBA_V *x, USUBA_V *y, unsigned shift, uint64_t mask)
{
#if USUBA_SIZE == 64
    const __m512i up = (__m512i)(*y << shift), down = (__m512i)(*x >> shift), m = _mm512_set1_epi64((long long)mask);
    *x = (USUBA_V)_mm512_ternarylogic_epi64(m, (__m512i)*x, up, 0xca);
    *y = (USUBA_V)_mm512_ternarylogic_epi64(m, down, (__m512i)*y, 0xca);
#elif USUBA_SIZE == 32 && defined(__AVX512VL__)
    const __m256i up = (__m256i)(*y << shift), down = (__m256i)(*x >> shift), m = _mm256_set1_epi64x((long long)mask);
    *x = (USUBA_V)_mm256_ternarylogic_epi64(m, (__m256i)*x, up, 0xca);
    *y = (USUBA_V)_mm256_ternarylogic_epi64(m, down, (__m256i)*y, 0xca);
#else
    const USUBA_V t = ((*x >> shift) ^ *y) & mask;
    *x ^= t << shift;
    *y ^= t;
#endif
}

/* Exchanges the number of the register, 0 to 7, and the place of a bit in its byte. */
USUBA_INLINE void USUBA_SIZED(usuba_bits)(USUBA_V x[8])
{
#define USUBA_BITS(k, l, shift) \
    USUBA_SIZED(usuba_exchange)(&x[k], &x[l], shift, 0xffffffffffffffffu / ((1u << shift) + 1))
    USUBA_BITS(0, 1, 1); USUBA_BITS(2, 3, 1); USUBA_BITS(4, 5, 1); USUBA_BITS(6, 7, 1);
    USUBA_BITS(0, 2, 2); USUBA_BITS(1, 3, 2); USUBA_BITS(4, 6, 2); USUBA_BITS(5, 7, 2);
    USUBA_BITS(0, 4, 4); USUBA_BITS(1, 5, 4); USUBA_BITS(2, 6, 4); USUBA_BITS(3, 7, 4);
#undef USUBA_BITS
}

/* Exchanges register and place of 2, 4, 8 or 16 elements: element i of register r becomes element r of register i. */
#define USUBA_PAIR(k, l) USUBA_SIZED(usuba_interleave)(bytes, &x[k], &x[l])
USUBA_INLINE void USUBA_SIZED(usuba_elements2)(size_t bytes, USUBA_V x[2])
{
    USUBA_PAIR(0, 1);
}
USUBA_INLINE void USUBA_SIZED(usuba_elements4)(size_t bytes, USUBA_V x[4])
{
    USUBA_PAIR(0, 2); USUBA_PAIR(1, 3);
    USUBA_PAIR(0, 1); USUBA_PAIR(2, 3);
}
USUBA_INLINE void USUBA_SIZED(usuba_elements8)(size_t bytes, USUBA_V x[8])
{
    USUBA_PAIR(0, 4); USUBA_PAIR(1, 5); USUBA_PAIR(2, 6); USUBA_PAIR(3, 7);
    USUBA_PAIR(0, 2); USUBA_PAIR(1, 3); USUBA_PAIR(4, 6); USUBA_PAIR(5, 7);
    USUBA_PAIR(0, 1); USUBA_PAIR(2, 3); USUBA_PAIR(4, 5); USUBA_PAIR(6, 7);
}
USUBA_INLINE void USUBA_SIZED(usuba_elements16)(size_t bytes, USUBA_V x[16])
{
    USUBA_PAIR(0, 8); USUBA_PAIR(1, 9); USUBA_PAIR(2, 10); USUBA_PAIR(3, 11);
    USUBA_PAIR(4, 12); USUBA_PAIR(5, 13); USUBA_PAIR(6, 14); USUBA_PAIR(7, 15);
    USUBA_PAIR(0, 4); USUBA_PAIR(1, 5); USUBA_PAIR(2, 6); USUBA_PAIR(3, 7);
    USUBA_PAIR(8, 12); USUBA_PAIR(9, 13); USUBA_PAIR(10, 14); USUBA_PAIR(11, 15);
    USUBA_PAIR(0, 2); USUBA_PAIR(1, 3); USUBA_PAIR(4, 6); USUBA_PAIR(5, 7);
    USUBA_PAIR(8, 10); USUBA_PAIR(9, 11); USUBA_PAIR(12, 14); USUBA_PAIR(13, 15);
    USUBA_PAIR(0, 1); USUBA_PAIR(2, 3); USUBA_PAIR(4, 5); USUBA_PAIR(6, 7);
    USUBA_PAIR(8, 9); USUBA_PAIR(10, 11); USUBA_PAIR(12, 13); USUBA_PAIR(14, 15);
}
#undef USUBA_PAIR

/* ---- B: 8 * USUBA_SIZE instances; the place of one in its piece is r3 r2 r1 r0 s2 s1 s0 in binary. ----
 *
 * Width 16: byte i3..i0 of the blocks of piece l is at place i of piece l of register r, for each s; exchange r and i; then
 * for each i exchange s, the number of the register, and the bit.
 * Width 8: pieces of two blocks; register r, place s0 i2 i1 i0, for each s2 s1; exchange r and place; and so on. */

/* Where in the image the atom is that bit 0 of byte `at` belongs to, how far it is from there to the next bit, and how far
 * from a bit of the lower nibble to that of the upper one. */
USUBA_INLINE size_t USUBA_SIZED(usuba_atom_b)(struct usuba_format format, size_t at, size_t *step, size_t *nibble)
{
    const size_t first = usuba_bit_number(format, at, 0);
    *step = (usuba_bit_number(format, at, 1) - first) * USUBA_SIZE;
    *nibble = (usuba_bit_number(format, at, 4) - first) * USUBA_SIZE;
    return first * USUBA_SIZE;
}

/* Exchanges bits and registers of each byte of a column, in its place. */
USUBA_INLINE void USUBA_SIZED(usuba_bits_b)(unsigned char *image, size_t at, struct usuba_column column,
                                            struct usuba_format format)
{
    size_t i, step, nibble;
    USUBA_V x[8];
    for (i = 0; i < column.width; i++) {
        /* Steps may be negative, modulo 2^64: only their sum is an offset. */
        const size_t atom = USUBA_SIZED(usuba_atom_b)(format, at + i, &step, &nibble);
#define USUBA_STEP(k) x[k] = USUBA_SIZED(usuba_get)(image + (atom + k % 4 * step + k / 4 * nibble));
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
        USUBA_SIZED(usuba_bits)(x);
#define USUBA_STEP(k) USUBA_SIZED(usuba_put)(image + (atom + k % 4 * step + k / 4 * nibble), x[k]);
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
    }
}

/* Between the two exchanges a register of bytes i of the blocks with s is in the room of bit s of byte i. */
USUBA_INLINE size_t USUBA_SIZED(usuba_room_b)(struct usuba_format format, size_t at, size_t width, size_t s, size_t i)
{
    size_t step, nibble, atom = USUBA_SIZED(usuba_atom_b)(format, at + i % width, &step, &nibble);
    const size_t bit = s + i / width;
    return atom + bit % 4 * step + bit / 4 * nibble;
}

USUBA_INLINE void USUBA_SIZED(usuba_pack_b)(unsigned char *image, const unsigned char *blocks, size_t at,
                                            struct usuba_column column, struct usuba_format format)
{
    const size_t each = 16 / column.width;
    size_t s;
    USUBA_V x[16];
    for (s = 0; s < 8; s += each) {
#define USUBA_STEP(k) x[k] = USUBA_SIZED(usuba_load)(blocks + at, column, (8 * k + s) / each);
        USUBA_16(USUBA_STEP)
#undef USUBA_STEP
        USUBA_SIZED(usuba_elements16)(1, x);
#define USUBA_STEP(k) USUBA_SIZED(usuba_put)(image + USUBA_SIZED(usuba_room_b)(format, at, column.width, s, k), x[k]);
        USUBA_16(USUBA_STEP)
#undef USUBA_STEP
    }
    USUBA_SIZED(usuba_bits_b)(image, at, column, format);
}

USUBA_INLINE void USUBA_SIZED(usuba_unpack_b)(struct usuba_output blocks, unsigned char *image, size_t at,
                                              struct usuba_column column, struct usuba_format format)
{
    const size_t each = 16 / column.width;
    size_t s;
    USUBA_V x[16];
    USUBA_SIZED(usuba_bits_b)(image, at, column, format);
    for (s = 0; s < 8; s += each) {
#define USUBA_STEP(k) x[k] = USUBA_SIZED(usuba_get)(image + USUBA_SIZED(usuba_room_b)(format, at, column.width, s, k));
        USUBA_16(USUBA_STEP)
#undef USUBA_STEP
        USUBA_SIZED(usuba_elements16)(1, x);
#define USUBA_STEP(k) USUBA_SIZED(usuba_store)(usuba_output_at(blocks, at), column, (8 * k + s) / each, x[k]);
        USUBA_16(USUBA_STEP)
#undef USUBA_STEP
    }
}

#if USUBA_SIZE == 16
/* The same for registers of 8 bytes, numbers of instances r2 r1 r0 s2 s1 s0, 8 registers r. Exchanging r and the upper bits
 * of the place i3 i2 i1 i0 (or s0 i2 i1 i0) leaves the halves of register i3 i2 i1 (s0 i2 i1) to bytes that differ in i0. */
USUBA_INLINE void usuba_pack_b_8(unsigned char *image, const unsigned char *blocks, size_t at,
                                 struct usuba_column column, struct usuba_format format)
{
    const size_t pairs = column.width / 2;
    size_t s, i;
    usuba_vector_16 x[8], bytes[8][8];
    for (s = 0; s < 8; s += 16 / column.width) {
#define USUBA_STEP(k) x[k] = usuba_load_16(blocks + at, column, (8 * k + s) * column.width / 16);
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
        usuba_elements8_16(1, x);
#define USUBA_STEP(k) bytes[k % pairs][s + k / pairs] = x[k];
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
    }
    for (i = 0; i < pairs; i++) {
        usuba_bits_16(bytes[i]);
#define USUBA_STEP(k) \
    memcpy(image + usuba_bit_number(format, at + 2 * i, k) * 8, &bytes[i][k], 8); \
    memcpy(image + usuba_bit_number(format, at + 2 * i + 1, k) * 8, (const unsigned char *)&bytes[i][k] + 8, 8);
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
    }
}

/* The way back has one step more, as r2 r1 r0 is below i0: it ends with r0 in the place of i3. */
USUBA_INLINE void usuba_unpack_b_8(struct usuba_output blocks, unsigned char *image, size_t at,
                                   struct usuba_column column, struct usuba_format format)
{
    const size_t pairs = column.width / 2;
    size_t s, i;
    usuba_vector_16 x[8], bytes[8][8];
    for (i = 0; i < pairs; i++) {
        uint64_t low, high;
#define USUBA_STEP(k) \
    memcpy(&low, image + usuba_bit_number(format, at + 2 * i, k) * 8, 8); \
    memcpy(&high, image + usuba_bit_number(format, at + 2 * i + 1, k) * 8, 8); \
    x[k] = (usuba_vector_16){ low, high };
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
        usuba_bits_16(x);
#define USUBA_STEP(k) bytes[k / (8 / pairs) * (8 / pairs)][k % (8 / pairs) * pairs + i] = x[k];
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
    }
    for (s = 0; s < 8; s += 16 / column.width) {
#define USUBA_STEP(k) x[k] = bytes[s][k];
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
        usuba_elements8_16(1, x);
#define USUBA_STEP(k) usuba_interleave_16(1, &x[k], &x[k + 4]);
        USUBA_4(USUBA_STEP)
#undef USUBA_STEP
#define USUBA_STEP(k) \
    usuba_store_16(usuba_output_at(blocks, at), column, (8 * (2 * k % 8 + k / 4) + s) * column.width / 16, x[k]);
        USUBA_8(USUBA_STEP)
#undef USUBA_STEP
    }
}
#endif

/* ---- V: USUBA_SIZE / lane instances, lanes of words of as many bits. ---- */

/* Reverses the bytes of every lane. */
USUBA_INLINE USUBA_V USUBA_SIZED(usuba_reverse)(size_t lane, USUBA_V x)
{
#if USUBA_SIZE == 64
    const long long high = lane == 2 ? 0x0e0f0c0d0a0b0809 : lane == 4 ? 0x0c0d0e0f08090a0b : 0x08090a0b0c0d0e0f;
    const long long low = lane == 2 ? 0x0607040502030001 : lane == 4 ? 0x0405060700010203 : 0x0001020304050607;
    return (USUBA_V)_mm512_shuffle_epi8((__m512i)x, _mm512_set_epi64(high, low, high, low, high, low, high, low));
#elif USUBA_SIZE == 32
    const long long high = lane == 2 ? 0x0e0f0c0d0a0b0809 : lane == 4 ? 0x0c0d0e0f08090a0b : 0x08090a0b0c0d0e0f;
    const long long low = lane == 2 ? 0x0607040502030001 : lane == 4 ? 0x0405060700010203 : 0x0001020304050607;
    return (USUBA_V)_mm256_shuffle_epi8((__m256i)x, _mm256_set_epi64x(high, low, high, low));
#elif defined(__SSE2__) && !defined(__SSSE3__) && !defined(USUBA_VECTOR_BYTES)
    usuba_vector_16x8 halves = (usuba_vector_16x8)x;
    halves = halves << 8 | halves >> 8;
    if (lane == 8)
        halves = __builtin_shufflevector(halves, halves, 3, 2, 1, 0, 7, 6, 5, 4);
    else if (lane == 4)
        halves = __builtin_shufflevector(halves, halves, 1, 0, 3, 2, 5, 4, 7, 6);
    return (USUBA_V)halves;
#else
    const usuba_vector_16x16 b = (usuba_vector_16x16)x;
    if (lane == 2)
        return (USUBA_V)__builtin_shufflevector(b, b, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    if (lane == 4)
        return (USUBA_V)__builtin_shufflevector(b, b, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    return (USUBA_V)__builtin_shufflevector(b, b, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
#endif
}

/* Adds n to every lane. */
USUBA_INLINE USUBA_V USUBA_SIZED(usuba_add)(size_t lane, USUBA_V x, uint64_t n)
{
    typedef uint8_t bytes __attribute__((vector_size(USUBA_SIZE)));
    typedef uint16_t halves __attribute__((vector_size(USUBA_SIZE)));
    typedef uint32_t words __attribute__((vector_size(USUBA_SIZE)));
    if (lane == 1)
        return (USUBA_V)((bytes)x + (uint8_t)n);
    if (lane == 2)
        return (USUBA_V)((halves)x + (uint16_t)n);
    if (lane == 4)
        return (USUBA_V)((words)x + (uint32_t)n);
    return x + n;
}

USUBA_INLINE void USUBA_SIZED(usuba_count)(unsigned char *row, unsigned char *numbers, size_t lane, uint64_t moved,
                                           int reverse)
{
    const USUBA_V x = USUBA_SIZED(usuba_add)(lane, USUBA_SIZED(usuba_get)(numbers), moved);
    USUBA_SIZED(usuba_put)(numbers, x);
    USUBA_SIZED(usuba_put)(row, reverse ? USUBA_SIZED(usuba_reverse)(lane, x) : x);
}

/* A number in every lane. */
USUBA_INLINE USUBA_V USUBA_SIZED(usuba_all)(size_t lane, uint64_t n)
{
    const USUBA_V none = { 0 };
    return USUBA_SIZED(usuba_add)(lane, none, n);
}

/* `next` in the lanes whose number is below `low`, `value` in the others. Comparisons of vectors do not mean the same to all
 * compilers: the highest bit of `borrow` is what a subtraction of `low` borrows. */
USUBA_INLINE void USUBA_SIZED(usuba_count_row)(unsigned char *row, const unsigned char *numbers, size_t lane, uint64_t low,
                                               uint64_t value, uint64_t next)
{
    typedef uint8_t bytes __attribute__((vector_size(USUBA_SIZE)));
    typedef uint16_t halves __attribute__((vector_size(USUBA_SIZE)));
    typedef uint32_t words __attribute__((vector_size(USUBA_SIZE)));
    const USUBA_V x = USUBA_SIZED(usuba_get)(numbers), y = USUBA_SIZED(usuba_all)(lane, low), none = { 0 };
    const USUBA_V borrow = (~x & y) | ((~x | y) & USUBA_SIZED(usuba_add)(lane, x, 0 - low));
    const USUBA_V passed = lane == 1   ? (USUBA_V)((bytes)none - ((bytes)borrow >> 7))
                           : lane == 2 ? (USUBA_V)((halves)none - ((halves)borrow >> 15))
                           : lane == 4 ? (USUBA_V)((words)none - ((words)borrow >> 31))
                                       : none - (borrow >> 63);
    const USUBA_V change = USUBA_SIZED(usuba_all)(lane, value ^ next);
    USUBA_SIZED(usuba_put)(row, USUBA_SIZED(usuba_all)(lane, value) ^ (change & passed));
}

/* Exchanges register and place of `count` elements, the number of elements in a piece or half of it. */
USUBA_INLINE void USUBA_SIZED(usuba_elements)(size_t count, size_t bytes, USUBA_V x[16])
{
    if (count == 16)
        USUBA_SIZED(usuba_elements16)(bytes, x);
    else if (count == 8)
        USUBA_SIZED(usuba_elements8)(bytes, x);
    else if (count == 4)
        USUBA_SIZED(usuba_elements4)(bytes, x);
    else if (count == 2)
        USUBA_SIZED(usuba_elements2)(bytes, x);
}

/* The words of a column of width 16: element i of the blocks of register r is at place i of each piece; exchange r and i.
 * Of width 8: pieces of two blocks; register r, place r' i. An exchange of r and the upper bits of the place leaves r' as
 * one bit of the number of the register, and one more step brings it to the lowest place. */
USUBA_INLINE void USUBA_SIZED(usuba_pack_v)(unsigned char *image, const unsigned char *blocks, size_t at,
                                            struct usuba_column column, size_t lane, int reverse)
{
    const size_t words = column.width / lane;
    unsigned char *to = image + at / lane * USUBA_SIZE;
    const USUBA_V none = { 0 };
    USUBA_V x[16];
#define USUBA_STEP(k) x[k] = k < words ? USUBA_SIZED(usuba_load)(blocks + at, column, k) : none;
    USUBA_16(USUBA_STEP)
#undef USUBA_STEP
    USUBA_SIZED(usuba_elements)(words, lane, x);
    if (column.width == 8) {
        /* Register r' i_high..i_low+1 in the order of the steps, place i_low r. */
#define USUBA_STEP(k) \
    if (k < words / 2) \
        USUBA_SIZED(usuba_interleave)(lane, &x[k], &x[k + words / 2]);
        USUBA_4(USUBA_STEP)
#undef USUBA_STEP
    }
#define USUBA_STEP(k) \
    if (k < words) \
        USUBA_SIZED(usuba_put)(to + (column.width == 16 ? k : 2 * k % words + 2 * k / words) * USUBA_SIZE, \
                               reverse ? USUBA_SIZED(usuba_reverse)(lane, x[k]) : x[k]);
    USUBA_16(USUBA_STEP)
#undef USUBA_STEP
}

USUBA_INLINE void USUBA_SIZED(usuba_unpack_v)(struct usuba_output blocks, const unsigned char *image, size_t at,
                                              struct usuba_column column, size_t lane, int reverse)
{
    const size_t words = column.width / lane;
    const unsigned char *from = image + at / lane * USUBA_SIZE;
    const USUBA_V none = { 0 };
    USUBA_V x[16];
#define USUBA_STEP(k) x[k] = k < words ? USUBA_SIZED(usuba_get)(from + k * USUBA_SIZE) : none;
    USUBA_16(USUBA_STEP)
#undef USUBA_STEP
    USUBA_SIZED(usuba_elements)(words, lane, x);
#define USUBA_STEP(k) \
    if (k < words) \
        USUBA_SIZED(usuba_store)(usuba_output_at(blocks, at), column, k, \
                                 reverse ? USUBA_SIZED(usuba_reverse)(lane, x[k]) : x[k]);
    USUBA_16(USUBA_STEP)
#undef USUBA_STEP
}

/* As many bytes of each block as a register has: its words from piece p of their registers, n = 16 / lane of them at place i
 * of pieces l of register i; exchange register and place. Loads take pieces together for less than shuffles do. */
USUBA_INLINE void USUBA_SIZED(usuba_unpack_v_row)(struct usuba_output blocks, const unsigned char *image, size_t at,
                                                  size_t stride, size_t lane, int reverse)
{
    const size_t n = 16 / lane, pieces = USUBA_SIZED(usuba_pieces);
    const unsigned char *from = image + at / lane * USUBA_SIZE;
    const USUBA_V none = { 0 };
    size_t p;
    USUBA_V x[16];
    for (p = 0; p < pieces; p++) {
        const struct usuba_output first = usuba_output_at(blocks, p * stride + at);
#define USUBA_STEP(k) x[k] = k < n ? USUBA_SIZED(usuba_gather)(from + k * USUBA_SIZE + 16 * p, n * USUBA_SIZE) : none;
        USUBA_16(USUBA_STEP)
#undef USUBA_STEP
        USUBA_SIZED(usuba_elements)(n, lane, x);
#define USUBA_STEP(k) \
    if (k < n) \
        USUBA_SIZED(usuba_output)(usuba_output_at(first, k * pieces * stride), \
                                  reverse ? USUBA_SIZED(usuba_reverse)(lane, x[k]) : x[k]);
        USUBA_16(USUBA_STEP)
#undef USUBA_STEP
    }
}

USUBA_NUMBERS(USUBA_V, USUBA_SIZED(usuba_exchange_numbers), USUBA_SIZED(usuba_rotate_numbers))

/* Between `cell` = 4 or 8 words of `width` bits, which are lanes, of the cells of a group one behind the other, and its planes.
 * The number of a bit among all of them is that of the word, of the cell in it and of the bit in the cell, each counted from
 * the last: exchange word and bit, then bring the word, now at the end, to where the cell is. */
USUBA_INLINE void USUBA_SIZED(usuba_exchange_cells)(unsigned char *image, size_t cell, size_t width, int back)
{
    const unsigned of = usuba_log2(width), bits = usuba_log2(cell);
    const USUBA_V none = { 0 };
    USUBA_V x[8];
#define USUBA_STEP(k) x[k] = k < cell ? USUBA_SIZED(usuba_get)(image + (cell - 1 - k) * USUBA_SIZE) : none;
    USUBA_8(USUBA_STEP)
#undef USUBA_STEP
#define USUBA_STEP(k) \
    if (back) \
        x[k] = USUBA_SIZED(usuba_rotate_numbers)(x[k], 0, of, bits);
    USUBA_8(USUBA_STEP)
#undef USUBA_STEP
#define USUBA_PAIR(k, n) \
    if (((k) >> (n) & 1) == 0 && (n) < bits && (k) < cell) { \
        const USUBA_V t = (x[k] >> (1u << (n)) ^ x[(k) | 1u << (n)]) & ~USUBA_NUMBERED(n); \
        x[k] ^= t << (1u << (n)); \
        x[(k) | 1u << (n)] ^= t; \
    }
#define USUBA_STEP(k) USUBA_PAIR(k, 0)
    USUBA_8(USUBA_STEP)
#undef USUBA_STEP
#define USUBA_STEP(k) USUBA_PAIR(k, 1)
    USUBA_8(USUBA_STEP)
#undef USUBA_STEP
#define USUBA_STEP(k) USUBA_PAIR(k, 2)
    USUBA_8(USUBA_STEP)
#undef USUBA_STEP
#undef USUBA_PAIR
#define USUBA_STEP(k) \
    if (!back) \
        x[k] = USUBA_SIZED(usuba_rotate_numbers)(x[k], 0, of, of - bits);
    USUBA_8(USUBA_STEP)
#undef USUBA_STEP
#define USUBA_STEP(k) \
    if (k < cell) \
        USUBA_SIZED(usuba_put)(image + (cell - 1 - k) * USUBA_SIZE, x[k]);
    USUBA_8(USUBA_STEP)
#undef USUBA_STEP
}

/* The same bits in all low halves of pieces, and in all high halves. */
USUBA_INLINE USUBA_V USUBA_SIZED(usuba_halves)(uint64_t low, uint64_t high)
{
#if USUBA_SIZE == 16
    const USUBA_V x = { low, high };
#elif USUBA_SIZE == 32
    const USUBA_V x = { low, high, low, high };
#else
    const USUBA_V x = { low, high, low, high, low, high, low, high };
#endif
    return x;
}

/* ---- Packed: a piece of a register is 16 bytes of a block. ---- */

USUBA_INLINE void USUBA_SIZED(usuba_pack_p)(unsigned char *row, const unsigned char *blocks, struct usuba_column column,
                                            size_t lane, int reverse)
{
    const USUBA_V x = USUBA_SIZED(usuba_load)(blocks, column, 0);
    USUBA_SIZED(usuba_put)(row, reverse ? USUBA_SIZED(usuba_reverse)(lane, x) : x);
}

USUBA_INLINE void USUBA_SIZED(usuba_unpack_p)(struct usuba_output blocks, const unsigned char *row,
                                              struct usuba_column column, size_t lane, int reverse)
{
    const USUBA_V x = USUBA_SIZED(usuba_get)(row);
    USUBA_SIZED(usuba_store)(blocks, column, 0, reverse ? USUBA_SIZED(usuba_reverse)(lane, x) : x);
}

/* Counters of 16 bytes, big-endian, each from two numbers, the upper one first; the lower ones grow by `moved`. */
USUBA_INLINE void USUBA_SIZED(usuba_count_p)(unsigned char *row, uint64_t *numbers, size_t lane, uint64_t moved, int reverse)
{
    unsigned char *memory = (unsigned char *)numbers;
    USUBA_V x = USUBA_SIZED(usuba_get)(memory) + USUBA_SIZED(usuba_halves)(0, moved);
    USUBA_SIZED(usuba_put)(memory, x);
    if (!USUBA_BIG_ENDIAN)
        x = USUBA_SIZED(usuba_reverse)(8, x);
    USUBA_SIZED(usuba_put)(row, reverse ? USUBA_SIZED(usuba_reverse)(lane, x) : x);
}

#include "usuba_vector_size_h.h"

#undef USUBA_JOIN_
#undef USUBA_JOIN
#undef USUBA_SIZED
#undef USUBA_V
#undef USUBA_4
#undef USUBA_8
#undef USUBA_16
