/* Counters in the registers of the kernel, and the number after them; how many batches are still to be done. */
struct counting {
    const void *keys;
    size_t left;
    unsigned char counter[@STEM@_BLOCK_BYTES];
@if kept
    struct usuba_count memory[@batches@];
@end
    @blocks@;
};

@counting@static void ctr_batch(void *context, unsigned char *out, const unsigned char *in)
{
    struct counting *state = (struct counting *)context;
    @results@;
@if turns
    const @key@ *keys = (const @key@ *)usuba_turn_keys(state->keys);
    const size_t turns = usuba_turns(state->keys);
    @symbol@(state->blocks, @key_arguments@, results@turns@);
@end
@if no_turns
    @symbol@(state->blocks, (const @key@ *)state->keys, results);
@end
    if (--state->left > 0)
        count(state, @STEM@_BATCH);
    @unpack@
}

