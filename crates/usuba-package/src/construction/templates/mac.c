
int @stem@_init(@stem@_ctx *ctx, const unsigned char key[@STEM@_KEY_BYTES])
{
    struct working working;
    int result;
    if (ctx == NULL || key == NULL)
        return USUBA_ERROR_NULL;
    memset(ctx, 0, sizeof *ctx);
    work_on(&working, ctx);
    working.in[@key_place@] = key;
    result = run(@symbol@_part0, &working);
    ctx->state = CONTEXT ^ ABSORBING;
    return result;
}

int @stem@_final(@stem@_ctx *ctx, unsigned char tag[@STEM@_TAG_BYTES])
{
    struct working working;
    int result;
    if (ctx == NULL || tag == NULL)
        return USUBA_ERROR_NULL;
    result = in_phase(ctx, ABSORBING);
    if (result != USUBA_OK)
        return result;
    work_on(&working, ctx);
    working.in[message_string().in] = ctx->held;
    working.out[@tag_place@] = tag;
    result = run(@symbol@_part2, &working);
    usuba_wipe(ctx, sizeof *ctx);
    ctx->state = CONTEXT ^ OVER;
    return result;
}

int @stem@(unsigned char tag[@STEM@_TAG_BYTES], const unsigned char key[@STEM@_KEY_BYTES], const unsigned char *in,
    size_t length)
{
@if made
    _Alignas(64) uint8_t prepared[@prepared@];
@end
    if (tag == NULL || key == NULL || (in == NULL && length > 0))
        return USUBA_ERROR_NULL;
    in = length > 0 ? in : nothing;
@if made
    @symbol@_prepare(prepared);
@end
    return result_of(@symbol@(@call@));
}
