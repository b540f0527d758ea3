/* usuba_poly1305_lanes.h - Poly1305 on POLY1305_LANES blocks side by side, 4 or 8.
 *
 * usuba_poly1305_vectors.h includes this once for each kind of vectors, with the macros that say how, behind a file that says how
 * numbers are written: their limbs (NUMBER), as what is multiplied by (FACTOR), and as a sum of products (SUM).
 * - load: the numbers of blocks and of what is beyond them;
 * - spread, as_factor: a number for all lanes, or some; what is multiplied by;
 * - start, add_product, carry: sums, which begin with a number, get at most two products, and become a number again;
 * - total: the sum of all lanes of one product. */

/* The lane of a block, of those that are loaded at once. */
#define LANE(block) ((block) < POLY1305_LANES / 2 ? 2 * (block) : 2 * (block) + 1 - POLY1305_LANES)

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

/* Adds the product of a and b to nothing. */
USUBA_INLINE void POLY1305_NAME(multiply)(NUMBER *product, const NUMBER *a, const FACTOR *b)
{
    const NUMBER zero = { { ALL(0) } };
    SUM sum;
    POLY1305_NAME(start)(&sum, &zero);
    POLY1305_NAME(add_product)(&sum, a, b);
    POLY1305_NAME(carry)(product, &sum);
}

/* The number of the first lane, in all lanes. */
USUBA_INLINE void POLY1305_NAME(first_as_factor)(FACTOR *factor, const NUMBER *n)
{
    NUMBER first;
    POLY1305_NAME(spread)(&first, n, ALL(~(uint64_t)0));
    POLY1305_NAME(as_factor)(factor, &first);
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
        NUMBER by, product;
        FACTOR factor;
        POLY1305_NAME(spread)(&by, &memory->powers, upper);
        POLY1305_NAME(as_factor)(&factor, &by);
        POLY1305_NAME(multiply)(&product, &memory->powers, &factor);
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
    const NUMBER zero = { { ALL(0) } };
    struct POLY1305_NAME(memory) memory;
    uint64_t first[3] = { state->sum[0], state->sum[1], state->sum[2] };
    NUMBER sum, next;
    SUM products;
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
        POLY1305_NAME(start)(&products, &next);
        POLY1305_NAME(add_product)(&products, &sum, &memory.once);
        POLY1305_NAME(carry)(&sum, &products);
        in += 16 * POLY1305_LANES;
        blocks -= POLY1305_LANES;
    }
    if (blocks > 0) {
        POLY1305_NAME(multiply)(&next, &memory.powers, &memory.once);
        POLY1305_NAME(first_as_factor)(&memory.twice, &next);
        /* The compiler is not to know what is in there, and so to read it in each instruction that uses it: registers are
         * for the sum. */
        __asm__("" : "+m"(memory));
        for (; blocks > 0; blocks -= 2 * POLY1305_LANES, in += 2 * 16 * POLY1305_LANES) {
            POLY1305_NAME(hide)(&sum);
            POLY1305_NAME(load)(&next, in + 16 * POLY1305_LANES, ALL(1));
            POLY1305_NAME(start)(&products, &next);
            POLY1305_NAME(load)(&next, in, ALL(1));
            POLY1305_NAME(add_product)(&products, &next, &memory.once);
            POLY1305_NAME(add_product)(&products, &sum, &memory.twice);
            POLY1305_NAME(carry)(&sum, &products);
        }
    }
    POLY1305_NAME(start)(&products, &zero);
    POLY1305_NAME(as_factor)(&memory.once, &memory.powers);
    POLY1305_NAME(add_product)(&products, &sum, &memory.once);
    POLY1305_NAME(total)(state->sum, &products);
    POLY1305_NAME(wipe)(&memory);
    usuba_wipe(first, sizeof first);
}

#undef LANE
