/* differential.c - a library against a peer: random keys, nonces, counters and lengths.
 *
 * usage: differential CASES [SEED]
 *
 * Prints a line for each primitive that both have; those of the peer that the library lacks are left out. The status is 1 if
 * anything differs. USUBA_TARGET says which code of the library runs. */
#include "differential.h"
#include "usuba_cpu.h"
#include "usuba_primitives.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 20000

static uint64_t state;
static unsigned long cases, differences;

/* SplitMix64, of Sebastiano Vigna (public domain). */
static uint64_t random_bits(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void random_bytes(unsigned char *p, size_t size)
{
    while (size-- > 0)
        *p++ = (unsigned char)random_bits();
}

/* Up to `most`: short, long, or any. */
static size_t random_length(size_t most)
{
    const size_t bound = random_bits() % 3 == 0 ? 70 : random_bits() % 2 ? 1500 : most;
    return (size_t)(random_bits() % ((bound < most ? bound : most) + 1));
}

static void differs(const char *name, const char *what, size_t length, unsigned long number)
{
    if (differences++ < 20)
        printf("%s %s: %lu bytes differ in case %lu\n", name, what, (unsigned long)length, number);
}

static void fails(const char *name, const char *who)
{
    printf("%s: %s fails\n", name, who);
    differences++;
}

static unsigned char in[LONGEST], ours[LONGEST], theirs[LONGEST], ad[LONGEST], key[64], nonce[64];

static void *context(size_t size)
{
    void *p = malloc(size);
    if (p == NULL)
        exit(3);
    return p;
}

static void compare_blocks(const char *name, const usuba_block_cipher_functions *cipher)
{
    void *ctx = context(cipher->context_bytes);
    unsigned long n;
    for (n = 0; n < cases; n++) {
        const size_t blocks = random_length(LONGEST) / cipher->block_bytes, length = blocks * cipher->block_bytes;
        const int decrypt = (int)(n % 2);
        int result;
        random_bytes(key, cipher->key_bytes);
        random_bytes(in, length);
        result = cipher->init(ctx, key);
        memcpy(ours, in, length);
        if (result == USUBA_OK)
            result = decrypt ? cipher->decrypt_blocks(ctx, NULL, ours, ours, blocks)
                             : cipher->encrypt_blocks(ctx, NULL, ours, in, blocks);
        if (result != USUBA_OK)
            fails(name, "the library");
        if (!peer_blocks(name, decrypt, key, cipher->key_bytes, theirs, in, length))
            fails(name, "the peer");
        if (memcmp(ours, theirs, length) != 0)
            differs(name, decrypt ? "decryption" : "encryption", length, n);
    }
    free(ctx);
}

static void compare_counter(const char *name, const usuba_block_cipher_functions *cipher)
{
    void *ctx = context(cipher->context_bytes);
    const size_t block = cipher->block_bytes;
    unsigned long n;
    for (n = 0; n < cases; n++) {
        const size_t length = random_length(LONGEST), wraps[4] = { 0, 4, 8, block };
        const size_t wrap = wraps[n % 4];
        unsigned char counter[64], first[64];
        random_bytes(key, cipher->key_bytes);
        random_bytes(in, length);
        random_bytes(counter, block);
        /* All of the low bytes full but for the last: the counter wraps within 256 blocks. */
        if (wrap > 0)
            memset(counter + block - wrap, 0xff, wrap - 1);
        memcpy(first, counter, block);
        if (cipher->init(ctx, key) != USUBA_OK || cipher->ctr_xor(ctx, counter, ours, in, length) != USUBA_OK)
            fails(name, "the library");
        if (!peer_counter(name, key, cipher->key_bytes, first, block, theirs, in, length))
            fails(name, "the peer");
        if (memcmp(ours, theirs, length) != 0)
            differs(name, "counter mode", length, n);
    }
    free(ctx);
}

static void compare_stream(const char *name, const usuba_stream_functions *stream)
{
    unsigned long n;
    for (n = 0; n < cases; n++) {
        const size_t length = random_length(LONGEST);
        /* What comes after the last number of a counter differs from library to library. */
        const uint32_t last = (uint32_t)(UINT32_MAX - LONGEST / stream->block_bytes - 1);
        const uint32_t counter = n % 4 == 0 ? last : (uint32_t)(random_bits() % last);
        random_bytes(key, stream->key_bytes);
        random_bytes(nonce, stream->nonce_bytes);
        random_bytes(in, length);
        if (stream->xor_bytes(key, nonce, counter, ours, in, length) != USUBA_OK)
            fails(name, "the library");
        if (!peer_stream(name, key, nonce, counter, theirs, in, length))
            fails(name, "the peer");
        if (memcmp(ours, theirs, length) != 0)
            differs(name, "encryption", length, n);
    }
}

static void compare_seal(const char *name, const usuba_aead_functions *aead)
{
    unsigned long n;
    for (n = 0; n < cases; n++) {
        const size_t length = random_length(LONGEST), ad_length = random_length(1000);
        unsigned char tag[64], their_tag[64], *back = ours;
        random_bytes(key, aead->key_bytes);
        random_bytes(nonce, aead->nonce_bytes);
        random_bytes(in, length);
        random_bytes(ad, ad_length);
        if (aead->seal(ours, tag, key, nonce, ad, ad_length, in, length) != USUBA_OK)
            fails(name, "the library");
        if (!peer_seal(name, theirs, their_tag, key, nonce, ad, ad_length, in, length))
            fails(name, "the peer");
        if (memcmp(ours, theirs, length) != 0)
            differs(name, "sealing", length, n);
        if (memcmp(tag, their_tag, aead->tag_bytes) != 0)
            differs(name, "the tag", length, n);
        if (aead->open(back, their_tag, key, nonce, ad, ad_length, theirs, length) != USUBA_OK ||
            memcmp(back, in, length) != 0)
            differs(name, "opening what the peer has sealed", length, n);
    }
}

static void compare_mac(const char *name, const usuba_mac_functions *mac)
{
    unsigned long n;
    for (n = 0; n < cases; n++) {
        const size_t length = random_length(LONGEST);
        random_bytes(key, mac->key_bytes);
        random_bytes(in, length);
        if (mac->compute(ours, key, in, length) != USUBA_OK)
            fails(name, "the library");
        if (!peer_mac(name, theirs, key, in, length))
            fails(name, "the peer");
        if (memcmp(ours, theirs, mac->tag_bytes) != 0)
            differs(name, "authentication", length, n);
    }
}

/* FIPS 202: a sponge over the permutation. */
static int sponge(const usuba_permutation_functions *keccak, size_t rate, unsigned char suffix, unsigned char *out,
                  size_t out_length, const unsigned char *from, size_t length)
{
    unsigned char s[200] = { 0 };
    size_t i;
    int result = USUBA_OK;
    for (i = 0; i < length; i++) {
        s[i % rate] ^= from[i];
        if (i % rate == rate - 1)
            result |= keccak->permute(s, 1);
    }
    s[i % rate] ^= suffix;
    s[rate - 1] ^= 0x80;
    for (i = 0; i < out_length; i++) {
        if (i % rate == 0)
            result |= keccak->permute(s, 1);
        out[i] = s[i % rate];
    }
    return result;
}

static void compare_hashes(const usuba_permutation_functions *keccak)
{
    static const struct {
        const char *name;
        size_t rate, digest;
        unsigned char suffix;
    } hashes[] = {
        { "sha3-224", 144, 28, 6 }, { "sha3-256", 136, 32, 6 },  { "sha3-384", 104, 48, 6 },
        { "sha3-512", 72, 64, 6 },  { "shake128", 168, 0, 0x1f }, { "shake256", 136, 0, 0x1f },
    };
    unsigned long n;
    for (n = 0; n < cases; n++) {
        const size_t hash = n % 6, length = random_length(5000);
        const size_t size = hashes[hash].digest > 0 ? hashes[hash].digest : 1 + random_length(999);
        random_bytes(in, length);
        if (sponge(keccak, hashes[hash].rate, hashes[hash].suffix, ours, size, in, length) != USUBA_OK)
            fails(hashes[hash].name, "the library");
        if (!peer_hash(hashes[hash].name, theirs, size, in, length))
            fails(hashes[hash].name, "the peer");
        if (memcmp(ours, theirs, size) != 0)
            differs(hashes[hash].name, "a digest", length, n);
    }
}

int main(int count, char **arguments)
{
    const struct peer_offer *offer;
    unsigned long compared = 0;
    cases = count > 1 ? strtoul(arguments[1], NULL, 10) : 0;
    state = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    if (cases == 0) {
        fprintf(stderr, "usage: differential CASES [SEED]\n");
        return 2;
    }
    for (offer = peer_offers; offer->name != NULL; offer++) {
        const usuba_primitive *primitive = usuba_primitive_named(offer->name);
        const unsigned long before = differences;
        if (primitive == NULL)
            continue;
        if (offer->what & BLOCKS)
            compare_blocks(offer->name, &primitive->of.block_cipher);
        if (offer->what & COUNTER)
            compare_counter(offer->name, &primitive->of.block_cipher);
        if (offer->what & STREAM)
            compare_stream(offer->name, &primitive->of.stream);
        if (offer->what & SEAL)
            compare_seal(offer->name, &primitive->of.aead);
        if (offer->what & MAC)
            compare_mac(offer->name, &primitive->of.mac);
        if (offer->what & HASHES)
            compare_hashes(&primitive->of.permutation);
        printf("%s, %s, %s: %lu cases%s%s%s%s%s%s, %lu differ\n", peer_name(), usuba_target(), offer->name, cases,
               offer->what & BLOCKS ? " of blocks" : "", offer->what & COUNTER ? " of counter mode" : "",
               offer->what & STREAM ? " of a stream" : "", offer->what & SEAL ? " sealed and opened" : "",
               offer->what & MAC ? " authenticated" : "", offer->what & HASHES ? " of SHA-3 and SHAKE" : "",
               differences - before);
        compared++;
    }
    if (compared == 0)
        printf("%s has nothing of what the library has\n", peer_name());
    return differences > 0 || compared == 0;
}
