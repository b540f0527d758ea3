/* peer.h - what an implementation is measured as.
 *
 * A program lists its implementations; peer.c checks and times them all, in turn, in one process, and prints a line of
 * JSON for each. The same key, nonce and text for everyone: key bytes 0, 1, 2 …, nonce and first counter zero, and the
 * text of peer_text(). So implementations of one primitive and mode must give the same bytes, and their digests say so. */
#ifndef PEER_H
#define PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PEER_BYTES = 16384 };

struct peer {
    const char *primitive; /* aes-128, serpent-128, chacha20, … as the manifests name them */
    const char *mode;      /* ecb, ctr, xor, permute, aead: whole path; kernel: independent states in place */
    const char *level;     /* what it may use: gp64, sse2, ssse3, avx2, avx512-256, avx512 */
    const char *method;    /* "constant time", "tables", or how it is known to be one */
    /* Sets the key and everything that stays. 0 if this build or machine lacks the implementation; for kernels, also if
     * its own known answer is wrong. */
    int (*start)(void);
    /* Works on `bytes` bytes in place. */
    void (*run)(uint8_t *data, size_t bytes);
    size_t bytes; /* 0 for PEER_BYTES */
};

/* Fills `data` with the text that everyone encrypts. */
void peer_text(uint8_t *data, size_t bytes);

/* The key of `bytes` bytes: 0, 1, 2 … */
const uint8_t *peer_key(void);

/* Sixteen zero bytes and more: nonces and counters. */
const uint8_t *peer_zeros(void);

/* Checks and times. Arguments: [--samples N] [--check]; prints to standard output; returns the exit status. */
int peer_main(const char *name, const char *version, const struct peer *peers, size_t count, int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
