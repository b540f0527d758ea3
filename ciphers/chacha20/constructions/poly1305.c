/* The fast form of Poly1305, RFC 8439, section 2.5: the functions of the text poly1305.ua by hand.
 *
 * The sum a and the multiplier r are integers in limbs; for every block n of the message a becomes (a + n) r modulo
 * p = 2^130 - 5. Products are reduced by 2^130 = 5, not fully, and the last step subtracts p once if it has to. Where the
 * compiler has integers of 128 bits, limbs have 64; else, or with USUBA_POLY1305_LIMBS_26 defined, 26.
 *
 * Beside limbs of 64 bits, x86-64 computes long messages on vectors (usuba_poly1305_vectors.h). In a library the level of
 * the machine says whether it has them; elsewhere the flags of the compiler do. */
#define POLY1305_BLOCK 16
#define POLY1305_LIMBS 5
#define POLY1305_BITS 26
#define POLY1305_MASK 0x3ffffffu
#define POLY1305_MASK_44 0xfffffffffffu

/* What is known of a message: the multiplier and the sum in limbs, and the end of the key. */
struct poly1305_state {
    uint64_t multiplier[POLY1305_LIMBS];
    uint64_t sum[POLY1305_LIMBS];
    unsigned char end[POLY1305_BLOCK];
};

/* It has to fit where parts of a message keep what they know. */
typedef char poly1305_state_fits[sizeof(struct poly1305_state) <= USUBA_POLY1305_KEPT ? 1 : -1];

#if defined(__SIZEOF_INT128__) && !defined(USUBA_POLY1305_LIMBS_26)

__extension__ typedef unsigned __int128 poly1305_wide;

/* r = r0 + 2^64 r1. Clamping makes both less than 2^60, and r1 a multiple of 4: 2^128 r1 = 2^130 (r1 / 4) = 5 r1 / 4. */
static void poly1305_load(struct poly1305_state *state, const unsigned char *key)
{
    state->multiplier[0] = usuba_load64(key) & 0x0ffffffc0fffffffu;
    state->multiplier[1] = usuba_load64(key + 8) & 0x0ffffffc0ffffffcu;
}

/* Adds b0 + 2^64 b1 + 2^128 b2. Of sums of 128 bits of which half is zero GCC keeps the zeros in memory, and of a carry it makes a
 * number. */
USUBA_INLINE void poly1305_plus(uint64_t a[3], uint64_t b0, uint64_t b1, uint64_t b2)
{
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    __asm__("addq %3, %0\n\tadcq %4, %1\n\tadcq %5, %2"
            : "+&r"(a[0]), "+&r"(a[1]), "+r"(a[2])
            : "rme"(b0), "rme"(b1), "rme"(b2)
            : "cc");
#else
    uint64_t carry;
    a[0] += b0;
    carry = a[0] < b0;
    a[1] += carry;
    carry = a[1] < carry;
    a[1] += b1;
    a[2] += b2 + carry + (a[1] < b1);
#endif
}

/* a0 + 2^64 a1 + 2^128 a2 becomes that times r, for a2 <= 6; then a2 <= 4. */
USUBA_INLINE void poly1305_multiply(uint64_t a[3], uint64_t r0, uint64_t r1)
{
    const uint64_t five = r1 + (r1 >> 2);
    /* Less than 2^125.3. */
    const poly1305_wide x = (poly1305_wide)a[0] * r0 + (poly1305_wide)a[1] * five;
    const poly1305_wide y = (poly1305_wide)a[0] * r1 + (poly1305_wide)a[1] * r0;
    /* What is added to y is less than 6 2^60.4 + 2^61.3 < 2^64, and the upper half then less than 6 2^60 + 2^61.3 < 2^63.1. */
    uint64_t upper[3] = { (uint64_t)y, a[2] * r0 + (uint64_t)(y >> 64), 0 };
    poly1305_plus(upper, a[2] * five + (uint64_t)(x >> 64), 0, 0);
    /* What is at 2^130 and above comes back times 5, which is less than 2^63.5. */
    a[0] = (uint64_t)x;
    a[1] = upper[0];
    a[2] = upper[1] & 3;
    poly1305_plus(a, (upper[1] >> 2) + (upper[1] & ~(uint64_t)3), 0, 0);
}

/* Adds a block with `beyond` 2^128: a2 <= 4 becomes at most 6. */
USUBA_INLINE void poly1305_add(uint64_t a[3], const unsigned char *block, uint64_t beyond)
{
    poly1305_plus(a, usuba_load64(block), usuba_load64(block + 8), beyond);
}

