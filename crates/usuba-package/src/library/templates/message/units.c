int @stem@_@function@(const @stem@_ctx *ctx, const unsigned char nonce[@STEM@_UNIT_BYTES], unsigned char *out,
    const unsigned char *in, size_t length)
{
    const struct code *code;
    const uint8_t *prepared, *key, *tweak_key;
    struct keyed keyed, tweaks;
    int result;
    if (ctx == NULL || nonce == NULL)
        return USUBA_ERROR_NULL;
    code = code_for(ctx);
    if (code == NULL)
        return USUBA_ERROR_CONTEXT;
    result = usuba_check(out, in, length);
    if (result == USUBA_OK)
        result = usuba_check_apart(out, length, nonce, @STEM@_UNIT_BYTES);
@if apart
    if (result == USUBA_OK && out == in)
        result = USUBA_ERROR_OVERLAP;
@end
    if (result != USUBA_OK)
        return result;
    prepared = (const uint8_t *)ctx->prepared + @place@;
    key = key_for(code, &ctx->cipher, &keyed);
    tweak_key = key_for(code, &ctx->tweak, &tweaks);
    result = result_of(code->@function@(@call@));
    forget(&keyed);
    forget(&tweaks);
    return result;
}

