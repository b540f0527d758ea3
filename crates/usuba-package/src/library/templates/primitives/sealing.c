
static int @id@_seal(const void *ctx, unsigned char *out, unsigned char *tag, size_t tag_bytes, const unsigned char *nonce,
    size_t nonce_bytes, const unsigned char *ad, size_t ad_length, const unsigned char *in, size_t length)
{
    return @stem@_seal(ctx, out, tag, tag_bytes, nonce, nonce_bytes, ad, ad_length, in, length);
}

static int @id@_open(const void *ctx, unsigned char *out, const unsigned char *tag, size_t tag_bytes,
    const unsigned char *nonce, size_t nonce_bytes, const unsigned char *ad, size_t ad_length, const unsigned char *in,
    size_t length)
{
    return @stem@_open(ctx, out, tag, tag_bytes, nonce, nonce_bytes, ad, ad_length, in, length);
}

static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_AEAD,
    { .aead = {
        .key_bytes = @STEM@_KEY_BYTES,
        .nonce_bytes = @STEM@_NONCE_BYTES,
        .tag_bytes = @STEM@_TAG_BYTES,
        .context_bytes = sizeof(@stem@_ctx),
        .init = @id@_init,
        .seal = @id@_seal,
        .open = @id@_open,
        .wipe = @id@_wipe,
    } }
};
