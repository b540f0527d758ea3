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

/* The median over `samples` samples, at most SAMPLES, of the core cycles of a call of `run`; a sample is some calls. */
__attribute__((unused)) static double median_cycles(void (*run)(void), int calls, int samples)
{
    static double taken[SAMPLES];
    unsigned unused;
    int i, call;
    for (i = 0; i < samples; i++) {
        double before = chain(), after;
        uint64_t start = __rdtscp(&unused), ticks;
        _mm_lfence();
        for (call = 0; call < calls; call++)
            run();
        ticks = __rdtscp(&unused) - start;
        _mm_lfence();
        after = chain();
        taken[i] = (double)ticks / ((before < after ? before : after) / 2000.0) / calls;
    }
    qsort(taken, (size_t)samples, sizeof taken[0], ascending);
    return taken[samples / 2];
}

/* The median over samples of the core cycles that `run` takes, per byte. */
__attribute__((unused)) static double measure(void (*run)(void), size_t bytes)
{
    return median_cycles(run, bytes > 16384 ? 1 : (int)(16384 / bytes), SAMPLES) / (double)bytes;
}

/* Of each of `count` ways to do the same, the least ticks of the time-stamp counter of a call of `run` with its number, a mean
 * over some calls. They take turns, so that what else the machine does meets all of them. */
__attribute__((unused)) static void least_by_turns(double *least, size_t count, void (*run)(size_t), int calls, int samples)
{
    unsigned unused;
    size_t way;
    int i, call;
    for (way = 0; way < count; way++)
        least[way] = 1e300;
    for (i = 0; i < samples; i++) {
        for (way = 0; way < count; way++) {
            uint64_t start;
            double ticks;
            run(way);
            start = __rdtscp(&unused);
            _mm_lfence();
            for (call = 0; call < calls; call++)
                run(way);
            ticks = (double)(__rdtscp(&unused) - start) / calls;
            _mm_lfence();
            least[way] = ticks < least[way] ? ticks : least[way];
        }
    }
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
