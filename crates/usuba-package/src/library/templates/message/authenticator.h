@if nonce
/* Bytes of the usual nonce. */
#define @STEM@_NONCE_BYTES @nonce_bytes@

@end
/* Bytes of the longest tag, the usual one. */
#define @STEM@_TAG_BYTES @block@

/* Makes the tag of `length` bytes.
 * @rules@
 * The tag may not overlap the input; pointers to nothing may be null. USUBA_ERROR_LENGTH says that a size is not one of
 * these. Time depends on sizes only. */
@API@int @stem@_compute(const @stem@_ctx *ctx, unsigned char *tag, size_t tag_bytes,
@if nonce
    const unsigned char *nonce, size_t nonce_bytes,
@end
    const unsigned char *in, size_t length);
