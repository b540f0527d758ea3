#ifndef @PREFIX@PRIMITIVES_H
#define @PREFIX@PRIMITIVES_H

#include <stddef.h>
#include <stdint.h>

@results@@api@#ifdef __cplusplus
extern "C" {
#endif

/* What a primitive is. Programs should leave aside kinds that they do not know. */
typedef enum @prefix@kind {
    @PREFIX@KIND_BLOCK_CIPHER = 1,
    @PREFIX@KIND_STREAM,
    @PREFIX@KIND_GENERATOR,
    @PREFIX@KIND_PERMUTATION,
    @PREFIX@KIND_AEAD,
    @PREFIX@KIND_HASH,
    @PREFIX@KIND_XOF,
    @PREFIX@KIND_MAC,
    @PREFIX@KIND_CHAIN,
    @PREFIX@KIND_UNITS,
    @PREFIX@KIND_AUTHENTICATOR
} @prefix@kind;

/* Sizes and functions of each kind. Each function does what the public one of the primitive does, whose header describes it,
 * and returns the same; a function that a primitive lacks is NULL. Contexts are `context_bytes` of memory that is aligned as
 * malloc aligns it. They have no pointers and may be copied. */

typedef struct @prefix@block_cipher_functions {
    size_t key_bytes, block_bytes;
    /* 0 for a cipher without tweaks, which does not look at `tweaks`. */
    size_t tweak_bytes;
    size_t context_bytes;
    int (*init)(void *ctx, const unsigned char *key);
    int (*encrypt_blocks)(const void *ctx, const unsigned char *tweaks, unsigned char *out, const unsigned char *in,
        size_t blocks);
    int (*decrypt_blocks)(const void *ctx, const unsigned char *tweaks, unsigned char *out, const unsigned char *in,
        size_t blocks);
    int (*ctr_xor)(const void *ctx, unsigned char *counter, unsigned char *out, const unsigned char *in, size_t length);
    int (*ctr32_xor)(const void *ctx, unsigned char *counter, unsigned char *out, const unsigned char *in, size_t length);
    void (*wipe)(void *ctx);
} @prefix@block_cipher_functions;

typedef struct @prefix@stream_functions {
    size_t key_bytes, nonce_bytes;
    /* Of the counter, and of the keystream for each of its numbers. */
    size_t counter_bytes, block_bytes;
    /* A counter that does not fit in `counter_bytes` is USUBA_ERROR_LENGTH. */
    int (*xor_bytes)(const unsigned char *key, const unsigned char *nonce, uint64_t counter, unsigned char *out,
        const unsigned char *in, size_t length);
} @prefix@stream_functions;

typedef struct @prefix@generator_functions {
    size_t key_bytes, nonce_bytes;
    /* Of the keystream that is made at once. */
    size_t block_bytes;
    size_t context_bytes;
    int (*init)(void *ctx, const unsigned char *key, const unsigned char *nonce);
    int (*xor_bytes)(void *ctx, unsigned char *out, const unsigned char *in, size_t length);
    /* The contexts lie one after another at `ctx`. */
    int (*xor_batch)(void *ctx, unsigned char *const out[], const unsigned char *const in[], size_t length,
        size_t streams);
    void (*wipe)(void *ctx);
} @prefix@generator_functions;

typedef struct @prefix@permutation_functions {
    size_t state_bytes;
    int (*permute)(unsigned char *states, size_t count);
} @prefix@permutation_functions;

typedef struct @prefix@aead_functions {
    /* The nonce and the tag have the usual sizes, and others if the primitive takes them: else USUBA_ERROR_LENGTH. */
    size_t key_bytes, nonce_bytes, tag_bytes;
    size_t context_bytes;
    int (*init)(void *ctx, const unsigned char *key);
    int (*seal)(const void *ctx, unsigned char *out, unsigned char *tag, size_t tag_bytes, const unsigned char *nonce,
        size_t nonce_bytes, const unsigned char *ad, size_t ad_length, const unsigned char *in, size_t length);
    int (*open)(const void *ctx, unsigned char *out, const unsigned char *tag, size_t tag_bytes, const unsigned char *nonce,
        size_t nonce_bytes, const unsigned char *ad, size_t ad_length, const unsigned char *in, size_t length);
    void (*wipe)(void *ctx);
    /* A message in pieces, in a stream of `stream_bytes`; 0 and NULL if a message comes whole. Updates make up to `held_bytes` more
     * than they are given. What `open_update` makes is not yet authentic. */
    size_t stream_bytes, held_bytes;
    int (*seal_begin)(void *stream, const void *ctx, size_t tag_bytes, const unsigned char *nonce, size_t nonce_bytes);
    int (*open_begin)(void *stream, const void *ctx, size_t tag_bytes, const unsigned char *nonce, size_t nonce_bytes);
    int (*ad)(void *stream, const void *ctx, const unsigned char *ad, size_t ad_length);
    int (*seal_update)(void *stream, const void *ctx, unsigned char *out, size_t *made, const unsigned char *in, size_t length);
    int (*open_update)(void *stream, const void *ctx, unsigned char *out, size_t *made, const unsigned char *in, size_t length);
    int (*seal_end)(void *stream, const void *ctx, unsigned char *out, size_t *made, unsigned char *tag, size_t tag_bytes);
    int (*open_end)(void *stream, const void *ctx, unsigned char *out, size_t *made, const unsigned char *tag, size_t tag_bytes);
} @prefix@aead_functions;

@messages@
/* Modes that carry a vector from call to call. */
typedef struct @prefix@chain_functions {
    size_t key_bytes, iv_bytes;
    /* Lengths are multiples of this. */
    size_t unit_bytes;
    size_t context_bytes;
    int (*init)(void *ctx, const unsigned char *key);
    int (*encrypt)(const void *ctx, unsigned char *iv, unsigned char *out, const unsigned char *in, size_t length);
    int (*decrypt)(const void *ctx, unsigned char *iv, unsigned char *out, const unsigned char *in, size_t length);
    void (*wipe)(void *ctx);
    /* Many messages under one key. */
    int (*encrypt_batch)(const void *ctx, size_t count, @prefix@chained_message *messages);
} @prefix@chain_functions;

/* Modes for numbered units. */
typedef struct @prefix@units_functions {
    size_t key_bytes, unit_bytes;
    size_t context_bytes;
    int (*init)(void *ctx, const unsigned char *key);
    int (*encrypt)(const void *ctx, const unsigned char *unit, unsigned char *out, const unsigned char *in, size_t length);
    int (*decrypt)(const void *ctx, const unsigned char *unit, unsigned char *out, const unsigned char *in, size_t length);
    void (*wipe)(void *ctx);
} @prefix@units_functions;

/* Modes that make a tag in one call. */
typedef struct @prefix@authenticator_functions {
    /* As of an AEAD; there is no nonce if its size is 0. */
    size_t key_bytes, nonce_bytes, tag_bytes;
    size_t context_bytes;
    int (*init)(void *ctx, const unsigned char *key);
    int (*compute)(const void *ctx, unsigned char *tag, size_t tag_bytes, const unsigned char *nonce, size_t nonce_bytes,
        const unsigned char *in, size_t length);
    void (*wipe)(void *ctx);
    /* Many messages under one key. */
    int (*compute_batch)(const void *ctx, size_t count, @prefix@tagged_message *messages);
} @prefix@authenticator_functions;

typedef struct @prefix@hash_functions {
    size_t digest_bytes, context_bytes;
    int (*compute)(unsigned char *digest, const unsigned char *in, size_t length);
    int (*init)(void *ctx);
    int (*update)(void *ctx, const unsigned char *in, size_t length);
    int (*final)(void *ctx, unsigned char *digest);
    void (*wipe)(void *ctx);
    /* Bytes of a block of the message, for HMAC. */
    size_t block_bytes;
} @prefix@hash_functions;

typedef struct @prefix@xof_functions {
    /* The largest customization string; 0 if the function takes none, then a longer one is USUBA_ERROR_LENGTH. */
    size_t customization_bytes;
    size_t context_bytes;
    int (*compute)(unsigned char *out, size_t out_length, const unsigned char *custom, size_t custom_length,
        const unsigned char *in, size_t length);
    int (*init)(void *ctx, const unsigned char *custom, size_t custom_length);
    int (*update)(void *ctx, const unsigned char *in, size_t length);
    int (*squeeze)(void *ctx, unsigned char *out, size_t length);
    void (*wipe)(void *ctx);
    /* Bytes of a block of the message. */
    size_t block_bytes;
} @prefix@xof_functions;

typedef struct @prefix@mac_functions {
    size_t key_bytes, tag_bytes, context_bytes;
    int (*compute)(unsigned char *tag, const unsigned char *key, const unsigned char *in, size_t length);
    int (*init)(void *ctx, const unsigned char *key);
    int (*update)(void *ctx, const unsigned char *in, size_t length);
    int (*final)(void *ctx, unsigned char *tag);
    void (*wipe)(void *ctx);
} @prefix@mac_functions;

/* A primitive or a construction over primitives. */
typedef struct @prefix@primitive {
    /* Such as "aes-128": lower-case letters, digits and hyphens. */
    const char *name;
    @prefix@kind kind;
    /* The member of the kind is there. */
    union {
        @prefix@block_cipher_functions block_cipher;
        @prefix@stream_functions stream;
        @prefix@generator_functions generator;
        @prefix@permutation_functions permutation;
        @prefix@aead_functions aead;
        @prefix@hash_functions hash;
        @prefix@xof_functions xof;
        @prefix@mac_functions mac;
        @prefix@chain_functions chain;
        @prefix@units_functions units;
        @prefix@authenticator_functions authenticator;
    } of;
} @prefix@primitive;

/* The primitives of this library, from number 0 on; NULL after the last. */
@API@const @prefix@primitive *@prefix@primitive_at(size_t number);

/* The primitive of this name; NULL if there is none. */
@API@const @prefix@primitive *@prefix@primitive_named(const char *name);

#ifdef __cplusplus
}
#endif

#endif
