
static int @id@_init(void *ctx, const unsigned char *key, const unsigned char *nonce)
{
    return @stem@_init(ctx, key, nonce);
}

static int @id@_xor_bytes(void *ctx, unsigned char *out, const unsigned char *in, size_t length)
{
    return @stem@_xor(ctx, out, in, length);
}

static int @id@_xor_batch(void *ctx, unsigned char *const out[], const unsigned char *const in[], size_t length,
    size_t streams)
{
    return @stem@_xor_batch(ctx, out, in, length, streams);
}

static void @id@_wipe(void *ctx)
{
    @stem@_wipe(ctx);
}

static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_GENERATOR,
    { .generator = {
        .key_bytes = @STEM@_KEY_BYTES,
        .nonce_bytes = @STEM@_NONCE_BYTES,
        .block_bytes = @STEM@_BLOCK_BYTES,
        .context_bytes = sizeof(@stem@_ctx),
        .init = @id@_init,
        .xor_bytes = @id@_xor_bytes,
        .xor_batch = @id@_xor_batch,
        .wipe = @id@_wipe,
    } }
};
