
int @stem@_init(@stem@_ctx *ctx)
{
    struct working working;
    int result;
    if (ctx == NULL)
        return USUBA_ERROR_NULL;
    memset(ctx, 0, sizeof *ctx);
    work_on(&working, ctx);
    result = run(@symbol@_part0, &working);
    ctx->state = CONTEXT ^ ABSORBING;
    return result;
}

int @stem@_final(@stem@_ctx *ctx, unsigned char digest[@STEM@_DIGEST_BYTES])
{
    struct working working;
    int result;
    if (ctx == NULL || digest == NULL)
        return USUBA_ERROR_NULL;
    result = in_phase(ctx, ABSORBING);
    if (result != USUBA_OK)
        return result;
    work_on(&working, ctx);
    working.in[message_string().in] = ctx->held;
    working.out[@digest_place@] = digest;
    result = run(@symbol@_part2, &working);
    usuba_wipe(ctx, sizeof *ctx);
    ctx->state = CONTEXT ^ OVER;
    return result;
}

int @stem@(unsigned char digest[@STEM@_DIGEST_BYTES], const unsigned char *in, size_t length)
{
    _Alignas(64) uint8_t prepared[@prepared@];
    unsigned char *const out = digest;
    if (digest == NULL || (in == NULL && length > 0))
        return USUBA_ERROR_NULL;
    in = length > 0 ? in : nothing;
    @symbol@_prepare(prepared);
    return result_of(@symbol@(@call@));
}
