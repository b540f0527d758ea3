/* gcm.c - core cycles of AES-GCM by several implementations, by turns in one process. Arguments: [--rounds N] NAME=OBJECT…, where
 * OBJECT is a shared object with the table of gcm.h. Every output is compared with that of the first implementation before anything
 * is timed. A context is made once a key; all that a message needs is counted. Prints a table for each length of key and direction:
 * the least and the median of the core cycles of one call. In the last column calls are of 1,024 messages of 1 to 1,500 bytes in an
 * order that predictors do not know.
 *
 * A sample is as many calls as take about 30,000 ticks, next to chains of dependent additions, one core cycle each, because the core
 * clock moves and that of the time-stamp counter does not. The shortest of the last chains counts: a chain can be disturbed, so that
 * one by itself would make some sample look fast. Samples between chains that are more than 3 % longer than it are taken again. Addresses within a page differ from round to round, the same for all, so that no implementation is measured at the one
 * place that suits or hurts it. */
#define _GNU_SOURCE
#include "../timing.h"
#include "gcm.h"
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16384, PEERS = 24, ROUNDS = 2000, AAD = 16, ROOM = MOST + 8192, LENGTHS = 12, COMPARED = 1200,
    /* A length that stands for messages of many: so many of 1 to so many bytes, one after the other. */
    MIXED = -1, MESSAGES = 1024, LONGEST = 1500 };

static const int lengths[LENGTHS] = {16384, 4096, 4095, 1420, 512, 500, 300, 200, 64, 63, 16, MIXED};
static int mixed_lengths[MESSAGES];
static uint8_t mixed_tags[MESSAGES][16];
static const int key_sizes[2] = {128, 256};

struct peer {
    const char *name;
    const struct gcm *gcm;
    void *context;
};

static struct peer peers[PEERS];
static int count;
static double samples[PEERS][LENGTHS][ROUNDS];
static uint8_t text[MOST], nonce[12], aad[AAD], key[32], expected[MOST], expected_tag[16];
static _Alignas(4096) uint8_t from[ROOM], to[ROOM], sealed[ROOM];

static uint64_t ticks(void)
{
    unsigned unused;
    uint64_t now = __rdtscp(&unused);
    _mm_lfence();
    return now;
}

/* Ticks for 2000 core cycles: the shortest of the last chains. */
static double clock_of(double before, double after)
{
    static double last[64];
    static unsigned at;
    double least = before < after ? before : after;
    last[at++ % 64] = least;
    for (int one = 0; one < 64; one++)
        if (last[one] > 0 && last[one] < least)
            least = last[one];
    return least;
}

/* The core cycles of so many calls, or 0 if the clock moved. */
static double sample(const struct peer *peer, int opens, int bytes, const uint8_t *in, uint8_t *out, uint8_t *tag, int calls)
{
    const double before = chain();
    uint64_t start = ticks();
    int call, failed = 0;
    for (call = 0; bytes == MIXED && call < MESSAGES; call++)
        failed |= opens ? peer->gcm->open(peer->context, nonce, aad, AAD, in, (size_t)mixed_lengths[call], mixed_tags[call], out)
                        : peer->gcm->seal(peer->context, nonce, aad, AAD, in, (size_t)mixed_lengths[call], out, tag);
    for (call = 0; bytes != MIXED && call < calls; call++)
        failed |= opens ? peer->gcm->open(peer->context, nonce, aad, AAD, in, (size_t)bytes, tag, out)
                        : peer->gcm->seal(peer->context, nonce, aad, AAD, in, (size_t)bytes, out, tag);
    start = ticks() - start;
    const double after = chain(), least = clock_of(before, after);
    if (failed) {
        fprintf(stderr, "gcm: %s fails on %d bytes\n", peer->name, bytes);
        exit(1);
    }
    return before > 1.03 * least || after > 1.03 * least ? 0 : (double)start / (least / 2000.0) / (bytes == MIXED ? MESSAGES : calls);
}

/* Ends the program if an implementation does not compute what the first one does, which sets it. */
static void compare(const struct peer *peer, int bytes, int first)
{
    uint8_t tag[16];
    memset(to, 0xaa, sizeof to);
    if (peer->gcm->seal(peer->context, nonce, aad, AAD, text, (size_t)bytes, to + 1, tag) != 0) {
        fprintf(stderr, "gcm: %s does not seal %d bytes\n", peer->name, bytes);
        exit(1);
    }
    if (first) {
        memcpy(expected, to + 1, (size_t)bytes);
        memcpy(expected_tag, tag, 16);
    }
    int wrong = memcmp(expected, to + 1, (size_t)bytes) != 0 || memcmp(expected_tag, tag, 16) != 0 || to[0] != 0xaa ||
                to[bytes + 1] != 0xaa;
    memset(to, 0xaa, sizeof to);
    wrong |= peer->gcm->open(peer->context, nonce, aad, AAD, expected, (size_t)bytes, expected_tag, to + 1) != 0;
    wrong |= memcmp(text, to + 1, (size_t)bytes) != 0 || to[0] != 0xaa || to[bytes + 1] != 0xaa;
    tag[3] ^= 4;
    wrong |= peer->gcm->open(peer->context, nonce, aad, AAD, expected, (size_t)bytes, tag, to + 1) == 0;
    if (wrong) {
        fprintf(stderr, "gcm: %s is wrong on %d bytes\n", peer->name, bytes);
        exit(1);
    }
}

