/* usuba_poly1305_lanes.h - Poly1305 on POLY1305_LANES blocks side by side, 4 or 8.
 *
 * usuba_poly1305_vectors.h includes this once for each width, with the macros that say how. */

/* A word of 64 bits for each lane. */
typedef uint64_t POLY1305_NAME(vector) __attribute__((vector_size(8 * POLY1305_LANES)));
#define VECTOR POLY1305_NAME(vector)

/* A number for each lane: limbs at distances of 26 bits. */
typedef struct {
    VECTOR limb[POLY1305_LIMBS];
} POLY1305_NAME(number);
#define NUMBER POLY1305_NAME(number)

/* What numbers are multiplied by: limbs; five[i] is 5 limb[i + 1]. */
typedef struct {
    VECTOR limb[POLY1305_LIMBS], five[POLY1305_LIMBS - 1];
} POLY1305_NAME(factor);
#define FACTOR POLY1305_NAME(factor)

#define ALL(word) ((VECTOR){ 0 } + (word))
#define TIMES(a, b) (VECTOR) POLY1305_PRODUCT(a, b)
/* The lane of a block, of those that are loaded at once. */
#define LANE(block) ((block) < POLY1305_LANES / 2 ? 2 * (block) : 2 * (block) + 1 - POLY1305_LANES)

/* Adds a b, where 2^130 is 5. Limbs of a are less than 2^27 and those of b less than 2^26.33, 5 times that is less than
 * 2^28.66: vpmuludq takes 32 bits. What is added to each limb is less than 5 2^27 2^28.66 < 2^58. */
USUBA_INLINE void POLY1305_NAME(add_product)(NUMBER *sum, const NUMBER *a, const FACTOR *b)
{
    const VECTOR a0 = a->limb[0], a1 = a->limb[1], a2 = a->limb[2], a3 = a->limb[3], a4 = a->limb[4];
    const VECTOR *const l = b->limb, *const f = b->five;
    sum->limb[0] += TIMES(a0, l[0]) + TIMES(a1, f[3]) + TIMES(a2, f[2]) + TIMES(a3, f[1]) + TIMES(a4, f[0]);
    sum->limb[1] += TIMES(a0, l[1]) + TIMES(a1, l[0]) + TIMES(a2, f[3]) + TIMES(a3, f[2]) + TIMES(a4, f[1]);
    sum->limb[2] += TIMES(a0, l[2]) + TIMES(a1, l[1]) + TIMES(a2, l[0]) + TIMES(a3, f[3]) + TIMES(a4, f[2]);
    sum->limb[3] += TIMES(a0, l[3]) + TIMES(a1, l[2]) + TIMES(a2, l[1]) + TIMES(a3, l[0]) + TIMES(a4, f[3]);
    sum->limb[4] += TIMES(a0, l[4]) + TIMES(a1, l[3]) + TIMES(a2, l[2]) + TIMES(a3, l[1]) + TIMES(a4, l[0]);
}

/* Limbs of less than 2^59 become limbs of less than 2^26 + 2^10. Carries go two ways at once, from the limbs 0 and 3. They
 * are less than 2^34; that from the top comes back times 5, less than 2^36, and of it less than 2^10 goes on to limb 1. */
USUBA_INLINE void POLY1305_NAME(carry)(NUMBER *a)
{
    const VECTOR mask = ALL(POLY1305_MASK);
    VECTOR *const l = a->limb, top;
    l[1] += l[0] >> POLY1305_BITS;
    l[0] &= mask;
    l[4] += l[3] >> POLY1305_BITS;
    l[3] &= mask;
    l[2] += l[1] >> POLY1305_BITS;
    l[1] &= mask;
    top = l[4] >> POLY1305_BITS;
    l[4] &= mask;
    l[0] += top + (top << 2);
    l[3] += l[2] >> POLY1305_BITS;
    l[2] &= mask;
    l[1] += l[0] >> POLY1305_BITS;
    l[0] &= mask;
    l[4] += l[3] >> POLY1305_BITS;
    l[3] &= mask;
}

/* The numbers of two words, and `beyond` 2^128 <= 6 2^128. Limbs are less than 2^26, the last less than 2^26.81, and where
 * beyond is at most 4, 2^26.33. */
