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

static int ends(const char *name, const char *with)
{
    const size_t size = strlen(name), last = strlen(with);
    return size >= last && strcmp(name + size - last, with) == 0;
}

/* A size of a nonce that the mode takes, and peers as well: the usual one every other time. */
static size_t some_nonce(const char *name, size_t usual)
{
    if (random_bits() % 2)
        return usual;
    if (ends(name, "-gcm") || ends(name, "-gmac"))
        return 1 + (size_t)(random_bits() % 60);
    if (ends(name, "-ccm"))
        return 7 + (size_t)(random_bits() % 7);
    /* libgcrypt takes no shorter ones. */
    return ends(name, "-ocb3") ? 8 + (size_t)(random_bits() % 8) : usual;
}

/* The same of a tag. */
static size_t some_tag(const char *name, size_t usual)
{
    if (random_bits() % 2)
        return usual;
    if (ends(name, "-gcm") || ends(name, "-gmac"))
        return 12 + (size_t)(random_bits() % 5);
    if (ends(name, "-ccm"))
        return 4 + 2 * (size_t)(random_bits() % 7);
    if (ends(name, "-ocb3"))
        return 8 + 4 * (size_t)(random_bits() % 2);
    return ends(name, "-cmac") ? 1 + (size_t)(random_bits() % usual) : usual;
}

static struct peer_message some_message(const char *name, size_t key_bytes, size_t nonce_bytes, size_t tag_bytes)
{
    struct peer_message message = { key, nonce, ad, in, key_bytes, 0, 0, 0, 0 };
    message.nonce_bytes = some_nonce(name, nonce_bytes);
    message.tag_bytes = some_tag(name, tag_bytes);
    message.length = random_length(LONGEST);
    message.ad_length = random_length(1000);
    random_bytes(key, key_bytes);
    random_bytes(nonce, message.nonce_bytes);
    random_bytes(in, message.length);
    random_bytes(ad, message.ad_length);
    return message;
}

static void compare_seal(const char *name, const usuba_aead_functions *aead)
{
    void *ctx = context(aead->context_bytes);
    unsigned long n;
    for (n = 0; n < cases; n++) {
        const struct peer_message m = some_message(name, aead->key_bytes, aead->nonce_bytes, aead->tag_bytes);
        unsigned char tag[64], their_tag[64], *back = ours;
        if (aead->init(ctx, key) != USUBA_OK ||
            aead->seal(ctx, ours, tag, m.tag_bytes, nonce, m.nonce_bytes, ad, m.ad_length, in, m.length) != USUBA_OK)
            fails(name, "the library");
        if (!peer_seal(name, theirs, their_tag, &m))
            fails(name, "the peer");
        if (memcmp(ours, theirs, m.length) != 0)
            differs(name, "sealing", m.length, n);
        if (memcmp(tag, their_tag, m.tag_bytes) != 0)
            differs(name, "the tag", m.length, n);
        if (aead->open(ctx, back, their_tag, m.tag_bytes, nonce, m.nonce_bytes, ad, m.ad_length, theirs, m.length) !=
                USUBA_OK ||
            memcmp(back, in, m.length) != 0)
            differs(name, "opening what the peer has sealed", m.length, n);
    }
    free(ctx);
}

