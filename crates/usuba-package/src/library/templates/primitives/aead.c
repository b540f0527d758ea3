
/* A key as a context. */
struct @id@_ctx {
    uint64_t state;
    unsigned char key[@key@];
};

static int @id@_init(void *given, const unsigned char *key)
{
    struct @id@_ctx *ctx = given;
    if (ctx == NULL || key == NULL)
        return USUBA_ERROR_NULL;
    memcpy(ctx->key, key, sizeof ctx->key);
    ctx->state = UINT64_C(@magic@);
    return USUBA_OK;
}

static int @id@_sizes(const struct @id@_ctx *ctx, size_t tag_bytes, size_t nonce_bytes)
{
    if (ctx == NULL)
        return USUBA_ERROR_NULL;
    if (ctx->state != UINT64_C(@magic@))
        return USUBA_ERROR_CONTEXT;
    return tag_bytes == @tag@ && nonce_bytes == @nonce@ ? USUBA_OK : USUBA_ERROR_LENGTH;
}

static int @id@_seal(const void *given, unsigned char *out, unsigned char *tag, size_t tag_bytes, const unsigned char *nonce,
    size_t nonce_bytes, const unsigned char *ad, size_t ad_length, const unsigned char *in, size_t length)
{
    const struct @id@_ctx *ctx = given;
    const int result = @id@_sizes(ctx, tag_bytes, nonce_bytes);
    return result != USUBA_OK ? result : @stem@_seal(out, tag, ctx->key, nonce, ad, ad_length, in, length);
}

static int @id@_open(const void *given, unsigned char *out, const unsigned char *tag, size_t tag_bytes,
    const unsigned char *nonce, size_t nonce_bytes, const unsigned char *ad, size_t ad_length, const unsigned char *in,
    size_t length)
{
    const struct @id@_ctx *ctx = given;
    const int result = @id@_sizes(ctx, tag_bytes, nonce_bytes);
    return result != USUBA_OK ? result : @stem@_open(out, tag, ctx->key, nonce, ad, ad_length, in, length);
}

static void @id@_wipe(void *ctx)
{
    if (ctx != NULL) {
        volatile unsigned char *bytes = ctx;
        size_t i;
        for (i = 0; i < sizeof(struct @id@_ctx); i++)
            bytes[i] = 0;
    }
}

static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_AEAD,
    { .aead = {
        .key_bytes = @key@,
        .nonce_bytes = @nonce@,
        .tag_bytes = @tag@,
        .context_bytes = sizeof(struct @id@_ctx),
        .init = @id@_init,
        .seal = @id@_seal,
        .open = @id@_open,
        .wipe = @id@_wipe,
    } }
};
