
/* A message that comes in pieces. It has no pointers and may be copied, to go on in several ways; its members are private.
 *
 * Every function is given the context of the key, the same for all of the message. USUBA_ERROR_CONTEXT says that the stream
 * was not begun or is over; an error changes nothing, and what is over is wiped. */
typedef struct @stem@_stream {
    uint64_t state;
    size_t lengths[@stream_lengths@];
    size_t waiting;
    uint64_t kept[@stream_words@];
    unsigned char held[@stream_room@];
} @stem@_stream;

/* Begins a message with a tag of so many bytes. */
@if nonce
@API@int @stem@_begin(@stem@_stream *stream, const @stem@_ctx *ctx, size_t tag_bytes, const unsigned char *nonce,
    size_t nonce_bytes);
@end
@if nonceless
@API@int @stem@_begin(@stem@_stream *stream, const @stem@_ctx *ctx, size_t tag_bytes);
@end

/* Adds `length` bytes to the message, any number of times. */
@API@int @stem@_update(@stem@_stream *stream, const @stem@_ctx *ctx, const unsigned char *in,
    size_t length);

/* Ends the message and makes its tag. */
@API@int @stem@_end(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *tag,
    size_t tag_bytes);

/* Overwrites a stream that does not come to its end. */
@API@void @stem@_stream_wipe(@stem@_stream *stream);
