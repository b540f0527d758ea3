/* The fast form of ChaCha20-Poly1305, RFC 8439, section 2.8: the functions of the text aead.ua by hand, over those of ChaCha20
 * and Poly1305. */

#define CHACHA20_POLY1305_BLOCK 64
/* Blocks of keystream that are made at once with block 0, which is the key of Poly1305: a message that is no longer needs
 * no other call. */
#define CHACHA20_POLY1305_FIRST 7
/* The most bytes of text, 2^38 - 64: as many blocks as a counter of 32 bits can number from 1. */
#define CHACHA20_POLY1305_LARGEST 0x3fffffffc0u
/* Bytes that are authenticated in one call, associated data, text and lengths with the zeros between them. */
#define CHACHA20_POLY1305_SHORT 256

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
    if (length % 16 > 0)
        usuba_poly1305_update(ctx, zeros, 16 - length % 16);
}

/* The tag of associated data and ciphertext. */
static void chacha20_poly1305_tag(unsigned char *tag, const struct chacha20_poly1305_start *start,
                                  const unsigned char *ad, size_t ad_length, const unsigned char *text, size_t length)
{
    unsigned char lengths[16];
    usuba_poly1305_ctx ctx;
    if (ad_length <= CHACHA20_POLY1305_SHORT && length <= CHACHA20_POLY1305_SHORT - 32 &&
        ad_length + length <= CHACHA20_POLY1305_SHORT - 48) {
        unsigned char all[CHACHA20_POLY1305_SHORT] = { 0 };
        const size_t second = (ad_length + 15) / 16 * 16, third = second + (length + 15) / 16 * 16;
        memcpy(all, ad, ad_length);
        memcpy(all + second, text, length);
        usuba_store64(all + third, ad_length);
        usuba_store64(all + third + 8, length);
        usuba_poly1305(tag, start->stream, all, third + 16);
        return;
    }
    usuba_poly1305_init(&ctx, start->stream);
    chacha20_poly1305_add(&ctx, ad, ad_length);
    chacha20_poly1305_add(&ctx, text, length);
    usuba_store64(lengths, ad_length);
    usuba_store64(lengths + 8, length);
    usuba_poly1305_update(&ctx, lengths, sizeof lengths);
    usuba_poly1305_final(&ctx, tag);
}

/* Whether the lengths fit. */
static int chacha20_poly1305_fits(size_t ad_length, size_t length)
{
    return (uint64_t)ad_length >> 48 == 0 && (uint64_t)length <= CHACHA20_POLY1305_LARGEST;
}

static int usuba_chacha20_poly1305_sealed(size_t ad_length, size_t length, const uint8_t *prepared, const uint8_t *key,
                                          const uint8_t *nonce, const uint8_t *ad, const uint8_t *plain, uint8_t *cipher,
                                          uint8_t *tag)
{
    struct chacha20_poly1305_start start;
    (void)prepared;
    if (!chacha20_poly1305_fits(ad_length, length))
        return 2;
    chacha20_poly1305_begin(&start, key, nonce, length);
    chacha20_poly1305_crypt(&start, key, nonce, cipher, plain, length);
    chacha20_poly1305_tag(tag, &start, ad, ad_length, cipher, length);
    usuba_wipe(&start, sizeof start);
    return 0;
}

static int usuba_chacha20_poly1305_opened(size_t ad_length, size_t length, const uint8_t *prepared, const uint8_t *key,
                                          const uint8_t *nonce, const uint8_t *ad, const uint8_t *cipher,
                                          const uint8_t *tag, uint8_t *plain)
{
    unsigned char expected[16];
    struct chacha20_poly1305_start start;
    int result;
    (void)prepared;
    if (!chacha20_poly1305_fits(ad_length, length))
        return 2;
    chacha20_poly1305_begin(&start, key, nonce, length);
    chacha20_poly1305_tag(expected, &start, ad, ad_length, cipher, length);
    result = !usuba_equal(expected, tag, sizeof expected);
    if (result == 0)
        chacha20_poly1305_crypt(&start, key, nonce, plain, cipher, length);
    usuba_wipe(expected, sizeof expected);
    usuba_wipe(&start, sizeof start);
    return result;
}
