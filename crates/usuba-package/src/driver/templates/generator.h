
/* Bytes of the state, and of the keystream that is made at once. */
#define @STEM@_STATE_BYTES @state@
#define @STEM@_BLOCK_BYTES @block@
/* Streams that are worked on at once. */
#define @STEM@_BATCH @batch@

/* A stream: its state, the last keystream that was made, and how many bytes at its end were not used yet. It has no
 * pointers and may be copied. */
typedef struct @stem@_ctx {
    uint64_t made;
    unsigned char state[@STEM@_STATE_BYTES];
    unsigned char keystream[@STEM@_BLOCK_BYTES];
    size_t left;
} @stem@_ctx;

/* Begins a stream. No nonce may be used twice under one key. */
void @stem@_init(void *context, const unsigned char *key, const unsigned char *nonce);

/* Encrypts or decrypts the next `length` bytes of each of `streams` streams, which have a context, an output and an
 * input each: out = in ^ keystream. Calls continue each other at any byte. It is fastest where all streams have had
 * as many bytes before. `out` may be `in`; buffers of different streams must not overlap. Time depends on lengths only. */
void @stem@_xor_batch(void *context, unsigned char *const *out, const unsigned char *const *in, size_t length,
    size_t streams);