USUBA_INLINE void POLY1305_NAME(load)(NUMBER *n, const unsigned char *in, VECTOR beyond)
{
    const VECTOR mask = ALL(POLY1305_MASK);
    VECTOR a, b, low, high;
    memcpy(&a, in, sizeof a);
    memcpy(&b, in + sizeof a, sizeof b);
    low = (VECTOR)POLY1305_FIRSTS(a, b);
    high = (VECTOR)POLY1305_SECONDS(a, b);
    n->limb[0] = low & mask;
    n->limb[1] = low >> 26 & mask;
    n->limb[2] = (low >> 52 | high << 12) & mask;
    n->limb[3] = high >> 14 & mask;
    n->limb[4] = high >> 40 | beyond << 24;
}

USUBA_INLINE void POLY1305_NAME(as_factor)(FACTOR *factor, const NUMBER *n)
{
    const VECTOR *const l = n->limb;
    factor->limb[0] = l[0];
    factor->limb[1] = l[1];
    factor->limb[2] = l[2];
    factor->limb[3] = l[3];
    factor->limb[4] = l[4];
    factor->five[0] = l[1] + (l[1] << 2);
    factor->five[1] = l[2] + (l[2] << 2);
    factor->five[2] = l[3] + (l[3] << 2);
    factor->five[3] = l[4] + (l[4] << 2);
}

/* The number of the first lane, in all lanes. */
USUBA_INLINE void POLY1305_NAME(first_as_factor)(FACTOR *factor, const NUMBER *n)
{
    const VECTOR *const l = n->limb;
    const NUMBER first = { { ALL(l[0][0]), ALL(l[1][0]), ALL(l[2][0]), ALL(l[3][0]), ALL(l[4][0]) } };
    POLY1305_NAME(as_factor)(factor, &first);
}

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

/* What holds r or what follows from it. */
struct POLY1305_NAME(memory) {
    /* One number of three words for each block: 16 bytes each, and what is beyond them in the order of lanes. */
    unsigned char words[16 * POLY1305_LANES], beyond[8 * POLY1305_LANES];
    /* In the lane of block j, of L lanes, r^(L - j). */
    NUMBER powers;
    /* r^L and r^(2 L). */
    FACTOR once, twice;
};

/* As usuba_wipe does, by whole vectors: GCC makes a loop over words of that. */
USUBA_INLINE void POLY1305_NAME(wipe)(struct POLY1305_NAME(memory) *memory)
{
    unsigned char *const p = (unsigned char *)memory;
    const VECTOR zero = ALL(0);
    size_t i;
    for (i = 0; i < sizeof *memory; i += sizeof zero)
        memcpy(p + i, &zero, sizeof zero);
    __asm__ __volatile__("" : : "r"(memory) : "memory");
}

/* Puts a number where `load` takes that of a block from. */
USUBA_INLINE void POLY1305_NAME(put)(struct POLY1305_NAME(memory) *memory, size_t block, const uint64_t a[3])
{
    usuba_store64(memory->words + 16 * block, a[0]);
    usuba_store64(memory->words + 16 * block + 8, a[1]);
    usuba_store64(memory->beyond + 8 * LANE(block), a[2]);
}

USUBA_INLINE void POLY1305_NAME(get)(NUMBER *n, const struct POLY1305_NAME(memory) *memory)
{
    VECTOR beyond;
    memcpy(&beyond, memory->beyond, sizeof beyond);
    POLY1305_NAME(load)(n, memory->words, beyond);
}

/* Makes the powers of r. */
USUBA_INLINE void POLY1305_NAME(raise)(struct POLY1305_NAME(memory) *memory, uint64_t r0, uint64_t r1)
{
    uint64_t power[3] = { r0, r1, 0 };
    size_t j;
    for (j = 1; j <= 4; j++) {
        POLY1305_NAME(put)(memory, POLY1305_LANES - j, power);
        if (POLY1305_LANES == 8)
            POLY1305_NAME(put)(memory, POLY1305_LANES - 4 - j, power);
        if (j < 4)
            poly1305_multiply(power, r0, r1);
    }
    POLY1305_NAME(get)(&memory->powers, memory);
#if POLY1305_LANES == 8
    /* r^4 is in the first lane. The lanes of the blocks 0 to 3 are multiplied by it, the others by 1. */
    {
        const VECTOR upper = { ~(uint64_t)0, 0, ~(uint64_t)0, 0, ~(uint64_t)0, 0, ~(uint64_t)0, 0 };
        const VECTOR *const l = memory->powers.limb;
        const NUMBER by = { { (ALL(l[0][0]) & upper) | (ALL(1) & ~upper), ALL(l[1][0]) & upper, ALL(l[2][0]) & upper,
                              ALL(l[3][0]) & upper, ALL(l[4][0]) & upper } };
        NUMBER product = { { ALL(0) } };
        FACTOR factor;
        POLY1305_NAME(as_factor)(&factor, &by);
        POLY1305_NAME(add_product)(&product, &memory->powers, &factor);
        POLY1305_NAME(carry)(&product);
        memory->powers = product;
    }
#endif
    usuba_wipe(power, sizeof power);
}

