/* The fast form of ChaCha20-Poly1305, RFC 8439, section 2.8: the functions of the text aead.ua by hand, over those of ChaCha20
 * and Poly1305. */

#define CHACHA20_POLY1305_BLOCK 64
/* Blocks of keystream that are made at once with block 0, which is the key of Poly1305: a message that is no longer needs
 * no other call. On vectors of 512 bits sixteen blocks take no longer than eight. */
#define CHACHA20_POLY1305_FIRST 15
/* The most bytes of text, 2^38 - 64: as many blocks as a counter of 32 bits can number from 1. */
#define CHACHA20_POLY1305_LARGEST 0x3fffffffc0u
/* Of poly1305.c: the tag of two strings, each with zeros up to a whole number of blocks, and of their lengths. */
#if defined(__GNUC__)
__attribute__((visibility("hidden")))
#endif
void usuba_poly1305_of_two(unsigned char *tag, const unsigned char *key, const unsigned char *first, size_t first_length,
                           const unsigned char *second, size_t second_length);

/* Block 0 of the keystream, and after it the beginning of the text, encrypted or decrypted. */
struct chacha20_poly1305_start {
    unsigned char stream[(1 + CHACHA20_POLY1305_FIRST) * CHACHA20_POLY1305_BLOCK];
    /* Bytes of text that are there. */
    size_t bytes;
};

static void chacha20_poly1305_begin(struct chacha20_poly1305_start *start, const unsigned char *key,
                                    const unsigned char *nonce, const unsigned char *in, size_t length)
{
    const size_t room = CHACHA20_POLY1305_FIRST * CHACHA20_POLY1305_BLOCK;
    start->bytes = length < room ? length : room;
    memset(start->stream, 0, CHACHA20_POLY1305_BLOCK);
    memcpy(start->stream + CHACHA20_POLY1305_BLOCK, in, start->bytes);
    usuba_chacha20_xor(key, nonce, 0, start->stream, start->stream, CHACHA20_POLY1305_BLOCK + start->bytes);
}

/* Encrypts or decrypts all of the text. */
static void chacha20_poly1305_crypt(const struct chacha20_poly1305_start *start, const unsigned char *key,
                                    const unsigned char *nonce, unsigned char *out, const unsigned char *in,
                                    size_t length)
{
    memcpy(out, start->stream + CHACHA20_POLY1305_BLOCK, start->bytes);
    if (length > start->bytes)
        usuba_chacha20_xor(key, nonce, 1 + CHACHA20_POLY1305_FIRST, out + start->bytes, in + start->bytes,
                           length - start->bytes);
}

static void chacha20_poly1305_over(struct chacha20_poly1305_start *start)
{
    usuba_wipe(start->stream, CHACHA20_POLY1305_BLOCK + start->bytes);
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
    chacha20_poly1305_begin(&start, key, nonce, plain, length);
    chacha20_poly1305_crypt(&start, key, nonce, cipher, plain, length);
    usuba_poly1305_of_two(tag, start.stream, ad, ad_length, cipher, length);
    chacha20_poly1305_over(&start);
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
    chacha20_poly1305_begin(&start, key, nonce, cipher, length);
    usuba_poly1305_of_two(expected, start.stream, ad, ad_length, cipher, length);
    result = !usuba_equal(expected, tag, sizeof expected);
    if (result == 0)
        chacha20_poly1305_crypt(&start, key, nonce, plain, cipher, length);
    usuba_wipe(expected, sizeof expected);
    chacha20_poly1305_over(&start);
    return result;
}
