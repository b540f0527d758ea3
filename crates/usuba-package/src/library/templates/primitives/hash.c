
static int @id@_init(void *ctx)
{
    return @stem@_init(ctx);
}

static int @id@_update(void *ctx, const unsigned char *in, size_t length)
{
    return @stem@_update(ctx, in, length);
}

static int @id@_final(void *ctx, unsigned char *digest)
{
    return @stem@_final(ctx, digest);
}

static void @id@_wipe(void *ctx)
{
    @stem@_wipe(ctx);
}

static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_HASH,
    { .hash = {
        .digest_bytes = @digest@,
        .context_bytes = sizeof(@stem@_ctx),
        .compute = @stem@,
        .init = @id@_init,
        .update = @id@_update,
        .final = @id@_final,
        .wipe = @id@_wipe,
        .block_bytes = @STEM@_BLOCK_BYTES,
    } }
};
