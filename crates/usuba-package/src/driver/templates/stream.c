/* Key and nonce in the form in which the kernel reads them, counters in its registers, and the number after them; how many
 * batches are still to be done. */
struct counting {
    @keys@;
    @nonces@;
    size_t left;
    unsigned char counter[@counter@];
@if kept
    struct usuba_count memory[@batches@];
@end
    @counters@;
};

@counting@static void xor_batch(void *context, unsigned char *out, const unsigned char *in)
{
    struct counting *state = (struct counting *)context;
    @results@;
    @symbol@(state->key, state->counters, state->nonce, results);
    if (--state->left > 0)
        count(state, @STEM@_BATCH);
    @unpack@
}

void @stem@_xor(const unsigned char *key, const unsigned char *nonce, uint@counter_bits@_t counter, unsigned char *out,
    const unsigned char *in, size_t length)
{
    struct counting state;
    unsigned char scratch[@STEM@_BATCH * @STEM@_BLOCK_BYTES];
    @key_from_bytes@
    @nonce_from_bytes@
    state.left = usuba_batches_of(length, sizeof scratch);
    usuba_store_part(state.counter, counter, sizeof state.counter);
    count(&state, 0);
    usuba_batches(xor_batch, &state, out, in, length, sizeof scratch, scratch);
    usuba_wipe(&state, sizeof state);
}
