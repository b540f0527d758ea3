/* usuba_poly1305_limbs_26.h - numbers modulo p in five limbs of 26 bits, for each lane: products of 32 by 32 bits.
 *
 * usuba_poly1305_vectors.h includes this before usuba_poly1305_lanes.h, which says what each function is for. */

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

/* What products are added up in. */
#define SUM NUMBER

#define TIMES(a, b) (VECTOR) POLY1305_PRODUCT(a, b)

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

/* Adds a b, where 2^130 is 5. Limbs of a are less than 2^27 and those of b less than 2^26.33, 5 times that is less than
 * 2^28.66: vpmuludq takes 32 bits. What is added to each limb is less than 5 2^27 2^28.66 < 2^58. */
USUBA_INLINE void POLY1305_NAME(add_product)(SUM *sum, const NUMBER *a, const FACTOR *b)
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
USUBA_INLINE void POLY1305_NAME(carry)(NUMBER *a, const SUM *sum)
{
    const VECTOR mask = ALL(POLY1305_MASK);
    VECTOR *const l = a->limb, top;
    *a = *sum;
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

/* The number of the first lane in the lanes of `mask`, and 1 in the others. */
USUBA_INLINE void POLY1305_NAME(spread)(NUMBER *to, const NUMBER *n, VECTOR mask)
{
    const VECTOR *const l = n->limb;
    to->limb[0] = (ALL(l[0][0]) & mask) | (ALL(1) & ~mask);
    to->limb[1] = ALL(l[1][0]) & mask;
    to->limb[2] = ALL(l[2][0]) & mask;
    to->limb[3] = ALL(l[3][0]) & mask;
    to->limb[4] = ALL(l[4][0]) & mask;
}

USUBA_INLINE void POLY1305_NAME(start)(SUM *sum, const NUMBER *n)
{
    *sum = *n;
}

/* The compiler is not to know that limbs are less than 2^32: without that, clang 19 multiplies by 64 bits. */
USUBA_INLINE void POLY1305_NAME(hide)(NUMBER *n)
{
    __asm__("" : "+" POLY1305_REGISTER(n->limb[0]), "+" POLY1305_REGISTER(n->limb[1]), "+" POLY1305_REGISTER(n->limb[2]),
            "+" POLY1305_REGISTER(n->limb[3]), "+" POLY1305_REGISTER(n->limb[4]));
}

/* The sum of all lanes: eight of less than 2^58 are less than 2^61. */
USUBA_INLINE void POLY1305_NAME(total)(uint64_t a[3], const SUM *sum)
{
    uint64_t limbs[POLY1305_LIMBS];
    size_t j;
    for (j = 0; j < POLY1305_LIMBS; j++)
        limbs[j] = POLY1305_NAME(sum)(sum->limb[j]);
    poly1305_fold(a, limbs);
    usuba_wipe(limbs, sizeof limbs);
}

#undef TIMES
