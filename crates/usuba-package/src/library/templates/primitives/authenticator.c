
static int @id@_compute(const void *ctx, unsigned char *tag, size_t tag_bytes, const unsigned char *nonce,
    size_t nonce_bytes, const unsigned char *in, size_t length)
{
@if nonce
    return @stem@_compute(ctx, tag, tag_bytes, nonce, nonce_bytes, in, length);
@end
@if nonceless
    (void)nonce;
    return nonce_bytes == 0 ? @stem@_compute(ctx, tag, tag_bytes, in, length) : USUBA_ERROR_LENGTH;
@end
}
@if batch

static int @id@_compute_batch(const void *ctx, size_t count, @prefix@tagged_message *messages)
{
    return @stem@_compute_batch(ctx, count, messages);
}
@end

static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_AUTHENTICATOR,
    { .authenticator = {
        .key_bytes = @STEM@_KEY_BYTES,
        .nonce_bytes = @nonce_bytes@,
        .tag_bytes = @STEM@_TAG_BYTES,
        .context_bytes = sizeof(@stem@_ctx),
        .init = @id@_init,
        .compute = @id@_compute,
        .wipe = @id@_wipe,
@if batch
        .compute_batch = @id@_compute_batch,
@end
    } }
};
