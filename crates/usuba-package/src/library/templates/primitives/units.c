
static int @id@_encrypt(const void *ctx, const unsigned char *unit, unsigned char *out, const unsigned char *in,
    size_t length)
{
    return @stem@_encrypt(ctx, unit, out, in, length);
}

static int @id@_decrypt(const void *ctx, const unsigned char *unit, unsigned char *out, const unsigned char *in,
    size_t length)
{
    return @stem@_decrypt(ctx, unit, out, in, length);
}

static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_UNITS,
    { .units = {
        .key_bytes = @STEM@_KEY_BYTES,
        .unit_bytes = @STEM@_UNIT_BYTES,
        .context_bytes = sizeof(@stem@_ctx),
        .init = @id@_init,
        .encrypt = @id@_encrypt,
        .decrypt = @id@_decrypt,
        .wipe = @id@_wipe,
    } }
};
