
static int @id@_init(void *ctx, const unsigned char *key)
{
    return @stem@_init(ctx, key);
}
@if ecb

static int @id@_encrypt_blocks(const void *ctx, const unsigned char *tweaks, unsigned char *out, const unsigned char *in,
    size_t blocks)
{
@if untweaked
    (void)tweaks;
@end
    return @stem@_encrypt_blocks(ctx, @given@out, in, blocks);
}
@if decrypt

static int @id@_decrypt_blocks(const void *ctx, const unsigned char *tweaks, unsigned char *out, const unsigned char *in,
    size_t blocks)
{
@if untweaked
    (void)tweaks;
@end
    return @stem@_decrypt_blocks(ctx, @given@out, in, blocks);
}
@end
@end
@if ctr

static int @id@_ctr_xor(const void *ctx, unsigned char *counter, unsigned char *out, const unsigned char *in, size_t length)
{
    return @stem@_ctr_xor(ctx, counter, out, in, length);
}

static int @id@_ctr32_xor(const void *ctx, unsigned char *counter, unsigned char *out, const unsigned char *in,
    size_t length)
{
    return @stem@_ctr32_xor(ctx, counter, out, in, length);
}
@end

static void @id@_wipe(void *ctx)
{
    @stem@_wipe(ctx);
}

static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_BLOCK_CIPHER,
    { .block_cipher = {
        .key_bytes = @STEM@_KEY_BYTES,
        .block_bytes = @STEM@_BLOCK_BYTES,
@if tweak
        .tweak_bytes = @STEM@_TWEAK_BYTES,
@end
        .context_bytes = sizeof(@stem@_ctx),
        .init = @id@_init,
@if ecb
        .encrypt_blocks = @id@_encrypt_blocks,
@if decrypt
        .decrypt_blocks = @id@_decrypt_blocks,
@end
@end
@if ctr
        .ctr_xor = @id@_ctr_xor,
        .ctr32_xor = @id@_ctr32_xor,
@end
        .wipe = @id@_wipe,
    } }
};
