/* differential.h - what another implementation offers to compare a library with. One file for each of them has these. */
#ifndef DIFFERENTIAL_H
#define DIFFERENTIAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a peer has of a primitive: both directions of a block cipher, counter mode, encryption by a stream cipher,
 * authenticated encryption, an authenticator, the hashes over a permutation; modes that carry a vector, that have the number of
 * a unit, or that make a tag. */
enum {
    BLOCKS = 1,
    COUNTER = 2,
    STREAM = 4,
    SEAL = 8,
    MAC = 16,
    HASHES = 32,
    CHAIN = 64,
    UNITS = 128,
    TAG = 256
};

struct peer_offer {
    /* As Usuba calls it. */
    const char *name;
    unsigned what;
};

/* Whom a library is compared with, with its version, and what it has; the last name is NULL. */
const char *peer_name(void);
extern const struct peer_offer peer_offers[];

/* Each returns 1, or 0 if the peer fails. Sizes are those of the primitive, lengths of blocks whole blocks. */
int peer_blocks(const char *name, int decrypt, const unsigned char *key, size_t key_bytes, unsigned char *out,
                const unsigned char *in, size_t length);
int peer_counter(const char *name, const unsigned char *key, size_t key_bytes, const unsigned char *counter,
                 size_t block_bytes, unsigned char *out, const unsigned char *in, size_t length);
int peer_stream(const char *name, const unsigned char *key, const unsigned char *nonce, uint32_t counter,
                unsigned char *out, const unsigned char *in, size_t length);
/* A message with all sizes; an authenticator without a nonce gets none. */
struct peer_message {
    const unsigned char *key, *nonce, *ad, *in;
    size_t key_bytes, nonce_bytes, tag_bytes, ad_length, length;
};

int peer_seal(const char *name, unsigned char *out, unsigned char *tag, const struct peer_message *message);
/* Of a chain or a unit; the vector, or the number of the unit, has `block_bytes`. */
int peer_mode(const char *name, int decrypt, const unsigned char *key, size_t key_bytes, const unsigned char *iv,
              size_t block_bytes, unsigned char *out, const unsigned char *in, size_t length);
int peer_tag(const char *name, unsigned char *tag, const struct peer_message *message);
int peer_mac(const char *name, unsigned char *tag, const unsigned char *key, const unsigned char *in, size_t length);
/* "sha3-224" to "sha3-512", "shake128", "shake256". */
int peer_hash(const char *name, unsigned char *out, size_t out_length, const unsigned char *in, size_t length);

#ifdef __cplusplus
}
#endif

#endif
