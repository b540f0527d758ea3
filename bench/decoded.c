/* Core cycles per byte of two kernels whose calls follow each other, and with other code between them: see decoded.sh. */
#include "timing.h"
#include <stdio.h>

typedef void kernel(const void *blocks, const void *keys, void *results);
kernel des_1, des_2;
void other_0(void), other_2(void), other_4(void), other_8(void), other_16(void), other_24(void);

enum { BATCH_BYTES = 256 * 8, CALLS = 16, TAKEN = 401 };

static __attribute__((aligned(64))) unsigned char blocks[1 << 15], keys[1 << 15], results[1 << 15];
static kernel *called;
static void (*between)(void);

static void alone(void) { called(blocks, keys, results); }
static void other(void) { between(); }
static void both(void)
{
    between();
    called(blocks, keys, results);
}

int main(void)
{
    static kernel *const kernels[] = {des_1, des_2};
    static void (*const others[])(void) = {other_0, other_2, other_4, other_8, other_16, other_24};
    static const int kilobytes[] = {0, 2, 4, 8, 16, 24};
    for (int batches = 1; batches <= 2; batches++) {
        called = kernels[batches - 1];
        double bytes = batches * BATCH_BYTES;
        printf("batches %d, nothing between: %.3f\n", batches, median_cycles(alone, CALLS, TAKEN) / bytes);
        for (unsigned number = 0; number < sizeof others / sizeof *others; number++) {
            between = others[number];
            double rest = median_cycles(other, CALLS, TAKEN);
            printf("batches %d, %2d KB between: %.3f\n", batches, kilobytes[number],
                (median_cycles(both, CALLS, TAKEN) - rest) / bytes);
        }
    }
    return 0;
}
