int @stem@_@function@(const @stem@_ctx *ctx, unsigned char iv[@CIPHER@_BLOCK_BYTES], unsigned char *out,
    const unsigned char *given, size_t rest)
{
    const struct code *code;
    const uint8_t *prepared, *key;
    struct keyed keyed;
@if apart
    unsigned char copy[1024 / @CIPHER@_BLOCK_BYTES * @CIPHER@_BLOCK_BYTES];
@end
    int result;
    if (ctx == NULL || iv == NULL)
        return USUBA_ERROR_NULL;
    code = code_for(ctx);
    if (code == NULL)
        return USUBA_ERROR_CONTEXT;
@if whole
    if (rest % @CIPHER@_BLOCK_BYTES != 0)
        return USUBA_ERROR_LENGTH;
@end
    result = usuba_check_counter(iv, @CIPHER@_BLOCK_BYTES, out, given, rest);
    prepared = (const uint8_t *)ctx->prepared + @place@;
    key = key_for(code, &ctx->cipher, &keyed);
    while (result == USUBA_OK && rest > 0) {
        unsigned char nonce[@CIPHER@_BLOCK_BYTES];
        const unsigned char *in = given;
        size_t length = rest;
@if apart
        if (given == out) {
            /* The code reads what it has written. */
            if (length > sizeof copy)
                length = sizeof copy;
            memcpy(copy, given, length);
            in = copy;
        }
@end
        memcpy(nonce, iv, sizeof nonce);
@if reads
        carry(iv, in, length);
@end
@if keystream
        if (length >= sizeof nonce)
            memcpy(iv, in + (length - sizeof nonce), sizeof nonce);
@end
        result = result_of(code->@function@(@call@));
@if writes
        carry(iv, out, length);
@end
@if keystream
        if (length >= sizeof nonce) {
            const unsigned char *last = out + (length - sizeof nonce);
            size_t i;
            for (i = 0; i < sizeof nonce; i++)
                iv[i] ^= last[i];
        }
@end
        given += length;
        out += length;
        rest -= length;
    }
    forget(&keyed);
@if apart
    usuba_wipe(copy, sizeof copy);
@end
    return result;
}

