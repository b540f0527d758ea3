
/* ---- @name@: a stream cipher with a state ---- */

/* Bytes of a key, of a nonce, of the state, and of the keystream that is made at once. */
#define @STEM@_KEY_BYTES @key@
#define @STEM@_NONCE_BYTES @nonce@
#define @STEM@_STATE_BYTES @state@
#define @STEM@_BLOCK_BYTES @block@

/* A stream: its state, the last keystream that was made, and how many bytes at its end were not used yet. It has no pointers
 * and may be copied. */
typedef struct @stem@_ctx {
    uint64_t made;
    unsigned char state[@STEM@_STATE_BYTES];
    unsigned char keystream[@STEM@_BLOCK_BYTES];
    size_t left;
} @stem@_ctx;

/* Bytes of a context in the library that is linked: what `sizeof` says, or the header is of another version. */
@API@size_t @stem@_ctx_bytes(void);

/* Begins a stream. No nonce may be used twice under one key. */
@API@int @stem@_init(@stem@_ctx *ctx, const unsigned char key[@STEM@_KEY_BYTES], const unsigned char nonce[@STEM@_NONCE_BYTES]);

/* Encrypts or decrypts the next `length` bytes of a stream: out = in ^ keystream. Calls continue each other at any byte. `out`
 * may be `in`; other overlaps are refused, and so is a context that was not made or was wiped: nothing is written then. Time
 * depends on lengths only. */
@API@int @stem@_xor(@stem@_ctx *ctx, unsigned char *out, const unsigned char *in, size_t length);

/* The same for the next `length` bytes of each of `streams` streams. It is fastest where all of them have had as many bytes
 * before. Nothing is written if a buffer or a context is refused; buffers of different streams must not overlap. */
@API@int @stem@_xor_batch(@stem@_ctx *ctx, unsigned char *const out[], const unsigned char *const in[], size_t length,
    size_t streams);

/* Overwrites a stream; functions then refuse it. */
@API@void @stem@_wipe(@stem@_ctx *ctx);
