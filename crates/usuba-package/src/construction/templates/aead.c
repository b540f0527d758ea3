
/* Whether the arguments make sense. */
static int check(const unsigned char *out, const unsigned char *in, size_t length, const unsigned char *ad, size_t ad_length,
    const unsigned char *key, const unsigned char *nonce, const unsigned char *tag)
{
    return usuba_check_aead(out, in, length, ad, ad_length, key, @STEM@_KEY_BYTES, nonce, @STEM@_NONCE_BYTES, tag,
        @STEM@_TAG_BYTES);
}
