
/* Bytes of a key and of a block. */
#define @STEM@_KEY_BYTES @key@
#define @STEM@_BLOCK_BYTES @block@
@if tweak

/* Bytes of a tweak. Functions take one for each block, one after another at `tweaks`, apart from `out`. */
#define @STEM@_TWEAK_BYTES @tweak@
@end

/* The round keys as they are specified: the same in every library and on every machine. It has no pointers and may be copied. Its
 * members are private. */
typedef struct @stem@_ctx {
    uint64_t state;
    uint8_t keys[@round_keys@];
} @stem@_ctx;

/* Bytes of a context in the library that is linked: what `sizeof` says, or the header is of another version. */
@API@size_t @stem@_ctx_bytes(void);

/* Expands a key. */
@API@int @stem@_init(@stem@_ctx *ctx, const unsigned char key[@STEM@_KEY_BYTES]);

/* Overwrites the round keys; functions then refuse the context. */
@API@void @stem@_wipe(@stem@_ctx *ctx);
@if ecb

/* Encrypts each of `blocks` blocks by itself, any number of them. `out` may be `in`; other overlaps are refused. Time
 * depends on `blocks` only. */
@API@int @stem@_encrypt_blocks(const @stem@_ctx *ctx, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks);
@if decrypt

/* Decrypts each of `blocks` blocks by itself; the same rules. */
@API@int @stem@_decrypt_blocks(const @stem@_ctx *ctx, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks);
@end
@end
@if ctr

/* Counter mode of SP 800-38A, to encrypt and to decrypt: out = in ^ E(counter) || E(counter + 1) || ... for any number of
 * bytes. The counter is a big-endian number of a whole block and wraps to zero. It is left one beyond the last block used:
 * calls whose lengths are whole blocks continue each other. `out` may be `in`; other overlaps are refused, and so is a
 * counter in either of them. Time depends on `length` and the counter only. */
@API@int @stem@_ctr_xor(const @stem@_ctx *ctx, unsigned char counter[@STEM@_BLOCK_BYTES], unsigned char *out,
    const unsigned char *in, size_t length);

/* The same with a counter of 32 bits: the last four bytes count and wrap to zero, the bytes before them stay as they are, as
 * in GCM. More than 2^32 blocks are refused. */
@API@int @stem@_ctr32_xor(const @stem@_ctx *ctx, unsigned char counter[@STEM@_BLOCK_BYTES], unsigned char *out,
    const unsigned char *in, size_t length);
@end
