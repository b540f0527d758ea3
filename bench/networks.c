/* Core cycles per byte of packing, unpacking, and unpacking with data added: the runtime's functions and generated networks, the
 * latter in the order of blocks of the runtime and in their own, in turn in one process. Least of many samples. Compile with the
 * flags of a target and `networks.h` of the example `networks` of usuba-transpose; bench/networks.sh does it. */
#include "usuba_drivers.h"

#include "networks.h"
#include "timing.h"
#include <stdio.h>

enum { BYTES = 32768, ROUNDS = 200, PER_SAMPLE = 8192 };

static unsigned char blocks[BYTES + 64] __attribute__((aligned(64)));
static unsigned char data[BYTES + 64] __attribute__((aligned(64)));
static unsigned char image[BYTES + 64] __attribute__((aligned(64)));
static unsigned char other[BYTES + 64] __attribute__((aligned(64)));

#define CASES(CASE) \
    CASE(aes_b, SIZE, 8 * SIZE, b, , USUBA_PLANES, 16, 8, 16) \
    CASE(serpent_b, SIZE, 8 * SIZE, b, , USUBA_LITTLE, 32, 4, 16) \
    CASE(des_b, SIZE, 8 * SIZE, b, , USUBA_BIG, 1, 64, 8) \
    CASE(rectangle_b, SIZE, 8 * SIZE, b, , USUBA_LITTLE, 16, 4, 8) \
    CASES_8(CASE) \
    CASE(serpent_v, SIZE, SIZE / 4, v, COMMA 4, USUBA_LITTLE, 32, 4, 16) \
    CASE(chacha_v, SIZE, SIZE / 4, v, COMMA 4, USUBA_LITTLE, 32, 16, 64) \
    CASES_V(CASE) \
    CASE(rectangle_v, SIZE, SIZE / 2, v, COMMA 2, USUBA_LITTLE, 16, 4, 8) \
    CASE(gift_v, SIZE, SIZE / 4, v, COMMA 4, USUBA_NIBBLES, 32, 4, 16) \
    CASE(aes_h, SIZE, SIZE / 2, h, COMMA 8, USUBA_PLANES, 16, 8, 16) \
    CASE(camellia_h, SIZE, SIZE, h, COMMA 16, USUBA_PLANES, 8, 16, 16) \
    CASE(sm4_h, SIZE, 2 * SIZE, h, COMMA 32, USUBA_PLANES, 4, 32, 16) \
    CASE(rectangle_h, SIZE, SIZE / 2, h, COMMA 8, USUBA_LITTLE, 16, 4, 8) \
    CASE(gift_64_h, SIZE, SIZE / 2, h, COMMA 8, USUBA_NIBBLES, 16, 4, 8) \
    CASES_ABOVE_16(CASE)
#define COMMA ,
#if SIZE > 16
#define CASES_ABOVE_16(CASE) \
    CASE(gift_128_h, SIZE, SIZE / 4, h, COMMA 8, USUBA_NIBBLES, 32, 4, 16) \
    CASE(serpent_h, SIZE, SIZE / 4, h, COMMA 8, USUBA_LITTLE, 32, 4, 16)
#else
#define CASES_ABOVE_16(CASE)
#endif
#if defined(HAS_usual_aes_b8) && SIZE > 8
#define CASES_8(CASE) \
    CASE(aes_b8, 8, 64, b, , USUBA_PLANES, 16, 8, 16) \
    CASE(des_b8, 8, 64, b, , USUBA_BIG, 1, 64, 8)
#else
#define CASES_8(CASE)
#endif
#if defined(HAS_usual_ascon_v)
#define CASES_V(CASE) CASE(ascon_v, SIZE, SIZE / 8, v, COMMA 8, USUBA_BIG, 64, 5, 40)
#else
#define CASES_V(CASE)
#endif

#define HEADER_FUNCTIONS(name, size, instances, layout, parameter, order, width, words, bytes) \
    static const struct usuba_format name##_format = { order, width, words, bytes }; \
    static inline __attribute__((always_inline)) void header_##name##_pack(void *to, const unsigned char *from) \
    { \
        usuba_pack_##layout(to, size parameter, from, name##_format); \
    } \
    static inline __attribute__((always_inline)) void header_##name##_unpack(struct usuba_output to, void *from) \
    { \
        usuba_unpack_##layout(to, from, size parameter, name##_format); \
    }
CASES(HEADER_FUNCTIONS)

/* As many batches as there are in PER_SAMPLE bytes, one after another: a call of a function for each would cost more than what
 * some of them do. */
