/* Bytes of the usual nonce and tag. */
#define @STEM@_NONCE_BYTES @nonce_bytes@
#define @STEM@_TAG_BYTES @block@

/* Encrypts `length` bytes and makes the tag that authenticates them and the `ad_length` bytes at `ad`.
 * @rules@
 * `out` may be `in`@but_not@. Nothing else may overlap `out`, but the tag may follow it at once. Pointers to nothing may be
 * null. USUBA_ERROR_LENGTH says that a size is not one of these; then, and if buffers lie wrongly, nothing is written. Time
 * depends on sizes only. */
@API@int @stem@_seal(const @stem@_ctx *ctx, unsigned char *out, unsigned char *tag, size_t tag_bytes,
    const unsigned char *nonce, size_t nonce_bytes, const unsigned char *ad, size_t ad_length, const unsigned char *in,
    size_t length);

/* Decrypts `length` bytes, if the tag is theirs; the same rules. Nobody must read `out` before the function returns. If it
 * returns USUBA_ERROR_TAG, all of `out` is zero: in place, the ciphertext is then lost. */
@API@int @stem@_open(const @stem@_ctx *ctx, unsigned char *out, const unsigned char *tag, size_t tag_bytes,
    const unsigned char *nonce, size_t nonce_bytes, const unsigned char *ad, size_t ad_length, const unsigned char *in,
    size_t length);
