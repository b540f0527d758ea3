/* The state of a stream whose message has begun. */
#define BEGUN UINT64_C(@stream_magic@)

/* A message in pieces with what its parts are given. */
struct working {
    const struct code *code;
    struct keyed keyed;
    struct usuba_pieces pieces;
    const uint8_t *in[@stream_inputs@];
    uint8_t *out[@stream_outputs@];
};

/* A stream with the context of its key. */
static int work_on(struct working *working, @stem@_stream *stream, const @stem@_ctx *ctx)
{
    const uint8_t *key;
    if (stream == NULL || ctx == NULL)
        return USUBA_ERROR_NULL;
    working->code = code_for(ctx);
    if (working->code == NULL)
        return USUBA_ERROR_CONTEXT;
    memset(working->in, 0, sizeof working->in);
    memset(working->out, 0, sizeof working->out);
    key = key_for(working->code, &ctx->cipher, &working->keyed);
    working->in[@stream_key@] = key;
    working->pieces.lengths = stream->lengths;
    working->pieces.prepared = (const uint8_t *)ctx->prepared + @stream_place@;
    working->pieces.kept = (uint8_t *)stream->kept;
    working->pieces.in = working->in;
    working->pieces.out = working->out;
    working->pieces.held = stream->held;
    working->pieces.waiting = &stream->waiting;
    return USUBA_OK;
}

/* A stream whose message has begun. */
static int resume(struct working *working, @stem@_stream *stream, const @stem@_ctx *ctx)
{
    if (stream != NULL && stream->state != BEGUN)
        return USUBA_ERROR_CONTEXT;
    return work_on(working, stream, ctx);
}

static int run(usuba_stage *part, const struct working *working)
{
    const struct usuba_pieces *pieces = &working->pieces;
    return result_of(part(pieces->lengths, pieces->prepared, pieces->kept, working->in, working->out));
}

@if nonce
int @stem@_begin(@stem@_stream *stream, const @stem@_ctx *ctx, size_t tag_bytes, const unsigned char *nonce,
    size_t nonce_bytes)
@end
@if nonceless
int @stem@_begin(@stem@_stream *stream, const @stem@_ctx *ctx, size_t tag_bytes)
@end
{
    struct working working;
    int result = work_on(&working, stream, ctx);
@if nonce
    if (result == USUBA_OK)
        result = usuba_check_apart(stream, sizeof *stream, nonce, nonce_bytes);
@end
    if (result != USUBA_OK)
        return result;
    memset(stream, 0, sizeof *stream);
    stream->lengths[@stream_tag_length@] = tag_bytes;
@if nonce
    stream->lengths[@stream_nonce_length@] = nonce_bytes;
    working.in[@stream_nonce@] = nonce;
@end
    result = run(working.code->compute_parts[0], &working);
    if (result == USUBA_OK)
        stream->state = BEGUN;
    else
        usuba_wipe(stream, sizeof *stream);
    forget(&working.keyed);
    return result;
}

int @stem@_update(@stem@_stream *stream, const @stem@_ctx *ctx, const unsigned char *in,
    size_t length)
{
    struct working working;
    struct usuba_string string = @strings@;
    size_t made;
    int result = resume(&working, stream, ctx);
    if (result == USUBA_OK)
        result = usuba_check_apart(stream, sizeof *stream, in, length);
    if (result != USUBA_OK)
        return result;
    string.blocks = working.code->compute_parts[1];
    string.count = working.code->compute_counts[0];
    result = usuba_pieces_check(&string, &working.pieces, length, &made);
    if (result == USUBA_OK)
        result = result_of(usuba_pieces_take(&string, &working.pieces, NULL, in, length));
    forget(&working.keyed);
    return result;
}

int @stem@_end(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *tag,
    size_t tag_bytes)
{
    struct working working;
    const struct usuba_string string = @strings@;
    int result = resume(&working, stream, ctx);
    if (result != USUBA_OK)
        return result;
    if (tag_bytes != stream->lengths[@stream_tag_length@])
        return USUBA_ERROR_LENGTH;
    result = usuba_check_apart(stream, sizeof *stream, tag, tag_bytes);
    if (result != USUBA_OK)
        return result;
    working.in[string.in] = stream->held;
    working.out[@stream_tag@] = tag;
    result = run(working.code->compute_parts[2], &working);
    forget(&working.keyed);
    usuba_wipe(stream, sizeof *stream);
    return result;
}

void @stem@_stream_wipe(@stem@_stream *stream)
{
    if (stream != NULL)
        usuba_wipe(stream, sizeof *stream);
}

