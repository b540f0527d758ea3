/* Core cycles per byte of AES-128 in counter mode, one batch at a time: the kernel, and everything. bench/transposition.sh
 * compiles it with the engine of a library made for a target, and says what it is called. */
#include ENGINE_FILE

#include "timing.h"
#include <stdio.h>

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define NAME(end) JOIN(ENGINE, end)

enum { BYTES = BATCH * 16 };

static const unsigned char round_keys[11 * 16] = { 1, 2, 3 };
/* At most 64 bits for each of theirs. */
static uint64_t keys[8 * sizeof round_keys];
static unsigned char counter[16], data[BYTES], image[BYTES] __attribute__((aligned(64))),
    result[BYTES] __attribute__((aligned(64)));

static void kernel(void)
{
    NAME(_encrypt)((const void *)image, (void *)keys, (void *)result);
}

static void everything(void)
{
    (void)NAME(_ctr_xor)(round_keys, counter, data, data, BYTES);
}

int main(void)
{
    load_round_keys((void *)keys, round_keys);
    printf("%-30s %7.3f\n", "kernel of AES-128", measure(kernel, BYTES));
    printf("%-30s %7.3f\n", "AES-128 in counter mode", measure(everything, BYTES));
    return 0;
}
