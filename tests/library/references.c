/* references.c - authenticated encryption a byte at a time, over single calls of the primitives below it. Written from the
 * standards and not from the library: no block of several bytes, no lane. */
#include "references.h"
#include "usuba_primitives.h"
#include <stdlib.h>
#include <string.h>

static const usuba_primitive *named(const char *name)
{
    const usuba_primitive *primitive = usuba_primitive_named(name);
    if (primitive == NULL)
        abort();
    return primitive;
}

static void permute(const char *name, unsigned char *state)
{
    if (named(name)->of.permutation.permute(state, 1) != USUBA_OK)
        abort();
}

/* RFC 8439, section 2.8. */
static void absorb(const usuba_mac_functions *mac, void *ctx, const unsigned char *in, size_t length)
{
    static const unsigned char zero;
    size_t i;
    for (i = 0; i < length; i++)
        mac->update(ctx, in + i, 1);
    for (; i % 16 != 0; i++)
        mac->update(ctx, &zero, 1);
}

static void chacha20_poly1305(unsigned char *out, unsigned char *tag, const unsigned char *key,
                              const unsigned char *nonce, const unsigned char *ad, size_t ad_length,
                              const unsigned char *in, size_t length)
{
    const usuba_stream_functions *chacha20 = &named("chacha20")->of.stream;
    const usuba_mac_functions *poly1305 = &named("poly1305")->of.mac;
    unsigned char block[64] = { 0 }, lengths[16];
    void *ctx = malloc(poly1305->context_bytes);
    size_t i;
    if (ctx == NULL || chacha20->xor_bytes(key, nonce, 0, block, block, 64) != USUBA_OK ||
        poly1305->init(ctx, block) != USUBA_OK)
        abort();
    for (i = 0; i < length; i++) {
        if (i % 64 == 0) {
            memset(block, 0, 64);
            chacha20->xor_bytes(key, nonce, 1 + i / 64, block, block, 64);
        }
        out[i] = in[i] ^ block[i % 64];
    }
    absorb(poly1305, ctx, ad, ad_length);
    absorb(poly1305, ctx, out, length);
    for (i = 0; i < 8; i++) {
        lengths[i] = (unsigned char)((uint64_t)ad_length >> (8 * i));
        lengths[8 + i] = (unsigned char)((uint64_t)length >> (8 * i));
    }
    absorb(poly1305, ctx, lengths, 16);
    poly1305->final(ctx, tag);
    free(ctx);
}