/* Messages in one call, and in two. */
static void compare_chain(const char *name, const usuba_chain_functions *chain)
{
    void *ctx = context(chain->context_bytes);
    unsigned long n;
    for (n = 0; n < cases; n++) {
        const size_t length = random_length(LONGEST) / chain->unit_bytes * chain->unit_bytes;
        const size_t cut = n % 3 == 0 ? random_length(length) / chain->iv_bytes * chain->iv_bytes : 0;
        const int decrypt = (int)(n % 2);
        unsigned char iv[64], first[64];
        int result;
        random_bytes(key, chain->key_bytes);
        random_bytes(iv, chain->iv_bytes);
        random_bytes(in, length);
        memcpy(first, iv, chain->iv_bytes);
        memcpy(ours, in, length);
        result = chain->init(ctx, key);
        if (result == USUBA_OK)
            result = (decrypt ? chain->decrypt : chain->encrypt)(ctx, iv, ours, n % 5 == 0 ? ours : in, cut);
        if (result == USUBA_OK)
            result = (decrypt ? chain->decrypt : chain->encrypt)(ctx, iv, ours + cut, n % 5 == 0 ? ours + cut : in + cut,
                length - cut);
        if (result != USUBA_OK)
            fails(name, "the library");
        if (!peer_mode(name, decrypt, key, chain->key_bytes, first, chain->iv_bytes, theirs, in, length))
            fails(name, "the peer");
        if (memcmp(ours, theirs, length) != 0)
            differs(name, decrypt ? "decryption" : "encryption", length, n);
    }
    free(ctx);
}

static void compare_units(const char *name, const usuba_units_functions *units)
{
    void *ctx = context(units->context_bytes);
    unsigned long n;
    for (n = 0; n < cases; n++) {
        const size_t length = units->unit_bytes + random_length(LONGEST - units->unit_bytes);
        const int decrypt = (int)(n % 2);
        unsigned char unit[64];
        random_bytes(key, units->key_bytes);
        random_bytes(unit, units->unit_bytes);
        random_bytes(in, length);
        memcpy(ours, in, length);
        if (units->init(ctx, key) != USUBA_OK ||
            (decrypt ? units->decrypt : units->encrypt)(ctx, unit, ours, n % 5 == 0 ? ours : in, length) != USUBA_OK)
            fails(name, "the library");
        if (!peer_mode(name, decrypt, key, units->key_bytes, unit, units->unit_bytes, theirs, in, length))
            fails(name, "the peer");
        if (memcmp(ours, theirs, length) != 0)
            differs(name, decrypt ? "decryption" : "encryption", length, n);
    }
    free(ctx);
}

static void compare_tag(const char *name, const usuba_authenticator_functions *authenticator)
{
    void *ctx = context(authenticator->context_bytes);
    unsigned long n;
    for (n = 0; n < cases; n++) {
        const struct peer_message m =
            some_message(name, authenticator->key_bytes, authenticator->nonce_bytes, authenticator->tag_bytes);
        if (authenticator->init(ctx, key) != USUBA_OK ||
            authenticator->compute(ctx, ours, m.tag_bytes, nonce, m.nonce_bytes, in, m.length) != USUBA_OK)
            fails(name, "the library");
        if (!peer_tag(name, theirs, &m))
            fails(name, "the peer");
        if (memcmp(ours, theirs, m.tag_bytes) != 0)
            differs(name, "a tag", m.length, n);
    }
    free(ctx);
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
        if (offer->what & CHAIN)
            compare_chain(offer->name, &primitive->of.chain);
        if (offer->what & UNITS)
            compare_units(offer->name, &primitive->of.units);
        if (offer->what & TAG)
            compare_tag(offer->name, &primitive->of.authenticator);
        printf("%s, %s, %s: %lu cases%s%s%s%s%s%s%s%s, %lu differ\n", peer_name(), usuba_target(), offer->name, cases,
               offer->what & BLOCKS ? " of blocks" : "", offer->what & COUNTER ? " of counter mode" : "",
               offer->what & STREAM ? " of a stream" : "", offer->what & SEAL ? " sealed and opened" : "",
               offer->what & (MAC | TAG) ? " authenticated" : "", offer->what & CHAIN ? " of a chain" : "",
               offer->what & UNITS ? " of units" : "", offer->what & HASHES ? " of SHA-3 and SHAKE" : "",
               differences - before);
        compared++;
    }
    if (compared == 0)
        printf("%s has nothing of what the library has\n", peer_name());
    return differences > 0 || compared == 0;
}
