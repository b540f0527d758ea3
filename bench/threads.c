/* threads.c - what threads bring: throughput of a library made with `--threads`, by number of threads.
 *
 * usage: threads MEBIBYTES THREADS
 *
 * For every primitive of the library with a function for long inputs, the bytes a second of one call on so many MiB, in
 * counter mode, of the keystream, or of the permutation: the best of seven calls for 1, 2, ... THREADS threads, taken in
 * turn. Threads work for wall time, so that is what is measured; the clock of cores may be lower when more of them work. */
#define _POSIX_C_SOURCE 200112L
#include "usuba_primitives.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 64
#define SAMPLES 7

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One call on `size` bytes; what a primitive lacks is a call that fails. */
static int call(const usuba_primitive *primitive, void *ctx, unsigned char *data, size_t size)
{
    unsigned char counter[64] = { 0 };
    switch (primitive->kind) {
    case USUBA_KIND_BLOCK_CIPHER:
        if (primitive->of.block_cipher.ctr_xor == NULL)
            return -1;
        return primitive->of.block_cipher.ctr_xor(ctx, counter, data, data, size);
    case USUBA_KIND_STREAM:
        return primitive->of.stream.xor_bytes(counter, counter, 0, data, data, size);
    case USUBA_KIND_PERMUTATION:
        return primitive->of.permutation.permute(data, size / primitive->of.permutation.state_bytes);
    default:
        return -1;
    }
}

int main(int arguments, char **argument)
{
    const size_t size = (arguments == 3 ? strtoul(argument[1], NULL, 10) : 0) << 20;
    const int threads = arguments == 3 ? atoi(argument[2]) : 0;
    unsigned char key[64] = { 0 };
    unsigned char *data;
    size_t number;
    if (size == 0 || threads < 1 || threads > MOST) {
        fputs("usage: threads MEBIBYTES THREADS (at most 64)\n", stderr);
        return 2;
    }
    data = (unsigned char *)malloc(size);
    if (data == NULL)
        return 3;
    memset(data, 1, size);
    for (number = 0; usuba_primitive_at(number) != NULL; number++) {
        const usuba_primitive *primitive = usuba_primitive_at(number);
        double best[MOST] = { 0 };
        void *ctx = NULL;
        int sample, n, failed = 0;
        if (primitive->kind == USUBA_KIND_BLOCK_CIPHER) {
            ctx = malloc(primitive->of.block_cipher.context_bytes);
            failed = ctx == NULL || primitive->of.block_cipher.init(ctx, key) != 0;
        }
        for (sample = 0; sample <= SAMPLES && !failed; sample++) {
            for (n = 0; n < threads && !failed; n++) {
                double start, rate;
                omp_set_num_threads(n + 1);
                start = seconds();
                failed = call(primitive, ctx, data, size) != 0;
                rate = (double)size / (seconds() - start);
                /* The first calls touch memory and start threads. */
                if (sample > 0 && rate > best[n])
                    best[n] = rate;
            }
        }
        free(ctx);
        if (failed)
            continue;
        printf("%-20s", primitive->name);
        for (n = 0; n < threads; n++)
            printf("  %8.1f MB/s (%.2f)", best[n] / 1e6, best[n] / best[0]);
        printf("\n");
    }
    free(data);
    return 0;
}
