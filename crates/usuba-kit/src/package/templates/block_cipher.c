struct engine {
    size_t batch;
    size_t keys;
    void (*load_keys)(void *, const unsigned char *);
@if ecb
    int (*encrypt_blocks)(const void *, @tweaks@unsigned char *, const unsigned char *, size_t);
@if decrypt
    int (*decrypt_blocks)(const void *, @tweaks@unsigned char *, const unsigned char *, size_t);
@end
@end
@if ctr
    int (*ctr_xor)(const void *, unsigned char *, unsigned char *, const unsigned char *, size_t);
@end
};

@plans@
@schedule@
int @stem@_init(@stem@_ctx *ctx, const unsigned char key[@STEM@_KEY_BYTES])
{
    unsigned char round_keys[@round_keys@];
    const unsigned level = usuba_level();
    size_t i;
    if (ctx == NULL || key == NULL)
        return USUBA_ERROR_NULL;
    schedule(round_keys, key);
    for (i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        if (plans[level].forms >> i & 1)
            engines[i].load_keys(ctx->round_keys.u8 + engines[i].keys, round_keys);
    }
    ctx->state = usuba_context_state(level);
    usuba_wipe(round_keys, sizeof round_keys);
    return USUBA_OK;
}

void @stem@_wipe(@stem@_ctx *ctx)
{
    if (ctx != NULL)
        usuba_wipe(ctx, sizeof *ctx);
}
@if ecb

int @stem@_encrypt_blocks(const @stem@_ctx *ctx, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks)
{
    int level, result;
    if (ctx == NULL)
        return USUBA_ERROR_NULL;
    level = usuba_context_level(ctx->state, sizeof plans / sizeof plans[0]);
    if (level < 0)
        return USUBA_ERROR_CONTEXT;
    if (blocks > SIZE_MAX / @STEM@_BLOCK_BYTES)
        return USUBA_ERROR_LENGTH;
@if tweak
    if (blocks > SIZE_MAX / @STEM@_TWEAK_BYTES)
        return USUBA_ERROR_LENGTH;
@end
    result = usuba_check(out, in, blocks * @STEM@_BLOCK_BYTES);
@if tweak
    if (result == USUBA_OK)
        result = usuba_check_apart(out, blocks * @STEM@_BLOCK_BYTES, tweaks, blocks * @STEM@_TWEAK_BYTES);
@end
    while (result == USUBA_OK && blocks > 0) {
        const struct engine *engine = engines + usuba_engine_for(plans + level, blocks);
        const size_t share = usuba_share(blocks, engine->batch);
        result = engine->encrypt_blocks(ctx->round_keys.u8 + engine->keys, @given@out, in, share);
        blocks -= share;
        out += share * @STEM@_BLOCK_BYTES;
        in += share * @STEM@_BLOCK_BYTES;
@if tweak
        tweaks += share * @STEM@_TWEAK_BYTES;
@end
    }
    return result;
}
@if decrypt

int @stem@_decrypt_blocks(const @stem@_ctx *ctx, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks)
{
    int level, result;
    if (ctx == NULL)
        return USUBA_ERROR_NULL;
    level = usuba_context_level(ctx->state, sizeof plans / sizeof plans[0]);
    if (level < 0)
        return USUBA_ERROR_CONTEXT;
    if (blocks > SIZE_MAX / @STEM@_BLOCK_BYTES)
        return USUBA_ERROR_LENGTH;
@if tweak
    if (blocks > SIZE_MAX / @STEM@_TWEAK_BYTES)
        return USUBA_ERROR_LENGTH;
@end
    result = usuba_check(out, in, blocks * @STEM@_BLOCK_BYTES);
@if tweak
    if (result == USUBA_OK)
        result = usuba_check_apart(out, blocks * @STEM@_BLOCK_BYTES, tweaks, blocks * @STEM@_TWEAK_BYTES);
@end
    while (result == USUBA_OK && blocks > 0) {
        const struct engine *engine = engines + usuba_engine_for(plans + level, blocks);
        const size_t share = usuba_share(blocks, engine->batch);
        result = engine->decrypt_blocks(ctx->round_keys.u8 + engine->keys, @given@out, in, share);
        blocks -= share;
        out += share * @STEM@_BLOCK_BYTES;
        in += share * @STEM@_BLOCK_BYTES;
@if tweak
        tweaks += share * @STEM@_TWEAK_BYTES;
@end
    }
    return result;
}
@end
@end
@if ctr

int @stem@_ctr_xor(const @stem@_ctx *ctx, unsigned char counter[@STEM@_BLOCK_BYTES], unsigned char *out,
    const unsigned char *in, size_t length)
{
    int level, result;
    if (ctx == NULL || counter == NULL)
        return USUBA_ERROR_NULL;
    level = usuba_context_level(ctx->state, sizeof plans / sizeof plans[0]);
    if (level < 0)
        return USUBA_ERROR_CONTEXT;
    result = usuba_check(out, in, length);
    while (result == USUBA_OK && length > 0) {
        const size_t blocks = (length - 1) / @STEM@_BLOCK_BYTES + 1;
        const struct engine *engine = engines + usuba_engine_for(plans + level, blocks);
        const size_t share = usuba_share(blocks, engine->batch);
        const size_t bytes = share == blocks ? length : share * @STEM@_BLOCK_BYTES;
        result = engine->ctr_xor(ctx->round_keys.u8 + engine->keys, counter, out, in, bytes);
        length -= bytes;
        out += bytes;
        in += bytes;
    }
    return result;
}
@end
