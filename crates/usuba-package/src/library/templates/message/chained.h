/* From `length` bytes to as many.
 * @rules@
 * `iv` is left as what continues the message: calls whose lengths are whole blocks continue each other. `out` may be `in`;
 * other overlaps are refused, and so is a vector in either of them. Time depends on `length` only. */
@API@int @stem@_@first@(const @stem@_ctx *ctx, unsigned char iv[@CIPHER@_BLOCK_BYTES], unsigned char *out,
    const unsigned char *in, size_t length);
@if second

/* The other direction; the same rules. */
@API@int @stem@_@second@(const @stem@_ctx *ctx, unsigned char iv[@CIPHER@_BLOCK_BYTES], unsigned char *out,
    const unsigned char *in, size_t length);
@end
