/* Poly1305 three times: `vectors_` on what the level says, `words_` in limbs of 64 bits, `limbs_` in limbs of 26.
 *
 * usage: differential LEVEL: 0 for no vectors, 1 for four lanes, 2 for eight, 3 for eight with IFMA. Prints how many tags were compared, or the first
 * that differs; the status is 1 if one does, 2 if the machine lacks the level. */
#include "limbs_poly1305.h"
#include "vectors_poly1305.h"
#include "words_poly1305.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 4096

static unsigned level;
static unsigned long compared;
/* Behind every message is room, so that it may begin at any alignment. */
static unsigned char memory[LONGEST + 64];

unsigned vectors_level(void);
int vectors_has_ifma(void);
unsigned vectors_level(void)
{
    return level;
}

int vectors_has_ifma(void)
{
    return level >= 3;
}

static uint64_t state = 1;

/* splitmix64. */
static uint64_t random64(void)
{
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void randomise(unsigned char *p, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++)
        p[i] = (unsigned char)(random64() >> 56);
}

static void compare(const unsigned char *expected, const unsigned char *found, const char *what, size_t length, unsigned kind)
{
    compared++;
    if (memcmp(expected, found, 16) != 0) {
        printf("tag %lu at level %u differs: %s, %lu bytes, kind %u\n", compared, level, what, (unsigned long)length, kind);
        exit(1);
    }
}

/* The numbers 0 to 2^130 - 6 as low + 2^128 high. */
__extension__ typedef unsigned __int128 wide;
struct residue {
    wide low;
    unsigned high;
};

/* a + 2^128 b. */
static struct residue plus(struct residue a, wide b, unsigned c)
{
    a.low += b;
    a.high += c + (a.low < b);
    while (a.high >= 4) {
        a.high -= 4;
        a.low += 5;
        a.high += a.low < 5;
    }
    if (a.high == 3 && a.low >= (wide)0 - 5) {
        a.low += 5;
        a.high = 0;
    }
    return a;
}

static wide load(const unsigned char *p)
{
    wide x = 0;
    int i;
    for (i = 15; i >= 0; i--)
        x = x << 8 | p[i];
    return x;
}

static void store(unsigned char *p, wide x)
{
    int i;
    for (i = 0; i < 16; i++, x >>= 8)
        p[i] = (unsigned char)x;
}

/* With r = 1 the sum is that of the blocks: makes the last four of whole blocks such that it is `aim`, and returns the tag. */
static void aim_at(unsigned char *tag, const unsigned char *key, unsigned char *in, size_t blocks, struct residue aim)
{
    struct residue sum = { 0, 0 }, rest;
    size_t i;
    for (i = 0; i < blocks; i++)
        sum = plus(sum, i + 4 < blocks ? load(in + 16 * i) : 0, 1);
    /* aim - sum = aim + (p - sum), where p = 3 2^128 + (2^128 - 5). */
    rest.low = (wide)0 - 5 - sum.low;
    rest.high = 3 - sum.high - (sum.low > (wide)0 - 5);
    rest = plus(rest, aim.low, aim.high);
    for (i = blocks - 4; i < blocks; i++) {
        wide share = rest.high > 0 ? (wide)0 - 1 : rest.low;
        rest.high -= rest.low < share;
        rest.low -= share;
        store(in + 16 * i, share);
    }
    store(tag, aim.low + load(key + 16));
}

/* The kinds of messages and keys of a length. */
enum { RANDOM, ONES, LARGEST_MULTIPLIER, LARGEST_AND_ONES, SMALL_MULTIPLIER, KINDS };