static uint32_t rotated(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static void quarter_round(uint32_t *s, int a, int b, int c, int d)
{
    s[a] += s[b], s[d] = rotated(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = rotated(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = rotated(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = rotated(s[b] ^ s[c], 7);
}

/* draft-irtf-cfrg-xchacha-03, sections 2.2 and 2.3. */
static void xchacha20_poly1305(unsigned char *out, unsigned char *tag, const unsigned char *key,
                               const unsigned char *nonce, const unsigned char *ad, size_t ad_length,
                               const unsigned char *in, size_t length)
{
    uint32_t s[16] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };
    unsigned char subkey[32], inner[12] = { 0 };
    int i, round;
    for (i = 0; i < 48; i++)
        s[4 + i / 4] |= (uint32_t)(i < 32 ? key[i] : nonce[i - 32]) << (8 * (i % 4));
    for (round = 0; round < 10; round++) {
        for (i = 0; i < 4; i++)
            quarter_round(s, i, 4 + i, 8 + i, 12 + i);
        for (i = 0; i < 4; i++)
            quarter_round(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (i = 0; i < 32; i++)
        subkey[i] = (unsigned char)(s[i < 16 ? i / 4 : 8 + i / 4] >> (8 * (i % 4)));
    memcpy(inner + 4, nonce + 16, 8);
    chacha20_poly1305(out, tag, subkey, inner, ad, ad_length, in, length);
}

/* NIST SP 800-232, section 4: states are five little-endian words. The permutations of the library have them big-endian. */
static void reverse(unsigned char *state)
{
    size_t word, i;
    for (word = 0; word < 40; word += 8) {
        for (i = 0; i < 4; i++) {
            const unsigned char byte = state[word + i];
            state[word + i] = state[word + 7 - i];
            state[word + 7 - i] = byte;
        }
    }
}

static void ascon_permute(const char *name, unsigned char *state)
{
    reverse(state);
    permute(name, state);
    reverse(state);
}

static void ascon_aead128(unsigned char *out, unsigned char *tag, const unsigned char *key, const unsigned char *nonce,
                          const unsigned char *ad, size_t ad_length, const unsigned char *in, size_t length)
{
    static const unsigned char iv[8] = { 0x01, 0x00, 0x8c, 0x80, 0x00, 0x10, 0x00, 0x00 };
    unsigned char state[40];
    size_t i;
    memcpy(state, iv, 8);
    memcpy(state + 8, key, 16);
    memcpy(state + 24, nonce, 16);
    ascon_permute("ascon-p12", state);
    for (i = 0; i < 16; i++)
        state[24 + i] ^= key[i];
    for (i = 0; i < ad_length; i++) {
        state[i % 16] ^= ad[i];
        if (i % 16 == 15)
            ascon_permute("ascon-p8", state);
    }
    if (ad_length > 0) {
        state[i % 16] ^= 1;
        ascon_permute("ascon-p8", state);
    }
    state[39] ^= 0x80;
    for (i = 0; i < length; i++) {
        out[i] = state[i % 16] ^= in[i];
        if (i % 16 == 15)
            ascon_permute("ascon-p8", state);
    }
    state[i % 16] ^= 1;
    for (i = 0; i < 16; i++)
        state[16 + i] ^= key[i];
    ascon_permute("ascon-p12", state);
    for (i = 0; i < 16; i++)
        tag[i] = state[24 + i] ^ key[i];
}

/* The Subterranean 2.0 cipher suite, section 3: 257 bits, bit i being bit i mod 8 of byte i div 8. */
static unsigned bit(const unsigned char *state, unsigned place)
{
    return state[place / 8] >> (place % 8) & 1u;
}

static void duplex(unsigned char *state, const unsigned char *block, unsigned bytes)
{
    unsigned i, place = 1;
    permute("subterranean-round", state);
    for (i = 0; i <= 8 * bytes; i++) {
        const unsigned input = i < 8 * bytes ? block[i / 8] >> (i % 8) & 1u : 1u;
        state[place / 8] = (unsigned char)(state[place / 8] ^ input << (place % 8));
        place = place * 176 % 257;
    }
}

static unsigned char extract(const unsigned char *state, unsigned byte)
{
    unsigned i, place = 1, x = 0;
    for (i = 0; i < 32; i++) {
        if (i / 8 == byte)
            x |= (bit(state, place) ^ bit(state, 257 - place)) << (i % 8);
        place = place * 176 % 257;
    }
    return (unsigned char)x;
}

static void duplex_all(unsigned char *state, const unsigned char *in, size_t length)
{
    for (; length >= 4; length -= 4, in += 4)
        duplex(state, in, 4);
    duplex(state, in, (unsigned)length);
}

static void subterranean_sae(unsigned char *out, unsigned char *tag, const unsigned char *key,
                             const unsigned char *nonce, const unsigned char *ad, size_t ad_length,
                             const unsigned char *in, size_t length)
{
    unsigned char state[33] = { 0 };
    unsigned i;
    size_t at = 0;
    duplex_all(state, key, 16);
    duplex_all(state, nonce, 16);
    for (i = 0; i < 8; i++)
        duplex(state, NULL, 0);
    duplex_all(state, ad, ad_length);
    for (;;) {
        const unsigned bytes = length - at < 4 ? (unsigned)(length - at) : 4;
        for (i = 0; i < bytes; i++)
            out[at + i] = in[at + i] ^ extract(state, i);
        duplex(state, in + at, bytes);
        if (bytes < 4)
            break;
        at += 4;
    }
    for (i = 0; i < 8; i++)
        duplex(state, NULL, 0);
    for (i = 0; i < 16; i++) {
        tag[i] = extract(state, i % 4);
        if (i % 4 == 3)
            duplex(state, NULL, 0);
    }
}

int reference_seal(const char *name, unsigned char *out, unsigned char *tag, const unsigned char *key,
                   const unsigned char *nonce, const unsigned char *ad, size_t ad_length, const unsigned char *in,
                   size_t length)
{
    if (strcmp(name, "chacha20-poly1305") == 0)
        chacha20_poly1305(out, tag, key, nonce, ad, ad_length, in, length);
    else if (strcmp(name, "xchacha20-poly1305") == 0)
        xchacha20_poly1305(out, tag, key, nonce, ad, ad_length, in, length);
    else if (strcmp(name, "ascon-aead128") == 0)
        ascon_aead128(out, tag, key, nonce, ad, ad_length, in, length);
    else if (strcmp(name, "subterranean-sae") == 0)
        subterranean_sae(out, tag, key, nonce, ad, ad_length, in, length);
    else
        return 0;
    return 1;
}
