
@if customized
static int @id@_init(void *ctx, const unsigned char *custom, size_t custom_length)
{
    return @stem@_init(ctx, custom, custom_length);
}
@end
@if plain
static int @id@_compute(unsigned char *out, size_t out_length, const unsigned char *custom, size_t custom_length,
    const unsigned char *in, size_t length)
{
    (void)custom;
    return custom_length > 0 ? USUBA_ERROR_LENGTH : @stem@(out, out_length, in, length);
}

static int @id@_init(void *ctx, const unsigned char *custom, size_t custom_length)
{
    (void)custom;
    return custom_length > 0 ? USUBA_ERROR_LENGTH : @stem@_init(ctx);
}
@end

static int @id@_update(void *ctx, const unsigned char *in, size_t length)
{
    return @stem@_update(ctx, in, length);
}

static int @id@_squeeze(void *ctx, unsigned char *out, size_t length)
{
    return @stem@_squeeze(ctx, out, length);
}

static void @id@_wipe(void *ctx)
{
    @stem@_wipe(ctx);
}

static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_XOF,
    { .xof = {
        .customization_bytes = @customization@,
        .context_bytes = sizeof(@stem@_ctx),
@if customized
        .compute = @stem@,
@end
@if plain
        .compute = @id@_compute,
@end
        .init = @id@_init,
        .update = @id@_update,
        .squeeze = @id@_squeeze,
        .wipe = @id@_wipe,
        .block_bytes = @STEM@_BLOCK_BYTES,
    } }
};
