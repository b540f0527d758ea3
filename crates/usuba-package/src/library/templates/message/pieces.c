/* What a stream is doing, in the last byte of its state. */
enum { SEALING_AD = 1, SEALING = 2, OPENING_AD = 3, OPENING = 4 };

#define STREAM UINT64_C(@stream_magic@)

/* A message in pieces with what its parts are given. */
struct working {
    const struct code *code;
    struct keyed keyed;
    struct usuba_pieces pieces;
    const uint8_t *in[@stream_inputs@];
    uint8_t *out[@stream_outputs@];
};

/* A stream with the context of its key. */
static int work_on(struct working *working, @stem@_stream *stream, const @stem@_ctx *ctx, int opens)
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
    working->in[opens ? @open_key@ : @seal_key@] = key;
    working->pieces.lengths = stream->lengths;
    working->pieces.prepared = (const uint8_t *)ctx->prepared + (opens ? @open_place@ : @seal_place@);
    working->pieces.kept = (uint8_t *)stream->kept;
    working->pieces.in = working->in;
    working->pieces.out = working->out;
    working->pieces.held = stream->held;
    working->pieces.waiting = &stream->waiting;
    return USUBA_OK;
}

/* What a stream does; 0 if it was not begun or is over. */
static unsigned phase_of(const @stem@_stream *stream)
{
    const uint64_t phase = stream->state ^ STREAM;
    return phase <= OPENING ? (unsigned)phase : 0;
}

/* A stream that has to be in one of two phases, the second of which follows the first. */
static int resume(struct working *working, @stem@_stream *stream, const @stem@_ctx *ctx, unsigned first, unsigned second)
{
    unsigned phase;
    if (stream == NULL)
        return USUBA_ERROR_NULL;
    phase = phase_of(stream);
    if (phase == 0)
        return USUBA_ERROR_CONTEXT;
    if (phase != first && phase != second)
        return USUBA_ERROR_STATE;
    return work_on(working, stream, ctx, phase >= OPENING_AD);
}

static int run(usuba_stage *part, const struct working *working)
{
    const struct usuba_pieces *pieces = &working->pieces;
    return result_of(part(pieces->lengths, pieces->prepared, pieces->kept, working->in, working->out));
}

/* The string that comes. */
static struct usuba_string string_of(const struct code *code, unsigned phase)
{
    static const struct usuba_string strings[4] = {
        @strings@
    };
    struct usuba_string string = strings[phase - 1];
    usuba_stage *const *parts = phase >= OPENING_AD ? code->open_parts : code->seal_parts;
    usuba_taken *const *counts = phase >= OPENING_AD ? code->open_counts : code->seal_counts;
    const int text = phase == SEALING || phase == OPENING;
    string.blocks = parts[text ? 3 : 1];
    string.count = counts[text];
    return string;
}

/* Ends the associated data. */
static int end_ad(struct working *working, @stem@_stream *stream)
{
    const unsigned phase = phase_of(stream);
    int result;
    if (phase != SEALING_AD && phase != OPENING_AD)
        return USUBA_OK;
    working->in[string_of(working->code, phase).in] = stream->held;
    result = run((phase == OPENING_AD ? working->code->open_parts : working->code->seal_parts)[2], working);
    if (result == USUBA_OK) {
        stream->waiting = 0;
        stream->state = STREAM ^ (phase + 1);
    }
    return result;
}

static int begin(@stem@_stream *stream, const @stem@_ctx *ctx, size_t tag_bytes, const unsigned char *nonce,
    size_t nonce_bytes, int opens)
{
    struct working working;
    int result = work_on(&working, stream, ctx, opens);
    if (result == USUBA_OK)
        result = usuba_check_apart(stream, sizeof *stream, nonce, nonce_bytes);
    if (result != USUBA_OK)
        return result;
    memset(stream, 0, sizeof *stream);
    stream->lengths[opens ? @open_tag_length@ : @seal_tag_length@] = tag_bytes;
    stream->lengths[opens ? @open_nonce_length@ : @seal_nonce_length@] = nonce_bytes;
    working.in[opens ? @open_nonce@ : @seal_nonce@] = nonce;
    result = run((opens ? working.code->open_parts : working.code->seal_parts)[0], &working);
    if (result == USUBA_OK)
        stream->state = STREAM ^ (opens ? OPENING_AD : SEALING_AD);
    else
        usuba_wipe(stream, sizeof *stream);
    forget(&working.keyed);
    return result;
}

