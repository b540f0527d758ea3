
/* A message that comes in pieces. It has no pointers and may be copied, to go on in several ways; its members are private.
 *
 * A message begins with @stem@_seal_begin or @stem@_open_begin; then come its associated data, if there are any, then its
 * text, both in any number of pieces of any size, and then its end. Every function is given the context of the key, the same
 * for all of the message. USUBA_ERROR_STATE says that a function is not next, USUBA_ERROR_CONTEXT that the stream was not
 * begun or is over; an error but USUBA_ERROR_TAG changes nothing, and what is over is wiped. */
typedef struct @stem@_stream {
    uint64_t state;
    size_t lengths[@stream_lengths@];
    size_t waiting;
    uint64_t kept[@stream_words@];
    unsigned char held[@stream_room@];
} @stem@_stream;

/* Bytes of text that may wait at most until more of it comes. */
#define @STEM@_HELD_BYTES @stream_held@

/* Begins a message that is sealed, or opened, with a tag of so many bytes. */
@API@int @stem@_seal_begin(@stem@_stream *stream, const @stem@_ctx *ctx, size_t tag_bytes, const unsigned char *nonce,
    size_t nonce_bytes);
@API@int @stem@_open_begin(@stem@_stream *stream, const @stem@_ctx *ctx, size_t tag_bytes, const unsigned char *nonce,
    size_t nonce_bytes);

/* Adds associated data, before any text. */
@API@int @stem@_ad(@stem@_stream *stream, const @stem@_ctx *ctx, const unsigned char *ad, size_t ad_length);

/* Encrypts `length` bytes more, and what has waited, to `made` bytes at `out`, which has room for @STEM@_HELD_BYTES bytes
 * more than `length`. `out` must not overlap `in`. */
@API@int @stem@_seal_update(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *out, size_t *made,
    const unsigned char *in, size_t length);

/* Encrypts what waits, to `made` bytes at `out`, @STEM@_HELD_BYTES at most, and makes the tag. */
@API@int @stem@_seal_end(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *out, size_t *made,
    unsigned char *tag, size_t tag_bytes);

/* Decrypts as @stem@_seal_update encrypts. What it writes is not yet authentic: anyone may have made it up. Nobody must act
 * on it, nor show it, before @stem@_open_end has returned USUBA_OK; and if that returns USUBA_ERROR_TAG, all of it must be
 * thrown away. Where the whole message fits in memory, use @stem@_open. */
@API@int @stem@_open_update_unverified(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *out, size_t *made,
    const unsigned char *in, size_t length);

/* Decrypts what waits, and says whether all of the message is authentic: if not it returns USUBA_ERROR_TAG, and `made` is 0. */
@API@int @stem@_open_end(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *out, size_t *made,
    const unsigned char *tag, size_t tag_bytes);

/* Overwrites a stream that does not come to its end. */
@API@void @stem@_stream_wipe(@stem@_stream *stream);
