
/* Bytes of a block. */
#define @STEM@_BLOCK_BYTES @block@
/* Blocks that are worked on at once; multiples of it make best use of the machine. */
#define @STEM@_BATCH @batch@

@if tweak
/* Bytes of a tweak. Functions take one for each block, one after another at `tweaks`, apart from `out`. */
#define @STEM@_TWEAK_BYTES @tweak@

@end
@if ecb

/* Encrypts each of `blocks` blocks by itself, any number of them. `out` may be `in`. Time depends on `blocks` only. */
void @stem@_encrypt_blocks(const void *keys, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks);
@if decrypt

/* Decrypts each of `blocks` blocks by itself, any number of them. `out` may be `in`. Time depends on `blocks` only. */
void @stem@_decrypt_blocks(const void *keys, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks);
@end
@end
@if ctr

/* Counter mode of SP 800-38A: out = in ^ E(counter) || E(counter + 1) || ... for any number of bytes. The counter is a
 * big-endian number of a whole block and wraps to zero. `out` may be `in`. Time depends on `length` and the counter only. */
void @stem@_ctr_xor(const void *keys, const unsigned char *counter, unsigned char *out, const unsigned char *in, size_t length);
@end
