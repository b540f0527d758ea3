
/* Bytes of a key, of a nonce, and of a block of keystream. */
#define @STEM@_KEY_BYTES @key@
#define @STEM@_NONCE_BYTES @nonce@
#define @STEM@_BLOCK_BYTES @block@

/* Encrypts or decrypts: out = in ^ keystream for any number of bytes, the keystream starting at block number `counter`. The
 * counter goes on modulo 2^@counter_bits@: it is for the caller to use no number twice under one key and nonce; more bytes
 * than there are numbers are refused. `out` may be `in`; other overlaps are refused, and so is a key or a nonce in `out`. Time
 * depends on `length` and `counter` only. */
@API@int @stem@_xor(const unsigned char key[@STEM@_KEY_BYTES], const unsigned char nonce[@STEM@_NONCE_BYTES],
    uint@counter_bits@_t counter, unsigned char *out, const unsigned char *in, size_t length);
