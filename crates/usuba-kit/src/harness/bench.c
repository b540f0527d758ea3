/* Times functions in core cycles per byte. Generated harness: the functions and main follow below. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

enum { SAMPLES = 201, LEAST_TICKS = 60000 };

/* Ticks of the time-stamp counter per core cycle, now: the best of three chains of 8,000 additions. Register added to
 * register: additions of constants can be done at rename, several in a cycle. */
static double ticks_per_cycle(void) {
    double best = 1e9;
    for (int attempt = 0; attempt < 3; attempt++) {
        uint64_t a = 1;
        uint64_t start = __rdtsc();
        for (int i = 0; i < 80; i++) {
            __asm__ volatile(".rept 100\n\tadd %0, %0\n\t.endr" : "+r"(a));
        }
        double ticks = (double)(__rdtsc() - start) / 8000.0;
        if (ticks < best) best = ticks;
    }
    return best;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, void (*work)(void), double bytes) {
    static double samples[SAMPLES];
    unsigned repeats = 1;
    for (;;) {
        uint64_t start = __rdtsc();
        for (unsigned i = 0; i < repeats; i++) work();
        if (__rdtsc() - start >= LEAST_TICKS || repeats >= 1u << 20) break;
        repeats *= 2;
    }
    int kept = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double before = ticks_per_cycle();
        uint64_t start = __rdtsc();
        for (unsigned j = 0; j < repeats; j++) work();
        double ticks = (double)(__rdtsc() - start);
        double after = ticks_per_cycle();
        double ratio = before / after;
        if (ratio < 0.99 || ratio > 1.01) continue;
        samples[kept++] = ticks / ((before + after) / 2) / repeats / bytes;
    }
    if (kept == 0) {
        printf("%s nan nan 0\n", name);
        return;
    }
    qsort(samples, (size_t)kept, sizeof *samples, ascending);
    printf("%s %.4f %.4f %d\n", name, samples[kept / 10], samples[kept / 2], kept);
}
