int @stem@_@function@(const @stem@_ctx *ctx, unsigned char *tag, size_t tag_bytes,
@if nonce
    const unsigned char *nonce, size_t nonce_bytes,
@end
    const unsigned char *in, size_t length)
{
    const struct code *code;
    const uint8_t *prepared, *key;
    struct keyed keyed;
    int result;
    if (ctx == NULL)
        return USUBA_ERROR_NULL;
    code = code_for(ctx);
    if (code == NULL)
        return USUBA_ERROR_CONTEXT;
    result = usuba_check(tag, tag, tag_bytes);
    if (result == USUBA_OK)
        result = usuba_check_apart(tag, tag_bytes, in, length);
@if nonce
    if (result == USUBA_OK)
        result = usuba_check_apart(tag, tag_bytes, nonce, nonce_bytes);
@end
    if (result != USUBA_OK)
        return result;
    prepared = (const uint8_t *)ctx->prepared + @place@;
    key = key_for(code, &ctx->cipher, &keyed);
    result = result_of(code->@function@(@call@));
    forget(&keyed);
    return result;
}

