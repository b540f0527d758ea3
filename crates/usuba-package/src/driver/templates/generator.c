/* The state of a stream that begins. */
static void first_state(unsigned char *state, const unsigned char *key, const unsigned char *nonce)
{
    @keys@;
    @nonces@;
    @out@;
    @key_from_bytes@
    @nonce_from_bytes@
    @initialise@(keys, nonces, out);
    @to_bytes@
    usuba_wipe(keys, sizeof keys);
    usuba_wipe(out, sizeof out);
}

static void load_states(@states_element@ *states, const unsigned char *in)
{
    @load_states@
}

static void store_states(@next_element@ *states, unsigned char *out)
{
    @store_states@
}

static void store_keystream(@keystream_element@ *keystream, unsigned char *out)
{
    @store_keystream@
}

/* Where states are among those of a batch so that their keystreams come one after another: blocks of 8 bytes and
 * longer ones go to instances in different orders. `size` is that of a register. */
static void find_places(size_t *places, size_t size)
{
    size_t j;
    for (j = 0; j < @STEM@_BATCH; j++) {
        const size_t instance = j % @instances@, batch = j - instance;
        places[batch + usuba_block_of(instance, @instances@, size, @STEM@_BLOCK_BYTES)] =
            batch + usuba_block_of(instance, @instances@, size, @STEM@_STATE_BYTES);
    }
}

static void add(unsigned char *out, const unsigned char *in, const unsigned char *keystream, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++)
        out[i] = in[i] ^ keystream[i];
}

/* `length` bytes of each of `streams` streams, at most a batch, that have as many bytes left of their last words. */
static void go_on(@stem@_ctx *ctx, unsigned char *const *out, const unsigned char *const *in, size_t length,
                  size_t streams)
{
    unsigned char states[@STEM@_BATCH * @STEM@_STATE_BYTES], words[@STEM@_BATCH * @STEM@_BLOCK_BYTES];
    size_t places[@STEM@_BATCH];
    @registers@;
    @next@;
    @keystream@;
    const size_t left = ctx[0].left;
    size_t done = length < left ? length : left, part = 0, s;
    for (s = 0; s < streams; s++) {
        add(out[s], in[s], ctx[s].keystream + @STEM@_BLOCK_BYTES - left, done);
        ctx[s].left -= done;
    }
    if (done == length)
        return;
    find_places(places, sizeof registers[0]);
    memset(states, 0, sizeof states);
    for (s = 0; s < streams; s++)
        memcpy(states + places[s] * @STEM@_STATE_BYTES, ctx[s].state, @STEM@_STATE_BYTES);
    load_states(registers, states);
    for (; done < length; done += part) {
        @generate@(registers, next, keystream);
        memcpy(registers, next, sizeof registers);
        store_keystream(keystream, words);
        part = length - done < @STEM@_BLOCK_BYTES ? length - done : @STEM@_BLOCK_BYTES;
        for (s = 0; s < streams; s++)
            add(out[s] + done, in[s] + done, words + s * @STEM@_BLOCK_BYTES, part);
    }
    store_states(next, states);
    for (s = 0; s < streams; s++) {
        memcpy(ctx[s].state, states + places[s] * @STEM@_STATE_BYTES, @STEM@_STATE_BYTES);
        memcpy(ctx[s].keystream, words + s * @STEM@_BLOCK_BYTES, @STEM@_BLOCK_BYTES);
        ctx[s].left = @STEM@_BLOCK_BYTES - part;
    }
    usuba_wipe(states, sizeof states);
    usuba_wipe(words, sizeof words);
    usuba_wipe(registers, sizeof registers);
    usuba_wipe(next, sizeof next);
    usuba_wipe(keystream, sizeof keystream);
}

void @stem@_init(void *context, const unsigned char *key, const unsigned char *nonce)
{
    @stem@_ctx *ctx = (@stem@_ctx *)context;
    first_state(ctx->state, key, nonce);
    memset(ctx->keystream, 0, sizeof ctx->keystream);
    ctx->left = 0;
    ctx->made = USUBA_CONTEXT_MADE;
}

void @stem@_xor_batch(void *context, unsigned char *const *out, const unsigned char *const *in, size_t length,
    size_t streams)
{
    @stem@_ctx *ctx = (@stem@_ctx *)context;
    size_t first, count;
    for (first = 0; first < streams && length > 0; first += count) {
        for (count = 1; count < @STEM@_BATCH && first + count < streams; count++)
            if (ctx[first + count].left != ctx[first].left)
                break;
        go_on(ctx + first, out + first, in + first, length, count);
    }
}