static void row(const char *name, int peer, int rounds, int rank)
{
    printf("| %s |", name);
    for (int length = 0; length < LENGTHS; length++)
        printf(" %.0f |", samples[peer][length][rank * (rounds - 1) / 2]);
    printf("\n");
}

int main(int argc, char **argv)
{
    int rounds = 400, peer, length, round, opens, bits, size;
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET((unsigned)sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
    for (int at = 1; at < argc; at++) {
        char *object = strchr(argv[at], '=');
        if (strcmp(argv[at], "--rounds") == 0 && at + 1 < argc) {
            rounds = atoi(argv[++at]);
            rounds = rounds < 1 ? 1 : rounds > ROUNDS ? ROUNDS : rounds;
            continue;
        }
        if (object == NULL) {
            fprintf(stderr, "gcm: `%s` is not NAME=OBJECT\n", argv[at]);
            return 2;
        }
        *object++ = 0;
        void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        const struct gcm *table = handle == NULL ? NULL : (const struct gcm *)dlsym(handle, "gcm_implementations");
        if (table == NULL) {
            fprintf(stderr, "gcm: %s\n", dlerror());
            return 1;
        }
        for (; table->name != NULL && count < PEERS; table++) {
            char *name = malloc(strlen(argv[at]) + strlen(table->name) + 2);
            sprintf(name, "%s%s%s", argv[at], *argv[at] && *table->name ? " " : "", table->name);
            peers[count++] = (struct peer){name, table, NULL};
        }
    }
    for (int at = 0; at < MOST; at++)
        text[at] = (uint8_t)(at * 167 + (at >> 8) * 13 + 5);
    for (int at = 0; at < 32; at++)
        key[at] = (uint8_t)(at * 29 + 3);
    for (int at = 0; at < AAD; at++)
        aad[at] = (uint8_t)(at * 59 + 11);
    memcpy(nonce, key + 7, 12);

    for (size = 0; size < 2; size++) {
        bits = key_sizes[size];
        for (peer = 0; peer < count; peer++) {
            peers[peer].context = peers[peer].gcm->start(bits, key);
            if (peers[peer].context == NULL) {
                fprintf(stderr, "gcm: %s is not there on this machine\n", peers[peer].name);
                if (peer == 0)
                    return 1;
                continue;
            }
            /* All lengths that begin and end otherwise, and those that are measured. */
            for (int bytes = 0; bytes < COMPARED + LENGTHS; bytes++) {
                const int length_here = bytes < COMPARED ? bytes : lengths[bytes - COMPARED];
                if (length_here == MIXED)
                    continue;
                compare(&peers[0], length_here, 1);
                compare(&peers[peer], length_here, 0);
            }
        }
        for (int at = 0; at < MESSAGES; at++) {
            mixed_lengths[at] = 1 + rand() % LONGEST;
            peers[0].gcm->seal(peers[0].context, nonce, aad, AAD, text, (size_t)mixed_lengths[at], to, mixed_tags[at]);
        }
        for (opens = 0; opens < 2; opens++) {
            for (length = 0; length < LENGTHS; length++) {
                const int bytes = lengths[length];
                int calls[PEERS] = {0};
                for (round = -2; round < rounds; round++) {
                    /* Places within a page, at least a line from one another. */
                    const unsigned turn = (unsigned)(round + 2);
                    uint8_t *in = from + 256 + 64 * (turn * 7 % 16), *out = to + 2048 + 64 * (turn * 5 % 16), *tag = sealed + 3200;
                    const int most = bytes == MIXED ? LONGEST : bytes;
                    compare(&peers[0], most, 1);
                    memcpy(in, opens ? expected : text, (size_t)most);
                    memcpy(tag, expected_tag, 16);
                    for (int turns = 0; turns < count; turns++) {
                        peer = (int)((turn + (unsigned)turns) % (unsigned)count);
                        if (peers[peer].context == NULL)
                            continue;
                        if (round < 0) {
                            uint64_t start = ticks();
                            sample(&peers[peer], opens, bytes, in, out, tag, 8);
                            start = ticks() - start;
                            calls[peer] = (int)(8 * 30000 / start) + 1;
                            continue;
                        }
                        double cycles = 0;
                        for (int tries = 0; cycles == 0 && tries < 100; tries++)
                            cycles = sample(&peers[peer], opens, bytes, in, out, tag, calls[peer]);
                        samples[peer][length][round] = cycles > 0 ? cycles : 1e9;
                    }
                }
                for (peer = 0; peer < count; peer++)
                    qsort(samples[peer][length], (size_t)rounds, sizeof(double), ascending);
            }
            for (int rank = 0; rank < 2; rank++) {
                printf("\n### AES-%d-GCM, %s, cycles a call, %s of %d\n\n|", bits, opens ? "open" : "seal", rank ? "median" : "least",
                       rounds);
                for (length = 0; length < LENGTHS - 1; length++)
                    printf(" | %d", lengths[length]);
                printf(" | 1 to %d", LONGEST);
                printf(" |\n|---|");
                for (length = 0; length < LENGTHS; length++)
                    printf("---:|");
                printf("\n");
                for (peer = 0; peer < count; peer++)
                    if (peers[peer].context != NULL)
                        row(peers[peer].name, peer, rounds, rank);
            }
            fflush(stdout);
        }
    }
    return 0;
}
