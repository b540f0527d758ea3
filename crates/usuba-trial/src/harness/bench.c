/* Times functions in core cycles per byte, all in one process, in turn. Generated harness: main follows below. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <time.h>
#endif

struct work {
    const char *name;
    void (*run)(void);
    double bytes;
};

enum { SAMPLES = 201, MAX_REPEATS = 1 << 20 };

/* A counter that runs at one rate whatever the clock of the core does, and how far it must run in a sample. */
#if defined(__x86_64__)
#define LEAST_TICKS 60000
static uint64_t ticks(void) { return __rdtsc(); }
#else
#define LEAST_TICKS 40000
static uint64_t ticks(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
#endif

/* One addition, of a register to a register: additions of constants can be done at rename, several in a cycle. */
#if defined(__x86_64__)
#define ADD "add %0, %0\n\t"
#elif defined(__aarch64__) || defined(__powerpc64__)
#define ADD "add %0, %0, %0\n\t"
#else
#error "bench knows no addition of this machine"
#endif

/* Ticks per core cycle, now: the best of three chains of 8,000 dependent additions. */
static double ticks_per_cycle(void) {
    double best = 1e9;
    for (int attempt = 0; attempt < 3; attempt++) {
        uint64_t a = 1;
        uint64_t start = ticks();
        for (int i = 0; i < 80; i++) {
            __asm__ volatile(".rept 100\n\t" ADD ".endr" : "+r"(a));
        }
        double ratio = (double)(ticks() - start) / 8000.0;
        if (ratio < best) best = ratio;
    }
    return best;
}

/* Upper halves of registers that one function leaves dirty must not slow the next down. */
static void settle(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx")) __asm__ volatile("vzeroupper" ::: "memory");
#endif
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Does a work so often and nothing else, for who counts instructions from outside. */
static int repeat(const struct work *works, unsigned count, unsigned which, unsigned times) {
    if (which >= count) return 1;
    for (unsigned i = 0; i < times; i++) works[which].run();
    return 0;
}

/* `first` is the work that the first round begins with; every round begins one further. */
static int measure(const struct work *works, unsigned count, unsigned first) {
    double *samples = malloc(sizeof(double) * SAMPLES * count);
    unsigned *repeats = malloc(sizeof(unsigned) * count);
    unsigned *kept = calloc(count, sizeof(unsigned));
    if (!samples || !repeats || !kept) return 1;
    for (unsigned w = 0; w < count; w++) {
        for (repeats[w] = 1; repeats[w] < MAX_REPEATS; repeats[w] *= 2) {
            uint64_t start = ticks();
            for (unsigned i = 0; i < repeats[w]; i++) works[w].run();
            if (ticks() - start >= LEAST_TICKS) break;
        }
    }
    double clock = 1e9;
    for (unsigned round = 0; round < SAMPLES; round++) {
        for (unsigned turn = 0; turn < count; turn++) {
            unsigned w = (first + round + turn) % count;
            settle();
            /* Once untimed: its code and data come into the caches that the work before has used. */
            works[w].run();
            double before = ticks_per_cycle();
            uint64_t start = ticks();
            for (unsigned i = 0; i < repeats[w]; i++) works[w].run();
            double time = (double)(ticks() - start);
            double after = ticks_per_cycle();
            double ratio = before / after;
            if (ratio < 0.99 || ratio > 1.01) continue;
            if (before < clock) clock = before;
            samples[w * SAMPLES + kept[w]++] = time / ((before + after) / 2) / repeats[w] / works[w].bytes;
        }
    }
    printf("clock %.4f %.4f 1\n", clock, clock);
    for (unsigned w = 0; w < count; w++) {
        double *of = samples + w * SAMPLES;
        if (kept[w] == 0) continue;
        qsort(of, kept[w], sizeof(double), ascending);
        printf("%s %.4f %.4f %u\n", works[w].name, of[kept[w] / 10], of[kept[w] / 2], kept[w]);
    }
    free(samples);
    free(repeats);
    free(kept);
    return 0;
}