/* Takes whole blocks, each with `beyond` 2^128: 1, or 0 for the last one of a message, which has its 1 in the block. */
static void poly1305_blocks(struct poly1305_state *state, const unsigned char *in, size_t blocks, uint64_t beyond)
{
    const uint64_t r0 = state->multiplier[0], r1 = state->multiplier[1];
    uint64_t a[3] = { state->sum[0], state->sum[1], state->sum[2] };
    for (; blocks > 0; blocks--, in += POLY1305_BLOCK) {
        poly1305_add(a, in, beyond);
        poly1305_multiply(a, r0, r1);
    }
    state->sum[0] = a[0];
    state->sum[1] = a[1];
    state->sum[2] = a[2];
}

/* The sum modulo p, modulo 2^128. It is less than 5 2^128 < 2 p. */
static void poly1305_reduce(const struct poly1305_state *state, uint64_t reduced[2])
{
    const uint64_t a0 = state->sum[0], a1 = state->sum[1];
    poly1305_wide x = (poly1305_wide)a0 + 5;
    uint64_t mask;
    reduced[0] = (uint64_t)x;
    x = (poly1305_wide)a1 + (uint64_t)(x >> 64);
    reduced[1] = (uint64_t)x;
    /* All ones if a + 5 reaches 2^130, so that a - p = a + 5 - 2^130 is what remains. */
    mask = 0 - ((state->sum[2] + (uint64_t)(x >> 64)) >> 2);
    reduced[0] = (reduced[0] & mask) | (a0 & ~mask);
    reduced[1] = (reduced[1] & mask) | (a1 & ~mask);
}

#if defined(__x86_64__) && defined(__GNUC__)

/* Whether this machine has vectors of 4 and of 8 lanes, and of 8 with products that are added up (IFMA); not defined where there is
 * to be no code for them. */
#if defined(USUBA_IN_LIBRARY)
#if defined(USUBA_LEVEL_AVX2)
#define POLY1305_ON_4_LANES (usuba_level() >= USUBA_LEVEL_AVX2)
#endif
#if defined(USUBA_LEVEL_AVX512)
#define POLY1305_ON_8_LANES (usuba_level() >= USUBA_LEVEL_AVX512)
#define POLY1305_ON_8_LANES_FUSED (POLY1305_ON_8_LANES && usuba_has_ifma())
#endif
#else
#if defined(__AVX2__)
#define POLY1305_ON_4_LANES 1
#endif
#if defined(__AVX512F__)
#define POLY1305_ON_8_LANES 1
#endif
#if defined(__AVX512IFMA__)
#define POLY1305_ON_8_LANES_FUSED 1
#endif
#endif

/* From so many blocks on, vectors of each kind take less time than one block after another: measured, see the README of ChaCha20. */
#if defined(USUBA_POLY1305_VECTORS_FROM)
#define POLY1305_FROM_4_LANES USUBA_POLY1305_VECTORS_FROM
#define POLY1305_FROM_8_LANES USUBA_POLY1305_VECTORS_FROM
#define POLY1305_FROM_8_LANES_FUSED USUBA_POLY1305_VECTORS_FROM
#else
#define POLY1305_FROM_4_LANES 26
#define POLY1305_FROM_8_LANES 34
#define POLY1305_FROM_8_LANES_FUSED 22
#endif

#if defined(POLY1305_ON_4_LANES) || defined(POLY1305_ON_8_LANES)
#include "usuba_poly1305_vectors.h"
#endif
#endif

#else

/* Limbs of 26 bits of low + 2^64 high + 2^128 beyond. */
static void poly1305_split(uint32_t limbs[POLY1305_LIMBS], uint64_t low, uint64_t high, uint64_t beyond)
{
    limbs[0] = (uint32_t)low & POLY1305_MASK;
    limbs[1] = (uint32_t)(low >> 26) & POLY1305_MASK;
    limbs[2] = (uint32_t)(low >> 52 | high << 12) & POLY1305_MASK;
    limbs[3] = (uint32_t)(high >> 14) & POLY1305_MASK;
    limbs[4] = (uint32_t)(high >> 40 | beyond << 24);
}

static void poly1305_load(struct poly1305_state *state, const unsigned char *key)
{
    uint32_t limbs[POLY1305_LIMBS];
    size_t i;
    poly1305_split(limbs, usuba_load64(key) & 0x0ffffffc0fffffffu, usuba_load64(key + 8) & 0x0ffffffc0ffffffcu, 0);
    for (i = 0; i < POLY1305_LIMBS; i++)
        state->multiplier[i] = limbs[i];
    usuba_wipe(limbs, sizeof limbs);
}

