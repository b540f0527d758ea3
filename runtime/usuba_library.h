/* usuba_library.h - one public function, several implementations.
 *
 * An engine is an implementation for one target, which works on batches of some size. The level of a machine says which
 * engines it can run; the steps of its core say which of them is best for how many blocks. */
#ifndef USUBA_LIBRARY_H
#define USUBA_LIBRARY_H

#include "usuba_drivers.h"

#if defined(USUBA_THREADS) && defined(_OPENMP)
#include <omp.h>
/* What takes one thread much longer than it takes to start another: 16 microseconds at 1 cycle a byte and 4 GHz. */
#ifndef USUBA_THREAD_BYTES
#define USUBA_THREAD_BYTES 65536
#endif
#endif

#if defined(__GNUC__) || defined(__clang__)
#define USUBA_HIDDEN __attribute__((visibility("hidden")))
#else
#define USUBA_HIDDEN
#endif

/* The level of this machine: a number of the list in usuba_cpu.c. */
USUBA_HIDDEN unsigned usuba_level(void);

/* The plan by which engines are chosen on this machine: levels * core + level, numbers of the lists in usuba_cpu.c. */
USUBA_HIDDEN unsigned usuba_plan(void);

/* Whether rounds of AES and carry-less products of 512 bits are executed by the same ports of this machine. */
USUBA_HIDDEN int usuba_shares_ports(void);

/* Whether this machine has AVX-512 IFMA: products of 52 bits that are added up. */
USUBA_HIDDEN int usuba_has_ifma(void);

/* For up to so many blocks, this engine. The last step of a list is for SIZE_MAX. */
struct usuba_step {
    size_t blocks;
    size_t engine;
};

/* The best engine for so many blocks, by a list of steps. */
USUBA_INLINE size_t usuba_engine_for(const struct usuba_step *step, size_t blocks)
{
    while (blocks > step->blocks)
        step++;
    return step->engine;
}

/* How many of so many blocks an engine takes: whole batches, or all if that is not even one. */
USUBA_INLINE size_t usuba_share(size_t blocks, size_t batch)
{
    return blocks <= batch ? blocks : blocks - blocks % batch;
}

/* Part of a call: `count` blocks from number `from` on. */
typedef void usuba_part(const void *work, size_t from, size_t count);

/* The work on `blocks` > 0 blocks of so many bytes, in one part; or, in a library that was made with threads, in as many as
 * OpenMP has threads for. All parts but the last are multiples of the best batch, and none is too small to be worth a
 * thread. */
USUBA_INLINE void usuba_in_parts(usuba_part *part, const void *work, size_t blocks, size_t bytes, size_t batch)
{
#if defined(USUBA_THREADS) && defined(_OPENMP)
    const size_t batches = blocks / batch;
    const size_t worth = USUBA_THREAD_BYTES / bytes / batch + 1;
    size_t parts = batches / worth;
    if (parts > (size_t)omp_get_max_threads())
        parts = (size_t)omp_get_max_threads();
    if (parts > 1 && !omp_in_parallel()) {
        const size_t share = batches / parts * batch;
        int number;
#pragma omp parallel for num_threads((int)parts) schedule(static, 1)
        for (number = 0; number < (int)parts; number++) {
            const size_t from = (size_t)number * share;
            part(work, from, number + 1 < (int)parts ? share : blocks - from);
        }
        return;
    }
#endif
    (void)bytes;
    (void)batch;
    part(work, 0, blocks);
}

/* The plan of a context that begins with `magic`, which names the cipher, and the plan in the last byte; -1 if it was not
 * made, was wiped, or is that of another cipher. */
USUBA_INLINE int usuba_context_plan(uint64_t state, uint64_t magic, size_t plans)
{
    const uint64_t plan = state ^ magic;
    return plan < plans ? (int)plan : -1;
}

/* Round keys as an engine reads them, made of those that are specified when it is first asked for. */
struct usuba_loaded {
    const unsigned char *round_keys;
    /* What has made that which is there; NULL if nothing has, or for round keys as they stand. */
    void (*load)(void *, const unsigned char *);
    /* For which direction, where decryption reads other round keys; 0 if nothing has. */
    size_t direction;
    /* Room for the longest form of an engine, and how much of it was ever used. */
    uint64_t *memory;
    size_t bytes;
};

/* A block cipher and its context, for code that is over any: functions for blocks by themselves, one of which may be missing;
 * and, for messages that make a key, what makes the cipher that under another key. `out` is `in` or apart from it. */
struct usuba_blocks {
    void *ctx;
    void (*encrypt)(void *ctx, const unsigned char *in, unsigned char *out, size_t blocks);
    void (*decrypt)(void *ctx, const unsigned char *in, unsigned char *out, size_t blocks);
    void (*schedule)(void *ctx, const unsigned char *key);
};

#endif