static int update(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *out, size_t *made,
    const unsigned char *in, size_t length, unsigned phase)
{
    struct working working;
    struct usuba_string string;
    size_t bytes;
    int result = resume(&working, stream, ctx, phase - 1, phase);
    if (result == USUBA_OK)
        result = made == NULL ? USUBA_ERROR_NULL : usuba_check_apart(stream, sizeof *stream, in, length);
    if (result != USUBA_OK)
        return result;
    string = string_of(working.code, phase);
    result = usuba_pieces_check(&string, &working.pieces, length, &bytes);
    if (result == USUBA_OK)
        result = usuba_check_apart(in, length, out, bytes);
    if (result == USUBA_OK)
        result = usuba_check_apart(stream, sizeof *stream, out, bytes);
    if (result == USUBA_OK)
        result = end_ad(&working, stream);
    if (result == USUBA_OK)
        result = result_of(usuba_pieces_take(&string, &working.pieces, out, in, length));
    if (result == USUBA_OK)
        *made = bytes;
    forget(&working.keyed);
    return result;
}

static int end(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *out, size_t *made, const unsigned char *given,
    unsigned char *tag, size_t tag_bytes, unsigned phase)
{
    struct working working;
    struct usuba_string string;
    size_t waiting;
    const int opens = phase == OPENING;
    int result = resume(&working, stream, ctx, phase - 1, phase);
    if (result != USUBA_OK)
        return result;
    if (made == NULL)
        return USUBA_ERROR_NULL;
    if (tag_bytes != stream->lengths[opens ? @open_tag_length@ : @seal_tag_length@])
        return USUBA_ERROR_LENGTH;
    waiting = phase_of(stream) == phase ? stream->waiting : 0;
    result = usuba_check_apart(stream, sizeof *stream, opens ? given : tag, tag_bytes);
    if (result == USUBA_OK)
        result = usuba_check_apart(stream, sizeof *stream, out, waiting);
    if (result == USUBA_OK)
        result = usuba_check_apart(out, waiting, opens ? given : tag, tag_bytes);
    if (result == USUBA_OK)
        result = end_ad(&working, stream);
    if (result != USUBA_OK) {
        forget(&working.keyed);
        return result;
    }
    string = string_of(working.code, phase);
    working.in[string.in] = stream->held;
    working.out[string.out] = out;
    if (opens)
        working.in[@open_tag@] = given;
    else
        working.out[@seal_tag@] = tag;
    result = run((opens ? working.code->open_parts : working.code->seal_parts)[4], &working);
    *made = result == USUBA_OK ? waiting : 0;
    forget(&working.keyed);
    usuba_wipe(stream, sizeof *stream);
    return result;
}

int @stem@_seal_begin(@stem@_stream *stream, const @stem@_ctx *ctx, size_t tag_bytes, const unsigned char *nonce,
    size_t nonce_bytes)
{
    return begin(stream, ctx, tag_bytes, nonce, nonce_bytes, 0);
}

int @stem@_open_begin(@stem@_stream *stream, const @stem@_ctx *ctx, size_t tag_bytes, const unsigned char *nonce,
    size_t nonce_bytes)
{
    return begin(stream, ctx, tag_bytes, nonce, nonce_bytes, 1);
}

int @stem@_ad(@stem@_stream *stream, const @stem@_ctx *ctx, const unsigned char *ad, size_t ad_length)
{
    struct working working;
    struct usuba_string string;
    size_t made;
    int result = resume(&working, stream, ctx, SEALING_AD, OPENING_AD);
    if (result == USUBA_OK)
        result = usuba_check_apart(stream, sizeof *stream, ad, ad_length);
    if (result != USUBA_OK)
        return result;
    string = string_of(working.code, phase_of(stream));
    result = usuba_pieces_check(&string, &working.pieces, ad_length, &made);
    if (result == USUBA_OK)
        result = result_of(usuba_pieces_take(&string, &working.pieces, NULL, ad, ad_length));
    forget(&working.keyed);
    return result;
}

int @stem@_seal_update(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *out, size_t *made,
    const unsigned char *in, size_t length)
{
    return update(stream, ctx, out, made, in, length, SEALING);
}

int @stem@_seal_end(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *out, size_t *made, unsigned char *tag,
    size_t tag_bytes)
{
    return end(stream, ctx, out, made, NULL, tag, tag_bytes, SEALING);
}

int @stem@_open_update_unverified(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *out, size_t *made,
    const unsigned char *in, size_t length)
{
    return update(stream, ctx, out, made, in, length, OPENING);
}

int @stem@_open_end(@stem@_stream *stream, const @stem@_ctx *ctx, unsigned char *out, size_t *made,
    const unsigned char *tag, size_t tag_bytes)
{
    return end(stream, ctx, out, made, tag, NULL, tag_bytes, OPENING);
}

void @stem@_stream_wipe(@stem@_stream *stream)
{
    if (stream != NULL)
        usuba_wipe(stream, sizeof *stream);
}