/* Takes whole blocks, each with `beyond` 2^128: 1, or 0 for the last one of a message, which has its 1 in the block. */
static void poly1305_blocks(struct poly1305_state *state, const unsigned char *in, size_t blocks, uint64_t beyond)
{
    uint32_t r[POLY1305_LIMBS], five[POLY1305_LIMBS], a[POLY1305_LIMBS], n[POLY1305_LIMBS];
    size_t i, j;
    for (i = 0; i < POLY1305_LIMBS; i++) {
        r[i] = (uint32_t)state->multiplier[i];
        five[i] = 5 * r[i];
        a[i] = (uint32_t)state->sum[i];
    }
    for (; blocks > 0; blocks--, in += POLY1305_BLOCK) {
        uint64_t product[POLY1305_LIMBS], carry = 0;
        poly1305_split(n, usuba_load64(in), usuba_load64(in + 8), beyond);
        /* Limbs of a are less than 2^26 + 2^9, so these are less than 2^27.1, and five < 2^28.4: sums of five products are
         * less than 2^58. */
        for (i = 0; i < POLY1305_LIMBS; i++)
            a[i] += n[i];
        for (i = 0; i < POLY1305_LIMBS; i++) {
            product[i] = 0;
            for (j = 0; j < POLY1305_LIMBS; j++)
                product[i] += (uint64_t)a[j] * (j <= i ? r[i - j] : five[POLY1305_LIMBS + i - j]);
        }
        for (i = 0; i < POLY1305_LIMBS; i++) {
            carry += product[i];
            a[i] = (uint32_t)carry & POLY1305_MASK;
            carry >>= POLY1305_BITS;
        }
        /* What is at 2^130 and above comes back times 5: less than 2^35, of which little is left for the next limb. */
        carry = 5 * carry + a[0];
        a[0] = (uint32_t)carry & POLY1305_MASK;
        a[1] += (uint32_t)(carry >> POLY1305_BITS);
    }
    for (i = 0; i < POLY1305_LIMBS; i++)
        state->sum[i] = a[i];
    usuba_wipe(r, sizeof r);
    usuba_wipe(five, sizeof five);
    usuba_wipe(a, sizeof a);
    usuba_wipe(n, sizeof n);
}

/* The sum modulo p, modulo 2^128. */
static void poly1305_reduce(const struct poly1305_state *state, uint64_t reduced[2])
{
    uint64_t a[POLY1305_LIMBS], b[POLY1305_LIMBS], carry = 0, mask;
    size_t i;
    /* Two passes leave limbs of 26 bits: what comes back from the top of the first is at most 5, and a second time it does
     * so only if all limbs but the lowest have become zero. */
    for (i = 0; i < POLY1305_LIMBS; i++)
        a[i] = state->sum[i];
    for (i = 0; i < 2 * POLY1305_LIMBS; i++) {
        carry += a[i % POLY1305_LIMBS];
        a[i % POLY1305_LIMBS] = carry & POLY1305_MASK;
        carry >>= POLY1305_BITS;
        if (i % POLY1305_LIMBS == POLY1305_LIMBS - 1)
            carry *= 5;
    }
    a[0] += carry;
    /* All ones if a + 5 reaches 2^130, so that a - p = a + 5 - 2^130 is what remains. */
    carry = 5;
    for (i = 0; i < POLY1305_LIMBS; i++) {
        carry += a[i];
        b[i] = carry & POLY1305_MASK;
        carry >>= POLY1305_BITS;
    }
    mask = 0 - carry;
    for (i = 0; i < POLY1305_LIMBS; i++)
        a[i] = (b[i] & mask) | (a[i] & ~mask);
    reduced[0] = a[0] | a[1] << 26 | a[2] << 52;
    reduced[1] = a[2] >> 12 | a[3] << 14 | a[4] << 40;
    usuba_wipe(a, sizeof a);
    usuba_wipe(b, sizeof b);
}

#endif

/* Takes whole blocks that are not the end of a message. */
static void poly1305_take(struct poly1305_state *state, const unsigned char *in, size_t blocks)
{
#if defined(POLY1305_ON_8_LANES_FUSED)
    if (blocks >= POLY1305_FROM_8_LANES_FUSED && POLY1305_ON_8_LANES_FUSED) {
        poly1305_take_by_8_fused(state, in, blocks);
        return;
    }
#endif
#if defined(POLY1305_ON_8_LANES)
    if (blocks >= POLY1305_FROM_8_LANES && POLY1305_ON_8_LANES) {
        poly1305_take_by_8(state, in, blocks);
        return;
    }
#endif
#if defined(POLY1305_ON_4_LANES)
    if (blocks >= POLY1305_FROM_4_LANES && POLY1305_ON_4_LANES) {
        poly1305_take_by_4(state, in, blocks);
        return;
    }
#endif
    poly1305_blocks(state, in, blocks, 1);
}

