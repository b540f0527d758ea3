
int @stem@_@function@_batch(const @stem@_ctx *ctx, size_t count, @prefix@@message@ *messages)
{
    const struct code *code;
    const uint8_t *prepared;
    struct keyed keyed;
@if own
    uint64_t own[@own_words@];
@end
    size_t i, many = 0;
    int result = USUBA_OK;
    if (ctx == NULL || (count > 0 && messages == NULL))
        return USUBA_ERROR_NULL;
    code = code_for(ctx);
    if (code == NULL)
        return USUBA_ERROR_CONTEXT;
    /* Processors compute several short messages at once by themselves, where the cipher is a few instructions. */
    for (i = 0; i < count; i++)
        many += !code->rounds || messages[i].length >= @short@;
    if (many < (code->rounds ? @enough@ : 2)) {
        for (i = 0; i < count; i++) {
            @prefix@@message@ *m = &messages[i];
@if chained
            m->result = @stem@_@function@(ctx, m->iv, m->out, m->in, m->length);
@end
@if tagged
            m->result = @stem@_@function@(ctx, m->tag, m->tag_bytes, m->in, m->length);
@end
            if (result == USUBA_OK)
                result = m->result;
        }
        return result;
    }
    prepared = (const uint8_t *)ctx->prepared + @place@;
    blocks_for(&ctx->cipher, &keyed);
@if own
    if (code->prepare_@function@ != @around@_prepare) {
        /* What the context has is for other code. */
        @around@_prepare((const uint8_t *)(const void *)&keyed.blocks, (uint8_t *)own);
        prepared = (const uint8_t *)own;
    }
@end
    result = @around@_batch(&keyed.blocks, prepared, count, messages);
    forget(&keyed);
@if own
    if (prepared == (const uint8_t *)own)
        usuba_wipe(own, sizeof own);
@end
    return result;
}

