int @stem@_@function@(const @stem@_ctx *ctx, unsigned char *out, @constant@unsigned char *tag, size_t tag_bytes,
    const unsigned char *nonce, size_t nonce_bytes, const unsigned char *ad, size_t ad_length, const unsigned char *in,
    size_t length)
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
    result = usuba_check_aead(out, in, length, ad, ad_length, ctx, sizeof *ctx, nonce, nonce_bytes, tag, tag_bytes);
@if apart
    if (result == USUBA_OK && out == in && length > 0)
        result = USUBA_ERROR_OVERLAP;
@end
@if sized
    if (result == USUBA_OK && (@sizes@))
        result = USUBA_ERROR_LENGTH;
@end
    if (result != USUBA_OK)
        return result;
    prepared = (const uint8_t *)ctx->prepared + @place@;
    key = key_for(code, &ctx->cipher, &keyed);
    result = result_of(code->@function@(@call@));
    forget(&keyed);
    return result;
}

