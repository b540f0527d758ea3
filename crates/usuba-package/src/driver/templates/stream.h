
/* Bytes of a block of keystream. */
#define @STEM@_BLOCK_BYTES @block@
/* Blocks that are worked on at once. */
#define @STEM@_BATCH @batch@

/* Encrypts or decrypts: out = in ^ keystream for any number of bytes, the keystream starting at block number `counter`,
 * which goes on modulo 2^@counter_bits@. `out` may be `in`. Time depends on `length` and `counter` only. */
void @stem@_xor(const unsigned char *key, const unsigned char *nonce, uint@counter_bits@_t counter, unsigned char *out,
    const unsigned char *in, size_t length);