/* Takes whole blocks, each with 2^128. The first lanes begin with nothing where the number of blocks is no multiple of that
 * of lanes: so no block is left for the end. */
static void POLY1305_NAME(take)(struct poly1305_state *state, const unsigned char *in, size_t blocks)
{
    const size_t beginning = (blocks - 1) % POLY1305_LANES + 1, idle = POLY1305_LANES - beginning;
    const uint64_t none[3] = { 0, 0, 0 };
    const NUMBER zero = { { ALL(0), ALL(0), ALL(0), ALL(0), ALL(0) } };
    struct POLY1305_NAME(memory) memory;
    uint64_t first[3] = { state->sum[0], state->sum[1], state->sum[2] }, limbs[POLY1305_LIMBS];
    NUMBER sum, next, other;
    size_t j;

    POLY1305_NAME(raise)(&memory, state->multiplier[0], state->multiplier[1]);
    POLY1305_NAME(first_as_factor)(&memory.once, &memory.powers);

    /* The first block comes with the sum so far. */
    poly1305_add(first, in, 1);
    for (j = 0; j < idle; j++)
        POLY1305_NAME(put)(&memory, j, none);
    POLY1305_NAME(put)(&memory, idle, first);
    for (j = idle + 1; j < POLY1305_LANES; j++)
        usuba_store64(memory.beyond + 8 * LANE(j), 1);
    memcpy(memory.words + 16 * (idle + 1), in + 16, 16 * (beginning - 1));
    POLY1305_NAME(get)(&sum, &memory);
    in += 16 * beginning;
    blocks -= beginning;

    if (blocks / POLY1305_LANES % 2 == 1) {
        POLY1305_NAME(load)(&next, in, ALL(1));
        POLY1305_NAME(add_product)(&next, &sum, &memory.once);
        POLY1305_NAME(carry)(&next);
        sum = next;
        in += 16 * POLY1305_LANES;
        blocks -= POLY1305_LANES;
    }
    if (blocks > 0) {
        next = zero;
        POLY1305_NAME(add_product)(&next, &memory.powers, &memory.once);
        POLY1305_NAME(carry)(&next);
        POLY1305_NAME(first_as_factor)(&memory.twice, &next);
        /* The compiler is not to know what is in there, and so to read it in each instruction that uses it: registers are
         * for the sum. */
        __asm__("" : "+m"(memory));
        for (; blocks > 0; blocks -= 2 * POLY1305_LANES, in += 2 * 16 * POLY1305_LANES) {
            /* Nor that limbs are less than 2^32: without that, clang 19 multiplies by 64 bits. */
            __asm__("" : "+" POLY1305_REGISTER(sum.limb[0]), "+" POLY1305_REGISTER(sum.limb[1]),
                    "+" POLY1305_REGISTER(sum.limb[2]), "+" POLY1305_REGISTER(sum.limb[3]),
                    "+" POLY1305_REGISTER(sum.limb[4]));
            /* What is added up is less than 2^26 + 2^57 + 2^58 < 2^59. */
            POLY1305_NAME(load)(&other, in, ALL(1));
            POLY1305_NAME(load)(&next, in + 16 * POLY1305_LANES, ALL(1));
            POLY1305_NAME(add_product)(&next, &other, &memory.once);
            POLY1305_NAME(add_product)(&next, &sum, &memory.twice);
            POLY1305_NAME(carry)(&next);
            sum = next;
        }
    }
    /* Eight lanes of less than 2^58 are less than 2^61. */
    next = zero;
    POLY1305_NAME(as_factor)(&memory.once, &memory.powers);
    POLY1305_NAME(add_product)(&next, &sum, &memory.once);
    for (j = 0; j < POLY1305_LIMBS; j++)
        limbs[j] = POLY1305_NAME(sum)(next.limb[j]);
    poly1305_fold(state->sum, limbs);
    POLY1305_NAME(wipe)(&memory);
    usuba_wipe(first, sizeof first);
    usuba_wipe(limbs, sizeof limbs);
}

#undef VECTOR
#undef NUMBER
#undef FACTOR
#undef ALL
#undef TIMES
#undef LANE
