/* usuba_chacha20_poly1305.c - ChaCha20-Poly1305: RFC 8439, section 2.8. */
#include "usuba_chacha20_poly1305.h"
#include "usuba_buffers.h"
#include "usuba_chacha20.h"
#include "usuba_poly1305.h"

#define CHACHA20_POLY1305_BLOCK 64
/* Blocks of keystream that are made at once with block 0, which is the key of Poly1305: a message that is no longer needs
 * no other call. */
#define CHACHA20_POLY1305_FIRST 7
/* The most bytes of text, 2^38 - 64: as many blocks as a counter of 32 bits can number from 1. */
#define CHACHA20_POLY1305_LARGEST 0x3fffffffc0u

/* Block 0 of the keystream, and after it the blocks of the beginning of the text. */
struct chacha20_poly1305_start {
    unsigned char stream[(1 + CHACHA20_POLY1305_FIRST) * CHACHA20_POLY1305_BLOCK];
    /* Bytes of text for which there is keystream. */
    size_t bytes;
};

static void chacha20_poly1305_begin(struct chacha20_poly1305_start *start, const unsigned char *key,
                                    const unsigned char *nonce, size_t length)
{
    const size_t room = CHACHA20_POLY1305_FIRST * CHACHA20_POLY1305_BLOCK;
    start->bytes = length < room ? length : room;
    memset(start->stream, 0, CHACHA20_POLY1305_BLOCK + start->bytes);
    usuba_chacha20_xor(key, nonce, 0, start->stream, start->stream, CHACHA20_POLY1305_BLOCK + start->bytes);
}

/* Encrypts or decrypts all of the text. */
static void chacha20_poly1305_crypt(const struct chacha20_poly1305_start *start, const unsigned char *key,
                                    const unsigned char *nonce, unsigned char *out, const unsigned char *in,
                                    size_t length)
{
    size_t i;
    for (i = 0; i < start->bytes; i++)
        out[i] = in[i] ^ start->stream[CHACHA20_POLY1305_BLOCK + i];
    if (length > start->bytes)
        usuba_chacha20_xor(key, nonce, 1 + CHACHA20_POLY1305_FIRST, out + start->bytes, in + start->bytes,
                           length - start->bytes);
}

/* Adds a string, and zeros to a whole number of blocks of Poly1305. */
static void chacha20_poly1305_add(usuba_poly1305_ctx *ctx, const unsigned char *in, size_t length)
{
    static const unsigned char zeros[15] = { 0 };
    usuba_poly1305_update(ctx, in, length);
    usuba_poly1305_update(ctx, zeros, (16 - length % 16) % 16);
}

/* The tag of associated data and ciphertext. */
static void chacha20_poly1305_tag(unsigned char *tag, const struct chacha20_poly1305_start *start,
                                  const unsigned char *ad, size_t ad_length, const unsigned char *text, size_t length)
{
    unsigned char lengths[16];
    usuba_poly1305_ctx ctx;
    usuba_poly1305_init(&ctx, start->stream);
    chacha20_poly1305_add(&ctx, ad, ad_length);
    chacha20_poly1305_add(&ctx, text, length);
    usuba_store64(lengths, ad_length);
    usuba_store64(lengths + 8, length);
    usuba_poly1305_update(&ctx, lengths, sizeof lengths);
    usuba_poly1305_final(&ctx, tag);
}

/* Whether the arguments make sense. */
static int chacha20_poly1305_check(const unsigned char *out, const unsigned char *tag, const unsigned char *key,
                                   const unsigned char *nonce, const unsigned char *ad, size_t ad_length,
                                   const unsigned char *in, size_t length)
{
    int result = usuba_check_aead(out, in, length, ad, ad_length, key, USUBA_CHACHA20_POLY1305_KEY_BYTES, nonce,
                                  USUBA_CHACHA20_POLY1305_NONCE_BYTES, tag, USUBA_CHACHA20_POLY1305_TAG_BYTES);
    if (result == USUBA_OK && (uint64_t)length > CHACHA20_POLY1305_LARGEST)
        result = USUBA_ERROR_LENGTH;
    return result;
}

int usuba_chacha20_poly1305_seal(unsigned char *out, unsigned char tag[USUBA_CHACHA20_POLY1305_TAG_BYTES],
                                 const unsigned char key[USUBA_CHACHA20_POLY1305_KEY_BYTES],
                                 const unsigned char nonce[USUBA_CHACHA20_POLY1305_NONCE_BYTES],
                                 const unsigned char *ad, size_t ad_length, const unsigned char *in, size_t length)
{
    struct chacha20_poly1305_start start;
    const int result = chacha20_poly1305_check(out, tag, key, nonce, ad, ad_length, in, length);
    if (result != USUBA_OK)
        return result;
    chacha20_poly1305_begin(&start, key, nonce, length);
    chacha20_poly1305_crypt(&start, key, nonce, out, in, length);
    chacha20_poly1305_tag(tag, &start, ad, ad_length, out, length);
    usuba_wipe(&start, sizeof start);
    return USUBA_OK;
}

int usuba_chacha20_poly1305_open(unsigned char *out, const unsigned char tag[USUBA_CHACHA20_POLY1305_TAG_BYTES],
                                 const unsigned char key[USUBA_CHACHA20_POLY1305_KEY_BYTES],
                                 const unsigned char nonce[USUBA_CHACHA20_POLY1305_NONCE_BYTES],
                                 const unsigned char *ad, size_t ad_length, const unsigned char *in, size_t length)
{
    unsigned char expected[USUBA_CHACHA20_POLY1305_TAG_BYTES];
    struct chacha20_poly1305_start start;
    int result = chacha20_poly1305_check(out, tag, key, nonce, ad, ad_length, in, length);
    if (result != USUBA_OK)
        return result;
    chacha20_poly1305_begin(&start, key, nonce, length);
    chacha20_poly1305_tag(expected, &start, ad, ad_length, in, length);
    if (usuba_equal(expected, tag, sizeof expected))
        chacha20_poly1305_crypt(&start, key, nonce, out, in, length);
    else
        result = USUBA_ERROR_TAG;
    usuba_wipe(expected, sizeof expected);
    usuba_wipe(&start, sizeof start);
    return result;
}

int usuba_chacha20_poly1305_seal_batch(size_t count, usuba_chacha20_poly1305_message *messages)
{
    int first = USUBA_OK;
    size_t i;
    if (count > 0 && messages == NULL)
        return USUBA_ERROR_NULL;
    for (i = 0; i < count; i++) {
        usuba_chacha20_poly1305_message *m = &messages[i];
        m->result = usuba_chacha20_poly1305_seal(m->out, m->tag, m->key, m->nonce, m->ad, m->ad_length, m->in, m->length);
        if (first == USUBA_OK)
            first = m->result;
    }
    return first;
}

int usuba_chacha20_poly1305_open_batch(size_t count, usuba_chacha20_poly1305_message *messages)
{
    int first = USUBA_OK;
    size_t i;
    if (count > 0 && messages == NULL)
        return USUBA_ERROR_NULL;
    for (i = 0; i < count; i++) {
        usuba_chacha20_poly1305_message *m = &messages[i];
        m->result = usuba_chacha20_poly1305_open(m->out, m->tag, m->key, m->nonce, m->ad, m->ad_length, m->in, m->length);
        if (first == USUBA_OK)
            first = m->result;
    }
    return first;
}
