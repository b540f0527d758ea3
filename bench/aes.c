/* Core cycles per byte of AES-128 in counter mode, one batch at a time: the kernel, and everything. bench/transposition.sh
 * compiles it with a library made for a target. */
#include "usuba_aes_128.c"

#include "timing.h"
#include <stdio.h>

enum { BYTES = USUBA_AES_128_BATCH * USUBA_AES_128_BLOCK_BYTES };

static usuba_aes_128_ctx context;
static unsigned char counter[16], data[BYTES], image[BYTES] __attribute__((aligned(64))),
    result[BYTES] __attribute__((aligned(64)));

static void kernel(void)
{
    usuba_aes_128_encrypt((const void *)image, context.round_keys, (void *)result);
}

static void everything(void)
{
    usuba_aes_128_ctr_xor(&context, counter, data, data, BYTES);
}

int main(void)
{
    static const unsigned char key[16] = { 1, 2, 3 };
    usuba_aes_128_init(&context, key);
    printf("%-30s %7.3f\n", "kernel of AES-128", measure(kernel, BYTES));
    printf("%-30s %7.3f\n", "AES-128 in counter mode", measure(everything, BYTES));
    return 0;
}
