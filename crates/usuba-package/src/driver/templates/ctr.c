
void @stem@_ctr_xor(const void *keys, const unsigned char *counter, unsigned char *out, const unsigned char *in, size_t length)
{
    struct counting state;
    unsigned char scratch[@STEM@_BATCH * @STEM@_BLOCK_BYTES];
    state.keys = keys;
    state.left = usuba_batches_of(length, sizeof scratch);
    usuba_counter_copy(state.counter, counter, sizeof state.counter);
    count(&state, 0);
    usuba_batches(ctr_batch, &state, out, in, length, sizeof scratch, scratch);
}
