/* usuba_poly1305_limbs_44.h - numbers modulo p in three limbs of 44, 44 and 42 bits, for each lane: products of 52 by 52 bits,
 * whose lower and upper 52 bits are added to words (AVX-512 IFMA).
 *
 * usuba_poly1305_vectors.h includes this before usuba_poly1305_lanes.h, which says what each function is for. */

/* A number for each lane: limbs at distances of 44 bits. */
typedef struct {
    VECTOR limb[3];
} POLY1305_NAME(number);
#define NUMBER POLY1305_NAME(number)

/* What numbers are multiplied by: limbs; twenty[i] is 20 limb[i + 1], as 2^132 is 20. */
typedef struct {
    VECTOR limb[3], twenty[2];
} POLY1305_NAME(factor);
#define FACTOR POLY1305_NAME(factor)

/* What products are added up in: the lower 52 bits of what belongs to limb i are at 2^(44 i), the upper ones at 2^(44 i + 52). */
typedef struct {
    VECTOR low[3], high[3];
} POLY1305_NAME(products);
#define SUM POLY1305_NAME(products)

#define LOW(sum, a, b) (VECTOR) _mm512_madd52lo_epu64((__m512i)(sum), (__m512i)(a), (__m512i)(b))
#define HIGH(sum, a, b) (VECTOR) _mm512_madd52hi_epu64((__m512i)(sum), (__m512i)(a), (__m512i)(b))

/* The numbers of two words, and `beyond` 2^128 <= 6 2^128: the last limb is less than 2^43. */
USUBA_INLINE void POLY1305_NAME(load)(NUMBER *n, const unsigned char *in, VECTOR beyond)
{
    const VECTOR mask = ALL(POLY1305_MASK_44);
    VECTOR a, b, low, high;
    memcpy(&a, in, sizeof a);
    memcpy(&b, in + sizeof a, sizeof b);
    low = (VECTOR)POLY1305_FIRSTS(a, b);
    high = (VECTOR)POLY1305_SECONDS(a, b);
    n->limb[0] = low & mask;
    n->limb[1] = (low >> 44 | high << 20) & mask;
    n->limb[2] = high >> 24 | beyond << 40;
}

USUBA_INLINE void POLY1305_NAME(start)(SUM *sum, const NUMBER *n)
{
    sum->low[0] = n->limb[0];
    sum->low[1] = n->limb[1];
    sum->low[2] = n->limb[2];
    sum->high[0] = sum->high[1] = sum->high[2] = ALL(0);
}

/* Limbs of a and b are less than 2^45, 20 times that is less than 2^50: instructions take 52 bits. Two products and a number make
 * less than 2^55 of the lower parts and less than 2^46 of the upper ones. */
USUBA_INLINE void POLY1305_NAME(add_product)(SUM *sum, const NUMBER *a, const FACTOR *b)
{
    const VECTOR a0 = a->limb[0], a1 = a->limb[1], a2 = a->limb[2];
    const VECTOR *const l = b->limb, *const t = b->twenty;
    VECTOR *const low = sum->low, *const high = sum->high;
    low[0] = LOW(LOW(LOW(low[0], a0, l[0]), a1, t[1]), a2, t[0]);
    high[0] = HIGH(HIGH(HIGH(high[0], a0, l[0]), a1, t[1]), a2, t[0]);
    low[1] = LOW(LOW(LOW(low[1], a0, l[1]), a1, l[0]), a2, t[1]);
    high[1] = HIGH(HIGH(HIGH(high[1], a0, l[1]), a1, l[0]), a2, t[1]);
    low[2] = LOW(LOW(LOW(low[2], a0, l[2]), a1, l[1]), a2, l[0]);
    high[2] = HIGH(HIGH(HIGH(high[2], a0, l[2]), a1, l[1]), a2, l[0]);
}

/* Limbs become less than 2^44, 2^44 + 2^12 and 2^42. What is at 2^130 and above comes back times 5: `top`, less than
 * 2^14 + 2^10 2^40, as the highest upper parts are of products without a 20, times 5 less than 2^53. */
USUBA_INLINE void POLY1305_NAME(carry)(NUMBER *n, const SUM *sum)
{
    const VECTOR mask = ALL(POLY1305_MASK_44);
    const VECTOR *const low = sum->low, *const high = sum->high;
    VECTOR *const l = n->limb, middle, last, top;
    middle = low[1] + (high[0] << 8) + (low[0] >> 44);
    last = low[2] + (high[1] << 8) + (middle >> 44);
    top = (high[2] << 10) + (last >> 42);
    l[2] = last & ALL(POLY1305_MASK_44 >> 2);
    l[0] = (low[0] & mask) + top + (top << 2);
    l[1] = (middle & mask) + (l[0] >> 44);
    l[0] &= mask;
}

USUBA_INLINE void POLY1305_NAME(as_factor)(FACTOR *factor, const NUMBER *n)
{
    const VECTOR *const l = n->limb;
    factor->limb[0] = l[0];
    factor->limb[1] = l[1];
    factor->limb[2] = l[2];
    factor->twenty[0] = (l[1] << 2) + (l[1] << 4);
    factor->twenty[1] = (l[2] << 2) + (l[2] << 4);
}

/* The number of the first lane in the lanes of `mask`, and 1 in the others. */
USUBA_INLINE void POLY1305_NAME(spread)(NUMBER *to, const NUMBER *n, VECTOR mask)
{
    const VECTOR *const l = n->limb;
    to->limb[0] = (ALL(l[0][0]) & mask) | (ALL(1) & ~mask);
    to->limb[1] = ALL(l[1][0]) & mask;
    to->limb[2] = ALL(l[2][0]) & mask;
}

/* Nothing has to be kept from the compiler. */
USUBA_INLINE void POLY1305_NAME(hide)(NUMBER *n)
{
    (void)n;
}

/* The sum of all lanes: eight of less than 2^45 are less than 2^48. */
USUBA_INLINE void POLY1305_NAME(total)(uint64_t a[3], const SUM *sum)
{
    NUMBER n;
    POLY1305_NAME(carry)(&n, sum);
    poly1305_fold_44(a, POLY1305_NAME(sum)(n.limb[0]), POLY1305_NAME(sum)(n.limb[1]), POLY1305_NAME(sum)(n.limb[2]));
}

#undef LOW
#undef HIGH
