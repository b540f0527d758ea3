/* usuba_count_size.h - counters in registers of USUBA_SIZE bytes. Included by usuba_vector.h once for each size; the names of all
 * functions end in the size. */
#define USUBA_JOIN_(name, size) name##_##size
#define USUBA_JOIN(name, size) USUBA_JOIN_(name, size)
#define USUBA_SIZED(name) USUBA_JOIN(name, USUBA_SIZE)
#define USUBA_V USUBA_SIZED(usuba_vector)

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

/* The number of its piece in every second half, or in every first one, and 0 in the other. */
USUBA_INLINE USUBA_V USUBA_SIZED(usuba_pieces)(int second)
{
#if USUBA_SIZE == 16
    const USUBA_V in_first = { 0, 0 }, in_second = { 0, 0 };
#elif USUBA_SIZE == 32
    const USUBA_V in_first = { 0, 0, 1, 0 }, in_second = { 0, 0, 0, 1 };
#else
    const USUBA_V in_first = { 0, 0, 1, 0, 2, 0, 3, 0 }, in_second = { 0, 0, 0, 1, 0, 2, 0, 3 };
#endif
    return second ? in_second : in_first;
}

/* Rows of four words in two halves, one behind the other, to whose first words the numbers 0, 1, ... are added. */
USUBA_INLINE void USUBA_SIZED(usuba_count_rows)(unsigned char *rows, uint64_t low, uint64_t high)
{
    typedef uint32_t words __attribute__((vector_size(USUBA_SIZE)));
    const words numbers = (words)(USUBA_SIZED(usuba_pieces)(0) << (USUBA_BIG_ENDIAN ? 32 : 0));
    USUBA_SIZED(usuba_put)(rows, (USUBA_V)((words)USUBA_SIZED(usuba_halves)(low, high) + numbers));
}

/* Counters of 16 bytes, big-endian, for all `batches`, from the number of these two halves on, of which only the last byte changes.
 * Kernels and counters share ports: it is one sum for each register. */
USUBA_INLINE void USUBA_SIZED(usuba_count_p_last)(unsigned char *rows, size_t batches, uint64_t high, uint64_t low, size_t lane,
                                                  int reverse)
{
    const int at = USUBA_BIG_ENDIAN ? 0 : 56;
    USUBA_V x = USUBA_BIG_ENDIAN ? USUBA_SIZED(usuba_halves)(high, low)
                                 : USUBA_SIZED(usuba_halves)(__builtin_bswap64(high), __builtin_bswap64(low));
    size_t batch;
    x += USUBA_SIZED(usuba_pieces)(1) << at;
    for (batch = 0; batch < batches; batch++) {
        USUBA_SIZED(usuba_put)(rows + batch * USUBA_SIZE, reverse ? USUBA_SIZED(usuba_reverse)(lane, x) : x);
        x += USUBA_SIZED(usuba_halves)(0, (uint64_t)(USUBA_SIZE / 16) << at);
    }
}

/* The same where all bytes may change. What is added is below 2^63: the lower half carries where that is more than what it has
 * left, which the sign of a difference says. */
USUBA_INLINE void USUBA_SIZED(usuba_count_p)(unsigned char *rows, size_t batches, uint64_t high, uint64_t low, size_t lane,
                                             int reverse)
{
    const uint64_t left = ~low < INT64_MAX ? ~low : INT64_MAX;
    USUBA_V rest = USUBA_SIZED(usuba_halves)(left, 0) - USUBA_SIZED(usuba_pieces)(0);
    USUBA_V numbers = USUBA_SIZED(usuba_halves)(high, low) + USUBA_SIZED(usuba_pieces)(1);
    size_t batch;
    for (batch = 0; batch < batches; batch++) {
        USUBA_V y = numbers + (rest >> 63);
        if (!USUBA_BIG_ENDIAN)
            y = USUBA_SIZED(usuba_reverse)(8, y);
        USUBA_SIZED(usuba_put)(rows + batch * USUBA_SIZE, reverse ? USUBA_SIZED(usuba_reverse)(lane, y) : y);
        rest -= USUBA_SIZED(usuba_halves)(USUBA_SIZE / 16, 0);
        numbers += USUBA_SIZED(usuba_halves)(0, USUBA_SIZE / 16);
    }
}

#undef USUBA_JOIN_
#undef USUBA_JOIN
#undef USUBA_SIZED
#undef USUBA_V
