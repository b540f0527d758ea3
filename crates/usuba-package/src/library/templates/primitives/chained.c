
static int @id@_@first@(const void *ctx, unsigned char *iv, unsigned char *out, const unsigned char *in, size_t length)
{
    return @stem@_@first@(ctx, iv, out, in, length);
}
@if second

static int @id@_@second@(const void *ctx, unsigned char *iv, unsigned char *out, const unsigned char *in, size_t length)
{
    return @stem@_@second@(ctx, iv, out, in, length);
}
@end
@if batch

static int @id@_@first@_batch(const void *ctx, size_t count, @prefix@chained_message *messages)
{
    return @stem@_@first@_batch(ctx, count, messages);
}
@end

static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_CHAIN,
    { .chain = {
        .key_bytes = @STEM@_KEY_BYTES,
        .iv_bytes = @block@,
        .unit_bytes = @unit@,
        .context_bytes = sizeof(@stem@_ctx),
        .init = @id@_init,
        .encrypt = @id@_@first@,
        .decrypt = @id@_@last@,
        .wipe = @id@_wipe,
@if batch
        .encrypt_batch = @id@_@first@_batch,
@end
    } }
};
