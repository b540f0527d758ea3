
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
@if pieces

static int @id@_seal_begin(void *stream, const void *ctx, size_t tag_bytes, const unsigned char *nonce, size_t nonce_bytes)
{
    return @stem@_seal_begin(stream, ctx, tag_bytes, nonce, nonce_bytes);
}

static int @id@_open_begin(void *stream, const void *ctx, size_t tag_bytes, const unsigned char *nonce, size_t nonce_bytes)
{
    return @stem@_open_begin(stream, ctx, tag_bytes, nonce, nonce_bytes);
}

static int @id@_ad(void *stream, const void *ctx, const unsigned char *ad, size_t ad_length)
{
    return @stem@_ad(stream, ctx, ad, ad_length);
}

static int @id@_seal_update(void *stream, const void *ctx, unsigned char *out, size_t *made, const unsigned char *in,
    size_t length)
{
    return @stem@_seal_update(stream, ctx, out, made, in, length);
}

static int @id@_open_update(void *stream, const void *ctx, unsigned char *out, size_t *made, const unsigned char *in,
    size_t length)
{
    return @stem@_open_update_unverified(stream, ctx, out, made, in, length);
}

static int @id@_seal_end(void *stream, const void *ctx, unsigned char *out, size_t *made, unsigned char *tag,
    size_t tag_bytes)
{
    return @stem@_seal_end(stream, ctx, out, made, tag, tag_bytes);
}

static int @id@_open_end(void *stream, const void *ctx, unsigned char *out, size_t *made, const unsigned char *tag,
    size_t tag_bytes)
{
    return @stem@_open_end(stream, ctx, out, made, tag, tag_bytes);
}
@end

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
@if pieces
        .stream_bytes = sizeof(@stem@_stream),
        .held_bytes = @STEM@_HELD_BYTES,
        .seal_begin = @id@_seal_begin,
        .open_begin = @id@_open_begin,
        .ad = @id@_ad,
        .seal_update = @id@_seal_update,
        .open_update = @id@_open_update,
        .seal_end = @id@_seal_end,
        .open_end = @id@_open_end,
@end
    } }
};