static void check(size_t length, unsigned kind)
{
    unsigned char *in = memory + length % 64, key[32], tag[16], expected[16];
    randomise(key, 32);
    randomise(in, length);
    if (kind == ONES || kind == LARGEST_AND_ONES)
        memset(in, 0xff, length);
    if (kind == LARGEST_MULTIPLIER || kind == LARGEST_AND_ONES)
        memset(key, 0xff, 16);
    if (kind == SMALL_MULTIPLIER) {
        memset(key, 0, 16);
        key[length % 4 == 3 ? 4 : 0] = (unsigned char)(4 * (length % 4));
    }
    words_poly1305(expected, key, in, length);
    limbs_poly1305(tag, key, in, length);
    compare(expected, tag, "limbs of 26 bits", length, kind);
    vectors_poly1305(tag, key, in, length);
    compare(expected, tag, "at once", length, kind);
}

static void check_sums_near_the_modulus(size_t blocks)
{
    const struct residue aims[] = {
        { 0, 0 }, { 1, 0 }, { 4, 0 }, { 5, 0 }, { (wide)0 - 1, 0 }, { 0, 1 }, { (wide)0 - 1, 2 }, { 0, 3 },
        /* p - 1, p - 2, and what is 2^130 - 10. */
        { (wide)0 - 6, 3 }, { (wide)0 - 7, 3 }, { (wide)0 - 10, 3 },
    };
    unsigned char *in = memory + blocks % 64, key[32] = { 1 }, tag[16], expected[16];
    unsigned i;
    for (i = 0; i < sizeof aims / sizeof *aims; i++) {
        randomise(key + 16, 16);
        randomise(in, 16 * blocks);
        aim_at(expected, key, in, blocks, aims[i]);
        words_poly1305(tag, key, in, 16 * blocks);
        compare(expected, tag, "words near the modulus", 16 * blocks, i);
        limbs_poly1305(tag, key, in, 16 * blocks);
        compare(expected, tag, "limbs near the modulus", 16 * blocks, i);
        vectors_poly1305(tag, key, in, 16 * blocks);
        compare(expected, tag, "near the modulus", 16 * blocks, i);
    }
}

/* A message in pieces of one size, or of random ones, with another level for every piece if `changing`. */
static void check_pieces(size_t length, size_t piece, int changing)
{
    const unsigned highest = level;
    unsigned char key[32], tag[16], expected[16];
    vectors_poly1305_ctx ctx;
    size_t at = 0;
    randomise(key, 32);
    randomise(memory, length);
    words_poly1305(expected, key, memory, length);
    vectors_poly1305_init(&ctx, key);
    while (at < length) {
        size_t size = piece > 0 ? piece : (size_t)(random64() % 700);
        size = size < length - at ? size : length - at;
        if (changing)
            level = (unsigned)(random64() % (highest + 1));
        vectors_poly1305_update(&ctx, memory + at, size);
        at += size;
    }
    vectors_poly1305_final(&ctx, tag);
    level = highest;
    compare(expected, tag, "in pieces", length, (unsigned)piece);
}

int differential(int count, char **arguments);
int differential(int count, char **arguments)
{
    static const size_t pieces[] = { 0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 319, 320, 321, 511, 1000, 2047 };
    size_t length, i;
    unsigned kind;
    level = count == 2 ? (unsigned)atoi(arguments[1]) : 0;
    if ((level >= 1 && !__builtin_cpu_supports("avx2")) || (level >= 2 && !__builtin_cpu_supports("avx512f")) ||
        (level >= 3 && !__builtin_cpu_supports("avx512ifma")))
        return 2;
    for (length = 0; length <= LONGEST; length++)
        for (kind = 0; kind < KINDS; kind++)
            check(length, kind);
    for (i = 4; i <= LONGEST / 16; i = i < 80 ? i + 1 : i + 7)
        check_sums_near_the_modulus(i);
    for (i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (length = 0; length <= LONGEST; length += 1 + (size_t)(random64() % 60)) {
            check_pieces(length, pieces[i], 0);
            check_pieces(length, pieces[i], 1);
        }
    printf("%lu tags are the same at level %u\n", compared, level);
    return 0;
}
