/* Requests to NAME, a hash or an authenticator. PREFIX, which is a key or a customization string, and OUTPUT, the size of
 * the output, mean nothing where there are none. */

/* `D`, placement, sizes of output, prefix and message, prefix, message: the result and the output. */
static void NAME_one(void)
{
    const unsigned placement = take_byte();
    const size_t out_length = take_number(), prefix_length = take_number(), length = take_number();
    unsigned char *prefix = place(0, prefix_length, placement), *in = place(1, length, placement);
    unsigned char *out = place(2, out_length, placement);
    if (out_length > 0)
        memset(out, FRESH, out_length);
    take(prefix, prefix_length);
    take(in, length);
    give_result(NAME_CALL(out, out_length, prefix, prefix_length, in, length));
    give(out, out_length);
}

/* `I`, sizes of output, prefix and message, number of pieces of the message, of the output, their sizes, prefix, message:
 * the output. The context is another one for every piece. */
static void NAME_pieces(void)
{
    const size_t out_length = take_number(), prefix_length = take_number(), length = take_number();
    const size_t ins = take_number(), outs = take_number();
    size_t *sizes = (size_t *)fresh((ins + outs) * sizeof *sizes), i;
    unsigned char *prefix, *in, *out = fresh(out_length), *at;
    NAME_ctx contexts[2], *ctx = contexts;
    for (i = 0; i < ins + outs; i++)
        sizes[i] = take_number();
    prefix = taken(prefix_length);
    at = in = taken(length);
    memset(contexts, FRESH, sizeof contexts);
    if (NAME_INIT(ctx, prefix, prefix_length) != USUBA_OK)
        stop("no beginning");
    for (i = 0; i < ins + outs; i++) {
        NAME_ctx *next = &contexts[ctx == contexts];
        *next = *ctx;
        NAME_wipe(ctx);
        ctx = next;
        if (i == ins)
            at = out;
        if (i < ins ? NAME_update(ctx, at, sizes[i]) : NAME_END(ctx, at, sizes[i]))
            stop("a piece is not taken");
        at += sizes[i];
    }
    give(out, out_length);
    free(sizes);
    free(prefix);
    free(in);
    free(out);
}

#if NAME_HAS_BATCH
/* `B`, number of messages, and for each: sizes of output, prefix and message, prefix, message. The result of all, and for
 * each: its result and its output. */
static void NAME_many(void)
{
    const size_t count = take_number();
    NAME_message *messages = (NAME_message *)fresh(count * sizeof *messages);
    size_t *sizes = (size_t *)fresh(count * sizeof *sizes), i;
    unsigned char **outs = (unsigned char **)fresh(count * sizeof *outs);
    unsigned char **prefixes = (unsigned char **)fresh(count * sizeof *prefixes);
    for (i = 0; i < count; i++) {
        size_t prefix_length;
        sizes[i] = take_number();
        prefix_length = take_number();
        messages[i].length = take_number();
        prefixes[i] = taken(prefix_length);
        messages[i].in = taken(messages[i].length);
        outs[i] = fresh(sizes[i]);
        NAME_FILL(messages[i], outs[i], sizes[i], prefixes[i], prefix_length);
    }
    give_result(NAME_batch(count, messages));
    for (i = 0; i < count; i++) {
        give_result(messages[i].result);
        give(outs[i], sizes[i]);
        free((void *)messages[i].in);
        free(outs[i]);
        free(prefixes[i]);
    }
    free(messages);
    free(sizes);
    free(outs);
    free(prefixes);
}
#endif

