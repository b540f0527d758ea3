/* Bytes of the number of a unit, the least significant first. */
#define @STEM@_UNIT_BYTES @block@

/* Encrypts a unit of `length` bytes.
 * @rules@
 * `out` may be `in`@but_not@; other overlaps are refused. Time depends on `length` only. */
@API@int @stem@_@first@(const @stem@_ctx *ctx, const unsigned char unit[@STEM@_UNIT_BYTES], unsigned char *out,
    const unsigned char *in, size_t length);

/* Decrypts a unit; the same rules. */
@API@int @stem@_@second@(const @stem@_ctx *ctx, const unsigned char unit[@STEM@_UNIT_BYTES], unsigned char *out,
    const unsigned char *in, size_t length);
