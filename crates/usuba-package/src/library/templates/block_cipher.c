struct engine {
    size_t batch;
    /* Bytes of round keys as kernels read them, and what makes them; NULL if they are read as they are specified. */
    size_t key_bytes;
    void (*load[@directions@])(void *, const unsigned char *);
@if ecb
    /* What encrypts, and what decrypts. */
    void (*apply[@directions@])(const void *, @tweaks@unsigned char *, const unsigned char *, size_t);
@end
@if ctr
    void (*ctr_xor)(const void *, const unsigned char *, unsigned char *, const unsigned char *, size_t);
@end
};

@plans@
@if messages
USUBA_HIDDEN void @stem@_loaded_blocks(const @stem@_ctx *ctx, struct usuba_loaded *loaded, size_t direction,
    unsigned char *out, const unsigned char *in, size_t blocks);

@end
@schedule@
int @stem@_init(@stem@_ctx *ctx, const unsigned char key[@STEM@_KEY_BYTES])
{
    if (ctx == NULL || key == NULL)
        return USUBA_ERROR_NULL;
@run_schedule@
    ctx->state = UINT64_C(@magic@) | usuba_plan();
    return USUBA_OK;
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

@if decryption_keys
/* What an engine reads to work in a direction. Engines encrypt: to decrypt they read other round keys. */
static const void *keys_for(struct usuba_loaded *loaded, const struct engine *engine, size_t direction)
{
    void (*const load)(void *, const unsigned char *) = engine->load[0];
    if (load == NULL && direction == 0)
        return loaded->round_keys;
    if (load != loaded->load || direction != loaded->direction) {
        loaded->load = load;
        loaded->direction = direction;
        if (direction == 0) {
            load(loaded->memory, loaded->round_keys);
        } else if (load == NULL) {
            decryption_keys((unsigned char *)loaded->memory, loaded->round_keys);
        } else {
            unsigned char others[@round_keys@];
            decryption_keys(others, loaded->round_keys);
            load(loaded->memory, others);
            usuba_wipe_many(others, sizeof others);
        }
        if (loaded->bytes < engine->key_bytes)
            loaded->bytes = engine->key_bytes;
    }
    return loaded->memory;
}
@end
@if keys_for_directions
/* What an engine reads to work in a direction. */
static const void *keys_for(struct usuba_loaded *loaded, const struct engine *engine, size_t direction)
{
    if (engine->load[direction] == NULL)
        return loaded->round_keys;
    if (engine->load[direction] != loaded->load) {
        loaded->load = engine->load[direction];
        loaded->load(loaded->memory, loaded->round_keys);
        if (loaded->bytes < engine->key_bytes)
            loaded->bytes = engine->key_bytes;
    }
    return loaded->memory;
}
@end
@if ecb

/* Blocks by themselves. */
struct ecb {
    const @stem@_ctx *ctx;
    const struct usuba_step *steps;
    size_t direction;
@if tweak
    const unsigned char *tweaks;
@end
    unsigned char *out;
    const unsigned char *in;
};

static void ecb_share(const struct ecb *ecb, struct usuba_loaded *loaded, size_t from, size_t blocks)
{
    unsigned char *out = ecb->out + from * @STEM@_BLOCK_BYTES;
    const unsigned char *in = ecb->in + from * @STEM@_BLOCK_BYTES;
@if tweak
    const unsigned char *tweaks = ecb->tweaks + from * @STEM@_TWEAK_BYTES;
@end
    while (blocks > 0) {
        const struct engine *engine = engines + usuba_engine_for(ecb->steps, blocks);
        const size_t share = usuba_share(blocks, engine->batch);
        engine->apply[@applied@](keys_for(loaded, engine, ecb->direction), @given@out, in, share);
        blocks -= share;
        out += share * @STEM@_BLOCK_BYTES;
        in += share * @STEM@_BLOCK_BYTES;
@if tweak
        tweaks += share * @STEM@_TWEAK_BYTES;
@end
    }
}

static void ecb_part(const void *work, size_t from, size_t blocks)
{
    const struct ecb *ecb = (const struct ecb *)work;
    uint64_t memory[LOADED_WORDS];
    struct usuba_loaded loaded = { NULL, NULL, 0, NULL, 0 };
    loaded.round_keys = ecb->ctx->keys;
    loaded.memory = memory;
    ecb_share(ecb, &loaded, from, blocks);
    if (loaded.bytes > 0)
        usuba_wipe(memory, loaded.bytes);
}

static int ecb_blocks(const @stem@_ctx *ctx, size_t direction, @tweaks@unsigned char *out, const unsigned char *in,
    size_t blocks)
{
    struct ecb ecb;
    int plan, result;
    if (ctx == NULL)
        return USUBA_ERROR_NULL;
    plan = usuba_context_plan(ctx->state, UINT64_C(@magic@), sizeof plans / sizeof plans[0]);
    if (plan < 0)
        return USUBA_ERROR_CONTEXT;
    if (blocks > SIZE_MAX / @STEM@_BLOCK_BYTES)
        return USUBA_ERROR_LENGTH;
@if tweak
    if (blocks > SIZE_MAX / @STEM@_TWEAK_BYTES)
        return USUBA_ERROR_LENGTH;
@end
    result = usuba_check(out, in, blocks * @STEM@_BLOCK_BYTES);
@if tweak
    if (result == USUBA_OK)
        result = usuba_check_apart(out, blocks * @STEM@_BLOCK_BYTES, tweaks, blocks * @STEM@_TWEAK_BYTES);
@end
    if (result != USUBA_OK || blocks == 0)
        return result;
    ecb.ctx = ctx;
    ecb.steps = steps + plans[plan];
    ecb.direction = direction;
@if tweak
    ecb.tweaks = tweaks;
@end
    ecb.out = out;
    ecb.in = in;
    usuba_in_parts(ecb_part, &ecb, blocks, @STEM@_BLOCK_BYTES, engines[usuba_engine_for(ecb.steps, SIZE_MAX)].batch);
    return USUBA_OK;
}

@if messages
/* For modes, which call this often: what was loaded stays. */
void @stem@_loaded_blocks(const @stem@_ctx *ctx, struct usuba_loaded *loaded, size_t direction, unsigned char *out,
    const unsigned char *in, size_t blocks)
{
    const int plan = usuba_context_plan(ctx->state, UINT64_C(@magic@), sizeof plans / sizeof plans[0]);
    struct ecb ecb;
    size_t batch;
    if (plan < 0 || blocks == 0)
        return;
    ecb.ctx = ctx;
    ecb.steps = steps + plans[plan];
    ecb.direction = direction;
    ecb.out = out;
    ecb.in = in;
    batch = engines[usuba_engine_for(ecb.steps, SIZE_MAX)].batch;
    if (blocks < 2 * batch)
        ecb_share(&ecb, loaded, 0, blocks);
    else
        usuba_in_parts(ecb_part, &ecb, blocks, @STEM@_BLOCK_BYTES, batch);
}

@end
int @stem@_encrypt_blocks(const @stem@_ctx *ctx, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks)
{
    return ecb_blocks(ctx, 0, @given@out, in, blocks);
}
@if decrypt

int @stem@_decrypt_blocks(const @stem@_ctx *ctx, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks)
{
    return ecb_blocks(ctx, 1, @given@out, in, blocks);
}
@end
@end
@if ctr

/* Counter mode. */
struct ctr {
    const @stem@_ctx *ctx;
    const struct usuba_step *steps;
    const unsigned char *counter;
    unsigned char *out;
    const unsigned char *in;
    size_t length;
};

USUBA_INLINE void ctr_part(const void *work, size_t from, size_t blocks)
{
    const struct ctr *ctr = (const struct ctr *)work;
    const size_t start = from * @STEM@_BLOCK_BYTES;
    const size_t most = ctr->length - start;
    size_t length = blocks > most / @STEM@_BLOCK_BYTES ? most : blocks * @STEM@_BLOCK_BYTES;
    unsigned char *out = ctr->out + start;
    const unsigned char *in = ctr->in + start;
    unsigned char counter[@STEM@_BLOCK_BYTES];
    uint64_t memory[LOADED_WORDS];
    struct usuba_loaded loaded = { NULL, NULL, 0, NULL, 0 };
    loaded.round_keys = ctr->ctx->keys;
    loaded.memory = memory;
    usuba_counter_copy(counter, ctr->counter, sizeof counter);
    usuba_counter_add(counter, sizeof counter, 1, from);
    while (length > 0) {
        const struct engine *engine = engines + usuba_engine_for(ctr->steps, blocks);
        const size_t share = usuba_share(blocks, engine->batch);
        const size_t bytes = share == blocks ? length : share * @STEM@_BLOCK_BYTES;
        engine->ctr_xor(keys_for(&loaded, engine, 0), counter, out, in, bytes);
        usuba_counter_add(counter, sizeof counter, 1, share);
        blocks -= share;
        length -= bytes;
        out += bytes;
        in += bytes;
    }
    if (loaded.bytes > 0)
        usuba_wipe(memory, loaded.bytes);
}

int @stem@_ctr_xor(const @stem@_ctx *ctx, unsigned char counter[@STEM@_BLOCK_BYTES], unsigned char *out,
    const unsigned char *in, size_t length)
{
    struct ctr ctr;
    size_t blocks;
    int plan, result;
    if (ctx == NULL || counter == NULL)
        return USUBA_ERROR_NULL;
    plan = usuba_context_plan(ctx->state, UINT64_C(@magic@), sizeof plans / sizeof plans[0]);
    if (plan < 0)
        return USUBA_ERROR_CONTEXT;
    result = usuba_check_counter(counter, @STEM@_BLOCK_BYTES, out, in, length);
    if (result != USUBA_OK || length == 0)
        return result;
    blocks = (length - 1) / @STEM@_BLOCK_BYTES + 1;
    ctr.ctx = ctx;
    ctr.steps = steps + plans[plan];
    ctr.counter = counter;
    ctr.out = out;
    ctr.in = in;
    ctr.length = length;
    usuba_in_parts(ctr_part, &ctr, blocks, @STEM@_BLOCK_BYTES, engines[usuba_engine_for(ctr.steps, SIZE_MAX)].batch);
    usuba_counter_add(counter, @STEM@_BLOCK_BYTES, 1, blocks);
    return USUBA_OK;
}

int @stem@_ctr32_xor(const @stem@_ctx *ctx, unsigned char counter[@STEM@_BLOCK_BYTES], unsigned char *out,
    const unsigned char *in, size_t length)
{
    unsigned char first[@STEM@_BLOCK_BYTES];
    int result;
    if (ctx == NULL || counter == NULL)
        return USUBA_ERROR_NULL;
    if (usuba_context_plan(ctx->state, UINT64_C(@magic@), sizeof plans / sizeof plans[0]) < 0)
        return USUBA_ERROR_CONTEXT;
    if (usuba_overruns(length, @STEM@_BLOCK_BYTES))
        return USUBA_ERROR_LENGTH;
    result = usuba_check_counter(counter, @STEM@_BLOCK_BYTES, out, in, length);
    if (result != USUBA_OK)
        return result;
    memcpy(first, counter, sizeof first);
    do {
        const size_t bytes = usuba_before_wrap(counter + @STEM@_BLOCK_BYTES - 4, @STEM@_BLOCK_BYTES, length);
        result = @stem@_ctr_xor(ctx, counter, out, in, bytes);
        /* What carried out of the last four bytes is lost. */
        memcpy(counter, first, sizeof first - 4);
        length -= bytes;
        if (length > 0) {
            out += bytes;
            in += bytes;
        }
    } while (result == USUBA_OK && length > 0);
    return result;
}
@end
