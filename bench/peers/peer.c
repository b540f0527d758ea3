/* peer.c - checks and times the implementations of one program; see peer.h.
 *
 * A sample is one or more runs over the buffer, between two chains of dependent additions, one core cycle each: the core
 * clock of a machine moves with its load, the time-stamp counter does not. A sample whose chains disagree by more than
 * 1 % is dropped. The implementations take turns, so that a change of the machine meets all of them. What is printed is
 * the tenth percentile, as `usubac bench` reports it. */
#include "peer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

enum { LEAST_TICKS = 60000, MOST_PEERS = 32, MOST_SAMPLES = 2000 };

static uint8_t text[PEER_BYTES] __attribute__((aligned(64)));

void peer_text(uint8_t *data, size_t bytes)
{
    uint32_t state = 1;
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = (uint8_t)(state >> 24);
    }
}

const uint8_t *peer_key(void)
{
    static uint8_t key[64];
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)i;
    return key;
}

const uint8_t *peer_zeros(void)
{
    static const uint8_t zeros[64];
    return zeros;
}

static uint64_t digest(const uint8_t *data, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ data[i]) * 0x100000001b3u;
    return hash;
}

/* Ticks of the time-stamp counter per core cycle, now. Register added to register: additions of constants can be done at
 * rename, several in a cycle. */
static double ticks_per_cycle(void)
{
    double best = 1e9;
    for (int attempt = 0; attempt < 3; attempt++) {
        uint64_t a = 1, start = __rdtsc();
        for (int i = 0; i < 80; i++)
            __asm__ volatile(".rept 100\n\tadd %0, %0\n\t.endr" : "+r"(a));
        double ticks = (double)(__rdtsc() - start) / 8000.0;
        if (ticks < best)
            best = ticks;
    }
    return best;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t bytes_of(const struct peer *peer)
{
    return peer->bytes ? peer->bytes : PEER_BYTES;
}

static uint64_t runs(const struct peer *peer, unsigned repeats)
{
    uint64_t start = __rdtsc();
    for (unsigned i = 0; i < repeats; i++)
        peer->run(text, bytes_of(peer));
    return __rdtsc() - start;
}

int peer_main(const char *name, const char *version, const struct peer *peers, size_t count, int argc, char **argv)
{
    static double samples[MOST_PEERS][MOST_SAMPLES];
    static int kept[MOST_PEERS];
    unsigned repeats[MOST_PEERS] = { 0 };
    uint64_t digests[MOST_PEERS];
    int wanted = 60;
    memset(kept, 0, sizeof kept);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--check"))
            wanted = 0;
        if (!strcmp(argv[i], "--samples") && i + 1 < argc)
            wanted = atoi(argv[i + 1]);
    }
    if (wanted > MOST_SAMPLES)
        wanted = MOST_SAMPLES;
    if (count > MOST_PEERS)
        return 2;
    for (size_t p = 0; p < count; p++) {
        if (!peers[p].start())
            continue;
        repeats[p] = 1;
        peer_text(text, sizeof text);
        peers[p].run(text, bytes_of(&peers[p]));
        digests[p] = digest(text, bytes_of(&peers[p]));
        while (wanted && runs(&peers[p], repeats[p]) < LEAST_TICKS)
            repeats[p] *= 2;
    }
    for (int sample = 0; sample < wanted; sample++) {
        for (size_t turn = 0; turn < count; turn++) {
            const size_t p = (turn + (size_t)sample) % count;
            /* Implementations of a program may share their state: each starts anew, and runs once untimed. */
            if (!repeats[p] || !peers[p].start())
                continue;
            runs(&peers[p], 1);
            double before = ticks_per_cycle();
            double ticks = (double)runs(&peers[p], repeats[p]);
            double after = ticks_per_cycle();
            if (before / after < 0.99 || before / after > 1.01)
                continue;
            samples[p][kept[p]++] = ticks / ((before + after) / 2) / repeats[p] / (double)bytes_of(&peers[p]);
        }
    }
    for (size_t p = 0; p < count; p++) {
        if (!repeats[p])
            continue;
        qsort(samples[p], (size_t)kept[p], sizeof samples[p][0], ascending);
        printf("{\"name\":\"%s\",\"version\":\"%s\",\"primitive\":\"%s\",\"mode\":\"%s\",\"level\":\"%s\","
               "\"method\":\"%s\",\"digest\":\"%016llx\"",
            name, version, peers[p].primitive, peers[p].mode, peers[p].level, peers[p].method,
            (unsigned long long)digests[p]);
        if (kept[p])
            printf(",\"cycles\":%.4f,\"samples\":%d", samples[p][kept[p] / 10], kept[p]);
        printf("}\n");
    }
    return 0;
}
