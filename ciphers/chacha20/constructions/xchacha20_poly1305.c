/* The fast form of XChaCha20-Poly1305, draft-irtf-cfrg-xchacha-03, section 2.3: the functions of the text aead.ua by hand, over
 * those of ChaCha20-Poly1305 and the text's HChaCha20. */

/* What ChaCha20-Poly1305 is given: a key made of the key and the beginning of the nonce, and the end of the nonce. */
struct xchacha20_poly1305_inner {
    _Alignas(64) unsigned char prepared[64];
    unsigned char key[32];
    unsigned char nonce[12];
};

static void xchacha20_poly1305_derive(struct xchacha20_poly1305_inner *inner, const unsigned char *key,
                                      const unsigned char *nonce)
{
    usuba_xchacha20_poly1305_hchacha20_prepare(key, inner->prepared);
    usuba_xchacha20_poly1305_hchacha20(inner->prepared, key, nonce, inner->key);
    memset(inner->nonce, 0, 4);
    memcpy(inner->nonce + 4, nonce + 16, 8);
}

/* A result of ChaCha20-Poly1305, whose arguments have been checked, as one of the code of a message. */
static int xchacha20_poly1305_end(struct xchacha20_poly1305_inner *inner, int result)
{
    usuba_wipe(inner, sizeof *inner);
    if (result == USUBA_OK)
        return 0;
    return result == USUBA_ERROR_TAG ? 1 : 2;
}

static int usuba_xchacha20_poly1305_sealed(size_t ad_length, size_t length, const uint8_t *prepared, const uint8_t *key,
                                           const uint8_t *nonce, const uint8_t *ad, const uint8_t *plain,
                                           uint8_t *cipher, uint8_t *tag)
{
    struct xchacha20_poly1305_inner inner;
    (void)prepared;
    xchacha20_poly1305_derive(&inner, key, nonce);
    return xchacha20_poly1305_end(&inner, usuba_chacha20_poly1305_seal(cipher, tag, inner.key, inner.nonce, ad, ad_length,
                                                                       plain, length));
}

static int usuba_xchacha20_poly1305_opened(size_t ad_length, size_t length, const uint8_t *prepared, const uint8_t *key,
                                           const uint8_t *nonce, const uint8_t *ad, const uint8_t *cipher,
                                           const uint8_t *tag, uint8_t *plain)
{
    struct xchacha20_poly1305_inner inner;
    (void)prepared;
    xchacha20_poly1305_derive(&inner, key, nonce);
    return xchacha20_poly1305_end(&inner, usuba_chacha20_poly1305_open(plain, tag, inner.key, inner.nonce, ad, ad_length,
                                                                       cipher, length));
}