#define RUNS(prefix, name, batch) \
    static __attribute__((noinline)) void prefix##_##name##_in(void) \
    { \
        size_t at = 0; \
        do { \
            prefix##_##name##_pack(image + at, blocks + at); \
            __asm__ volatile("" : : : "memory"); \
            at += (batch); \
        } while (at + (batch) <= PER_SAMPLE); \
    } \
    static __attribute__((noinline)) void prefix##_##name##_out(void) \
    { \
        size_t at = 0; \
        do { \
            prefix##_##name##_unpack(usuba_output(blocks + at, NULL), image + at); \
            __asm__ volatile("" : : : "memory"); \
            at += (batch); \
        } while (at + (batch) <= PER_SAMPLE); \
    } \
    static __attribute__((noinline)) void prefix##_##name##_add(void) \
    { \
        size_t at = 0; \
        do { \
            prefix##_##name##_unpack(usuba_output(blocks + at, data + at), image + at); \
            __asm__ volatile("" : : : "memory"); \
            at += (batch); \
        } while (at + (batch) <= PER_SAMPLE); \
    }
#define ALL_RUNS(name, size, instances, layout, parameter, order, width, words, bytes) \
    RUNS(header, name, (instances) * (bytes)) RUNS(usual, name, (instances) * (bytes)) \
    RUNS(free, name, (instances) * (bytes))
CASES(ALL_RUNS)

typedef void (*run)(void);

static __attribute__((noinline)) double sample(volatile run one, size_t bytes)
{
    const size_t batches = bytes > PER_SAMPLE ? 1 : PER_SAMPLE / bytes, runs = bytes > PER_SAMPLE ? 1 : 2;
    unsigned unused;
    double before = chain(), after;
    uint64_t start = __rdtscp(&unused), ticks;
    size_t r;
    _mm_lfence();
    for (r = 0; r < runs; r++)
        one();
    ticks = __rdtscp(&unused) - start;
    _mm_lfence();
    after = chain();
    return (double)ticks / ((before < after ? before : after) / 2000.0) / (double)(runs * batches * bytes);
}

static void fill(unsigned char *p)
{
    size_t i;
    uint64_t state = 1;
    for (i = 0; i < BYTES; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        p[i] = (unsigned char)(state >> 56);
    }
}

static void report(const char *name, const run *runs, size_t bytes)
{
    static double all[9][ROUNDS];
    double least[9];
    int round, k;
    for (round = 0; round < ROUNDS; round++) {
        for (k = 0; k < 9; k++)
            all[(k + round) % 9][round] = sample(runs[(k + round) % 9], bytes);
    }
    /* The least may have caught a moment in which the chain was slow: a low quantile has not. */
    for (k = 0; k < 9; k++) {
        qsort(all[k], ROUNDS, sizeof all[k][0], ascending);
        least[k] = all[k][ROUNDS / 20];
    }
    printf("%-12s", name);
    for (k = 0; k < 9; k += 3)
        printf(" | %6.3f %6.3f %6.3f %6.3f", least[k], least[k + 1], least[k] + least[k + 1], least[k + 2]);
    printf(" |%s\n", least[3] + least[4] > 1.03 * (least[0] + least[1]) ? " slower" : "");
    fflush(stdout);
}

static void check(const char *name, int same)
{
    if (!same) {
        printf("%s: wrong\n", name);
        exit(1);
    }
}

#define CHECK(name, size, instances, layout, parameter, order, width, words, bytes) \
    { \
        static const size_t all = (size_t)(instances) * (bytes); \
        fill(blocks); \
        memset(image, 0, BYTES), memset(other, 0, BYTES); \
        header_##name##_pack(image, blocks); \
        usual_##name##_pack(other, blocks); \
        check(#name " in", memcmp(image, other, BYTES) == 0); \
        memcpy(data, blocks, all), memset(blocks, 0, all); \
        usual_##name##_unpack(usuba_output(blocks, NULL), image); \
        check(#name " out", memcmp(blocks, data, all) == 0); \
        free_##name##_pack(other, blocks); \
        memset(image, 0x55, all); \
        free_##name##_unpack(usuba_output(image, data), other); \
        memset(other, 0, all); \
        check(#name " free", memcmp(image, other, all) == 0); \
    }

#define REPORT(name, size, instances, layout, parameter, order, width, words, bytes) \
    { \
        static const run runs[9] = { header_##name##_in, header_##name##_out, header_##name##_add, \
                                     usual_##name##_in,  usual_##name##_out,  usual_##name##_add, \
                                     free_##name##_in,   free_##name##_out,   free_##name##_add }; \
        report(#name, runs, (size_t)(instances) * (bytes)); \
    }

int main(void)
{
    printf("%-12s | %-27s | %-27s | %-27s |\n", "", "runtime", "network, usual order", "network, own order");
    printf("%-12s", "");
    for (int k = 0; k < 3; k++)
        printf(" | %6s %6s %6s %6s", "in", "out", "sum", "add");
    printf(" |\n");
    CASES(CHECK)
    CASES(REPORT)
    return 0;
}
