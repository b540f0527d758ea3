
static int @id@_init(void *ctx, const unsigned char *key)
{
    return @stem@_init(ctx, key);
}

static int @id@_update(void *ctx, const unsigned char *in, size_t length)
{
    return @stem@_update(ctx, in, length);
}

static int @id@_final(void *ctx, unsigned char *tag)
{
    return @stem@_final(ctx, tag);
}

static void @id@_wipe(void *ctx)
{
    @stem@_wipe(ctx);
}

static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_MAC,
    { .mac = {
        .key_bytes = @key@,
        .tag_bytes = @tag@,
        .context_bytes = sizeof(@stem@_ctx),
        .compute = @stem@,
        .init = @id@_init,
        .update = @id@_update,
        .final = @id@_final,
        .wipe = @id@_wipe,
    } }
};
