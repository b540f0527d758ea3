
#define CONTEXT UINT64_C(@magic@)
enum { ABSORBING = 1, SQUEEZING = 2, OVER = 3 };

/* A message in pieces with what its parts are given. */
struct working {
    struct usuba_pieces pieces;
    const uint8_t *in[@inputs@];
    uint8_t *out[@outputs@];
    _Alignas(64) uint8_t prepared[@prepared@];
};

static void work_on(struct working *working, @stem@_ctx *ctx)
{
    size_t i;
    for (i = 0; i < @inputs@; i++)
        working->in[i] = nothing;
    for (i = 0; i < @outputs@; i++)
        working->out[i] = NULL;
@if made
    @symbol@_prepare(working->prepared);
@end
    working->pieces.lengths = ctx->lengths;
    working->pieces.prepared = working->prepared;
    working->pieces.kept = (uint8_t *)ctx->kept;
    working->pieces.in = working->in;
    working->pieces.out = working->out;
    working->pieces.held = ctx->held;
    working->pieces.waiting = &ctx->waiting;
}

static int run(usuba_stage *part, const struct working *working)
{
    const struct usuba_pieces *pieces = &working->pieces;
    return result_of(part(pieces->lengths, pieces->prepared, pieces->kept, working->in, working->out));
}

/* The message. */
static struct usuba_string message_string(void)
{
    struct usuba_string string = @message@;
    string.blocks = @symbol@_part1;
    string.count = @symbol@_count0;
    return string;
}

/* Whether a context is in this phase, else what is wrong with it. */
static int in_phase(const @stem@_ctx *ctx, uint64_t wanted)
{
    const uint64_t phase = ctx->state ^ CONTEXT;
    if (phase == wanted)
        return USUBA_OK;
    return phase >= ABSORBING && phase <= OVER ? USUBA_ERROR_STATE : USUBA_ERROR_CONTEXT;
}

int @stem@_update(@stem@_ctx *ctx, const unsigned char *in, size_t length)
{
    const struct usuba_string string = message_string();
    struct working working;
    size_t made;
    int result;
    if (ctx == NULL || (in == NULL && length > 0))
        return USUBA_ERROR_NULL;
    result = in_phase(ctx, ABSORBING);
    if (result != USUBA_OK)
        return result;
    work_on(&working, ctx);
    result = usuba_pieces_check(&string, &working.pieces, length, &made);
    if (result == USUBA_OK && length > 0)
        result = result_of(usuba_pieces_take(&string, &working.pieces, NULL, in, length));
    return result;
}

void @stem@_wipe(@stem@_ctx *ctx)
{
    if (ctx != NULL)
        usuba_wipe(ctx, sizeof *ctx);
}