static const char *NAME_bad_arguments(void)
{
    unsigned char text[320] = { 0 }, out[64], prefix[32] = { 1 };
    NAME_ctx ctx, other;
    memset(out, FRESH, sizeof out);
    if (NAME_CALL(NULL, 16, prefix, 32, text, 16) != USUBA_ERROR_NULL)
        return "a null output";
    if (NAME_CALL(out, 16, prefix, 32, NULL, 16) != USUBA_ERROR_NULL || out[0] != FRESH)
        return "a null message";
    if (NAME_INIT(NULL, prefix, 32) != USUBA_ERROR_NULL)
        return "a null context to begin with";
#if NAME_HAS_PREFIX
    if (NAME_CALL(out, 16, NULL, 32, text, 16) != USUBA_ERROR_NULL || NAME_INIT(&ctx, NULL, 32) != USUBA_ERROR_NULL)
        return "a null key or customization";
#endif
#ifdef NAME_LARGEST_PREFIX
    if (NAME_CALL(out, 16, text, NAME_LARGEST_PREFIX + 1, text, 16) != USUBA_ERROR_LENGTH || out[0] != FRESH ||
        NAME_INIT(&ctx, text, NAME_LARGEST_PREFIX + 1) != USUBA_ERROR_LENGTH)
        return "a customization that is too long";
#endif
    memset(&ctx, 0x5c, sizeof ctx);
    if (NAME_update(&ctx, text, 4) != USUBA_ERROR_CONTEXT || NAME_END(&ctx, out, 16) != USUBA_ERROR_CONTEXT)
        return "a context that was not initialised";
    if (NAME_INIT(&ctx, prefix, 32) != USUBA_OK)
        return "a beginning";
    if (NAME_update(NULL, text, 4) != USUBA_ERROR_NULL || NAME_update(&ctx, NULL, 4) != USUBA_ERROR_NULL ||
        NAME_END(NULL, out, 16) != USUBA_ERROR_NULL || NAME_END(&ctx, NULL, 16) != USUBA_ERROR_NULL)
        return "null pointers";
    if (NAME_update(&ctx, NULL, 0) != USUBA_OK)
        return "nothing at null";
    other = ctx;
    NAME_wipe(&other);
    NAME_wipe(NULL);
    if (NAME_update(&other, text, 4) != USUBA_ERROR_CONTEXT || NAME_END(&other, out, 16) != USUBA_ERROR_CONTEXT)
        return "a context that was wiped";
    if (out[0] != FRESH)
        return "bad arguments, but something was written";
    if (NAME_END(&ctx, out, 16) != USUBA_OK)
        return "an end";
    if (NAME_update(&ctx, text, 4) != USUBA_ERROR_STATE || NAME_update(&ctx, text, 0) != USUBA_ERROR_STATE)
        return "input after the end";
#if NAME_ENDS_ONCE
    memset(out, FRESH, sizeof out);
    if (NAME_END(&ctx, out, 16) != USUBA_ERROR_STATE || out[0] != FRESH)
        return "a second end";
#endif
    if (NAME_INIT(&ctx, prefix, 32) != USUBA_OK || NAME_update(&ctx, text, 4) != USUBA_OK)
        return "a second beginning";
    /* The output may lie in the message. */
    memset(text, 7, sizeof text);
    if (NAME_CALL(out, 16, prefix, 32, text, 100) != USUBA_OK || NAME_CALL(text + 8, 16, prefix, 32, text, 100) != USUBA_OK ||
        memcmp(out, text + 8, 16) != 0)
        return "an output in the message";
#if NAME_HAS_BATCH
    {
        NAME_message messages[3];
        unsigned char outs[3][64];
        size_t i;
        memset(outs, FRESH, sizeof outs);
        for (i = 0; i < 3; i++) {
            messages[i].in = text;
            messages[i].length = 10;
            NAME_FILL(messages[i], outs[i], 16, prefix, 32);
        }
        messages[1].in = NULL;
        if (NAME_batch(3, messages) != USUBA_ERROR_NULL)
            return "a batch with a null message";
        if (messages[0].result != USUBA_OK || messages[1].result != USUBA_ERROR_NULL || messages[2].result != USUBA_OK)
            return "the results of a batch";
        if (outs[1][0] != FRESH || memcmp(outs[0], outs[2], 64) != 0 || outs[0][0] == FRESH)
            return "the outputs of a batch";
        if (NAME_batch(0, NULL) != USUBA_OK || NAME_batch(1, NULL) != USUBA_ERROR_NULL)
            return "a batch without messages";
    }
#endif
    return "";
}

static void NAME_request(int what)
{
    if (what == 'D')
        NAME_one();
    else if (what == 'I')
        NAME_pieces();
#if NAME_HAS_BATCH
    else if (what == 'B')
        NAME_many();
#endif
    else if (what == 'E')
        give_message(NAME_bad_arguments());
    else
        stop("no such request");
}