static void poly1305_begin(struct poly1305_state *state, const unsigned char *key)
{
    memset(state, 0, sizeof *state);
    poly1305_load(state, key);
    memcpy(state->end, key + 16, sizeof state->end);
}

/* Takes what is left, less than a block, and makes the tag. */
static void poly1305_end(struct poly1305_state *state, const unsigned char *in, size_t length, unsigned char *tag)
{
    unsigned char block[POLY1305_BLOCK] = { 0 };
    uint64_t sum[2], low, high;
    if (length > 0) {
        memcpy(block, in, length);
        block[length] = 1;
        poly1305_blocks(state, block, 1, 0);
    }
    poly1305_reduce(state, sum);
    low = sum[0] + usuba_load64(state->end);
    high = sum[1] + usuba_load64(state->end + 8) + (low < sum[0]);
    usuba_store64(tag, low);
    usuba_store64(tag + 8, high);
    usuba_wipe(sum, sizeof sum);
    usuba_wipe(block, sizeof block);
}

/* A message in one call. */
static int usuba_poly1305_digested(size_t length, const uint8_t *prepared, const uint8_t *key, const uint8_t *message,
                                   uint8_t *tag)
{
    const size_t rest = length % POLY1305_BLOCK;
    struct poly1305_state state;
    (void)prepared;
    if ((uint64_t)length >= USUBA_PIECES_BYTES)
        return 2;
    poly1305_begin(&state, key);
    poly1305_take(&state, message, length / POLY1305_BLOCK);
    poly1305_end(&state, message + (length - rest), rest, tag);
    usuba_wipe(&state, sizeof state);
    return 0;
}

/* The parts of a message in pieces. */
static int usuba_poly1305_digested_part0(const size_t *lengths, const uint8_t *prepared, uint8_t *kept,
                                         const uint8_t *const *in, uint8_t *const *out)
{
    (void)lengths;
    (void)prepared;
    (void)out;
    poly1305_begin((void *)kept, in[USUBA_POLY1305_KEY]);
    return 0;
}

static int usuba_poly1305_digested_part1(const size_t *lengths, const uint8_t *prepared, uint8_t *kept,
                                         const uint8_t *const *in, uint8_t *const *out)
{
    (void)prepared;
    (void)out;
    poly1305_take((void *)kept, in[USUBA_POLY1305_MESSAGE], lengths[USUBA_POLY1305_NOW]);
    return 0;
}

static int usuba_poly1305_digested_part2(const size_t *lengths, const uint8_t *prepared, uint8_t *kept,
                                         const uint8_t *const *in, uint8_t *const *out)
{
    (void)prepared;
    poly1305_end((void *)kept, in[USUBA_POLY1305_MESSAGE], lengths[USUBA_POLY1305_ALL] % POLY1305_BLOCK, out[USUBA_POLY1305_TAG]);
    return 0;
}

static size_t usuba_poly1305_digested_count0(size_t length)
{
    return length / POLY1305_BLOCK;
}

/* Adds a string, and zeros up to a whole number of blocks. */
static void poly1305_take_filled(struct poly1305_state *state, const unsigned char *in, size_t length)
{
    const size_t rest = length % POLY1305_BLOCK;
    poly1305_take(state, in, length / POLY1305_BLOCK);
    if (rest > 0) {
        unsigned char block[POLY1305_BLOCK] = { 0 };
        memcpy(block, in + (length - rest), rest);
        poly1305_blocks(state, block, 1, 1);
    }
}

/* The tag of two strings, each with zeros up to a whole number of blocks, and of their lengths: what RFC 8439, section 2.8,
 * authenticates. It is for the AEADs over this authenticator, which declare it themselves. */
#if defined(__GNUC__)
__attribute__((visibility("hidden")))
#endif
void usuba_poly1305_of_two(unsigned char *tag, const unsigned char *key, const unsigned char *first, size_t first_length,
                           const unsigned char *second, size_t second_length);

void usuba_poly1305_of_two(unsigned char *tag, const unsigned char *key, const unsigned char *first, size_t first_length,
                           const unsigned char *second, size_t second_length)
{
    struct poly1305_state state;
    unsigned char lengths[POLY1305_BLOCK];
    usuba_store64(lengths, first_length);
    usuba_store64(lengths + 8, second_length);
    poly1305_begin(&state, key);
    poly1305_take_filled(&state, first, first_length);
    poly1305_take_filled(&state, second, second_length);
    poly1305_blocks(&state, lengths, 1, 1);
    poly1305_end(&state, NULL, 0, tag);
    usuba_wipe(&state, sizeof state);
}
