/* Times two kernels with other code between their calls: see decoded.sh. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

typedef void kernel(const void *blocks, const void *keys, void *results);
kernel des_1, des_2;
void other_0(void), other_2(void), other_4(void), other_8(void), other_16(void), other_24(void);

enum { CALLS = 401, BLOCKS = 256, BLOCK_BYTES = 8, CHAIN = 8000 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ticks of the time-stamp counter a core cycle: a chain of additions, one a cycle. */
static double ticks_per_cycle(void)
{
    uint64_t a = 1, start = __rdtsc();
    for (int i = 0; i < CHAIN / 100; i++)
        __asm__ volatile(".rept 100\n\tadd %0, %0\n\t.endr" : "+r"(a));
    return (double)(__rdtsc() - start) / CHAIN;
}

int main(void)
{
    static kernel *const kernels[] = {des_1, des_2};
    static const struct {
        int kilobytes;
        void (*run)(void);
    } others[] = {{0, other_0}, {2, other_2}, {4, other_4}, {8, other_8}, {16, other_16}, {24, other_24}};
    static double samples[CALLS];
    unsigned char *memory = aligned_alloc(64, 3 << 16);
    if (!memory) return 1;
    memset(memory, 1, 3 << 16);
    puts("core cycles per byte of a call, median of 401 calls");
    for (int batches = 1; batches <= 2; batches++) {
        for (unsigned other = 0; other < sizeof others / sizeof *others; other++) {
            /* Not between the calls: a chain is other code too. */
            double per_cycle = ticks_per_cycle();
            for (int call = 0; call < CALLS; call++) {
                others[other].run();
                uint64_t start = __rdtsc();
                kernels[batches - 1](memory, memory + (1 << 16), memory + (2 << 16));
                double ticks = (double)(__rdtsc() - start);
                samples[call] = ticks / per_cycle / (batches * BLOCKS * BLOCK_BYTES);
            }
            qsort(samples, CALLS, sizeof *samples, ascending);
            printf("batches %d, other code %2d KB: %.3f\n", batches, others[other].kilobytes, samples[CALLS / 2]);
        }
    }
    free(memory);
    return 0;
}
