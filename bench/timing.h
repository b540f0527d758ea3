/* timing.h - medians of core cycles per byte.
 *
 * Every sample is some batches, 16 KiB in all, timed next to a chain of dependent additions, one core cycle each, because the
 * core clock of a machine moves while that of the time-stamp counter does not. x86-64 only. */
#ifndef TIMING_H
#define TIMING_H

#include <stdint.h>
#include <stdlib.h>
#include <x86intrin.h>

enum { SAMPLES = 1000 };

/* Ticks of the time-stamp counter for 2000 core cycles. */
static double chain(void)
{
    uint64_t a = 1, start = __rdtsc();
    int i;
    for (i = 0; i < 20; i++)
        __asm__ volatile(".rept 100\n\tadd %0, %0\n\t.endr" : "+r"(a));
    return (double)(__rdtsc() - start);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median over samples of the core cycles that `run` takes, per byte. */
__attribute__((unused)) static double measure(void (*run)(void), size_t bytes)
{
    static double samples[SAMPLES];
    const size_t runs = bytes > 16384 ? 1 : 16384 / bytes;
    unsigned unused;
    size_t r;
    int i;
    for (i = 0; i < SAMPLES; i++) {
        double before = chain(), after;
        uint64_t start = __rdtscp(&unused), ticks;
        _mm_lfence();
        for (r = 0; r < runs; r++)
            run();
        ticks = __rdtscp(&unused) - start;
        _mm_lfence();
        after = chain();
        samples[i] = (double)ticks / ((before < after ? before : after) / 2000.0) / (double)(runs * bytes);
    }
    qsort(samples, SAMPLES, sizeof samples[0], ascending);
    return samples[SAMPLES / 2];
}

/* Declares the function `name`, and `ten_name`, which calls it ten times. */
#define TEN(name)                                                                                           \
    void name(void);                                                                                                    \
    static void ten_##name(void)                                                                                        \
    {                                                                                                                   \
        int i;                                                                                                          \
        for (i = 0; i < 10; i++)                                                                                        \
            name();                                                                                                     \
    }

#endif
