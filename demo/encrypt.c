/* Encrypts a file in counter mode with generated code, in pieces, and says how fast: megabytes per second on the clock on
 * the wall, and core cycles per byte. The core clock of a machine moves, so every piece is measured against a chain of
 * dependent additions, one core cycle each, timed just before it.
 *
 * usage: encrypt KEY COUNTER IN OUT        (KEY and COUNTER: 32 hexadecimal digits) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "usuba_aes_128.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#define HAVE_CYCLES 1
#else
#define HAVE_CYCLES 0
#endif

enum { PIECE = 1 << 20 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#if HAVE_CYCLES
/* Ticks of the time-stamp counter per core cycle, now: the best of three chains of 20,000 additions. Register added to
 * register: additions of constants can be done at rename, several in a cycle. */
static double ticks_per_cycle(void)
{
    double best = 1e9;
    for (int attempt = 0; attempt < 3; attempt++) {
        uint64_t a = 1;
        uint64_t start = __rdtsc();
        for (int i = 0; i < 200; i++) {
            __asm__ volatile(".rept 100\n\tadd %0, %0\n\t.endr" : "+r"(a));
        }
        double ticks = (double)(__rdtsc() - start) / 20000.0;
        if (ticks < best) best = ticks;
    }
    return best;
}
#endif

static int read_hex(const char *text, uint8_t *bytes, size_t count)
{
    if (strlen(text) != 2 * count) return 0;
    for (size_t i = 0; i < count; i++) {
        char digits[3] = { text[2 * i], text[2 * i + 1], 0 };
        char *end;
        bytes[i] = (uint8_t)strtoul(digits, &end, 16);
        if (*end) return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    uint8_t key[16], counter[16];
    if (argc != 5 || !read_hex(argv[1], key, 16) || !read_hex(argv[2], counter, 16)) {
        fprintf(stderr, "usage: encrypt KEY COUNTER IN OUT\n");
        return 2;
    }
    FILE *in = fopen(argv[3], "rb");
    FILE *out = fopen(argv[4], "wb");
    uint8_t *buffer = malloc(PIECE);
    usuba_aes_128_ctx *context = aligned_alloc(64, (sizeof *context + 63) / 64 * 64);
    if (!in || !out || !buffer || !context) {
        fprintf(stderr, "encrypt: cannot open the files\n");
        return 1;
    }
    if (usuba_aes_128_init(context, key) != USUBA_OK) return 1;
    double seconds = 0, total = 0;
#if HAVE_CYCLES
    double cycles = 0;
#endif
    size_t length;
    while ((length = fread(buffer, 1, PIECE, in)) > 0) {
#if HAVE_CYCLES
        double ratio = ticks_per_cycle();
#endif
        double start = now();
#if HAVE_CYCLES
        uint64_t ticks = __rdtsc();
#endif
        if (usuba_aes_128_ctr_xor(context, counter, buffer, buffer, length) != USUBA_OK) return 1;
#if HAVE_CYCLES
        cycles += (double)(__rdtsc() - ticks) / ratio;
#endif
        seconds += now() - start;
        total += (double)length;
        if (fwrite(buffer, 1, length, out) != length) return 1;
    }
    if (ferror(in) || fclose(out)) return 1;
    fclose(in);
    printf("%.0f MB/s", total / seconds / 1e6);
#if HAVE_CYCLES
    printf(", %.2f core cycles per byte", cycles / total);
#endif
    printf("\n");
    free(buffer);
    free(context);
    return 0;
}
