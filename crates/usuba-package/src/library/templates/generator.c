struct engine {
    size_t batch;
    void (*init)(void *, const unsigned char *, const unsigned char *);
    void (*xor_batch)(void *, unsigned char *const *, const unsigned char *const *, size_t, size_t);
};

@plans@
int @stem@_init(@stem@_ctx *ctx, const unsigned char key[@STEM@_KEY_BYTES], const unsigned char nonce[@STEM@_NONCE_BYTES])
{
    if (ctx == NULL || key == NULL || nonce == NULL)
        return USUBA_ERROR_NULL;
    engines[usuba_engine_for(steps + plans[usuba_plan()], 1)].init(ctx, key, nonce);
    return USUBA_OK;
}

int @stem@_xor(@stem@_ctx *ctx, unsigned char *out, const unsigned char *in, size_t length)
{
    if (ctx == NULL)
        return USUBA_ERROR_NULL;
    return @stem@_xor_batch(ctx, &out, &in, length, 1);
}

int @stem@_xor_batch(@stem@_ctx *ctx, unsigned char *const out[], const unsigned char *const in[], size_t length,
    size_t streams)
{
    const struct usuba_step *list = steps + plans[usuba_plan()];
    int result = USUBA_OK;
    size_t stream;
    if (streams > 0 && (ctx == NULL || out == NULL || in == NULL))
        return USUBA_ERROR_NULL;
    for (stream = 0; stream < streams && result == USUBA_OK; stream++)
        result = ctx[stream].made == USUBA_CONTEXT_MADE ? usuba_check(out[stream], in[stream], length)
                                                        : USUBA_ERROR_CONTEXT;
    while (result == USUBA_OK && streams > 0) {
        const struct engine *engine = engines + usuba_engine_for(list, streams);
        const size_t share = usuba_share(streams, engine->batch);
        engine->xor_batch(ctx, out, in, length, share);
        streams -= share;
        ctx += share;
        out += share;
        in += share;
    }
    return result;
}

size_t @stem@_ctx_bytes(void)
{
    return sizeof(@stem@_ctx);
}

void @stem@_wipe(@stem@_ctx *ctx)
{
    if (ctx != NULL)
        usuba_wipe(ctx, sizeof *ctx);
}
