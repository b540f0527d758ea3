
@if customized
int @stem@_init(@stem@_ctx *ctx, const unsigned char *custom, size_t custom_length)
@end
@if plain
int @stem@_init(@stem@_ctx *ctx)
@end
{
    struct working working;
    int result;
@if customized
    if (ctx == NULL || (custom == NULL && custom_length > 0))
        return USUBA_ERROR_NULL;
    if (custom_length > @STEM@_CUSTOMIZATION_BYTES)
        return USUBA_ERROR_LENGTH;
@end
@if plain
    if (ctx == NULL)
        return USUBA_ERROR_NULL;
@end
    memset(ctx, 0, sizeof *ctx);
    work_on(&working, ctx);
@if customized
    working.in[@custom_place@] = custom_length > 0 ? custom : nothing;
    ctx->lengths[@custom_length@] = custom_length;
@end
    result = run(@symbol@_part0, &working);
    ctx->state = CONTEXT ^ ABSORBING;
    return result;
}

int @stem@_squeeze(@stem@_ctx *ctx, unsigned char *out, size_t length)
{
    const struct usuba_string string = @output@;
    struct working working;
    unsigned char block[@room@];
    uint64_t kept[@words@];
    size_t *known, *before, blocks, skipped, bytes;
    int result;
    if (ctx == NULL || (out == NULL && length > 0))
        return USUBA_ERROR_NULL;
    result = in_phase(ctx, ABSORBING);
    if (result == USUBA_ERROR_STATE)
        result = in_phase(ctx, SQUEEZING);
    if (result != USUBA_OK)
        return result;
    known = &ctx->lengths[string.length];
    before = &ctx->lengths[string.before];
    if (length > SIZE_MAX - *known || (uint64_t)(*known + length) >= USUBA_PIECES_BYTES)
        return USUBA_ERROR_LENGTH;
    work_on(&working, ctx);
    if (in_phase(ctx, ABSORBING) == USUBA_OK) {
        working.in[message_string().in] = ctx->held;
        result = run(@symbol@_part2, &working);
        ctx->state = CONTEXT ^ SQUEEZING;
    }
    if (length == 0)
        return result;
    /* Bytes of the first block that have been written before. */
    skipped = *known - *before * string.rate;
    *known += length;
    blocks = @symbol@_count1(*known) - *before;
    while (blocks > 0 && result == USUBA_OK) {
        const size_t now = skipped > 0 ? 1 : blocks;
        unsigned char *made = skipped > 0 ? block : out;
        working.out[string.out] = made;
        ctx->lengths[string.now] = now;
        result = run(@symbol@_part3, &working);
        *before += now;
        blocks -= now;
        bytes = now * string.rate - skipped;
        if (skipped > 0)
            memcpy(out, block + skipped, bytes);
        out += bytes;
        length -= bytes;
        skipped = 0;
    }
    /* The last block, which stays, as more of it may be wanted. */
    if (length > 0 && result == USUBA_OK) {
        memcpy(kept, ctx->kept, sizeof kept);
        working.pieces.kept = (uint8_t *)kept;
        working.out[string.out] = block;
        result = run(@symbol@_part4, &working);
        memcpy(out, block + skipped, length);
        usuba_wipe(kept, sizeof kept);
    }
    usuba_wipe(block, sizeof block);
    return result;
}

@if customized
int @stem@(unsigned char *out, size_t out_length, const unsigned char *custom, size_t custom_length,
    const unsigned char *in, size_t length)
@end
@if plain
int @stem@(unsigned char *out, size_t out_length, const unsigned char *in, size_t length)
@end
{
    _Alignas(64) uint8_t prepared[@prepared@];
    if ((in == NULL && length > 0) || (out == NULL && out_length > 0))
        return USUBA_ERROR_NULL;
@if customized
    if (custom == NULL && custom_length > 0)
        return USUBA_ERROR_NULL;
    if (custom_length > @STEM@_CUSTOMIZATION_BYTES)
        return USUBA_ERROR_LENGTH;
    custom = custom_length > 0 ? custom : nothing;
@end
    if (out_length == 0)
        return USUBA_OK;
    in = length > 0 ? in : nothing;
    @symbol@_prepare(prepared);
    return result_of(@symbol@(@call@));
}
