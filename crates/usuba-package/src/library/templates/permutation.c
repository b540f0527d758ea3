struct engine {
    size_t batch;
    void (*permute)(unsigned char *, size_t);
};

@plans@
/* What a call works on. */
struct permutation {
    const struct usuba_step *steps;
    unsigned char *states;
};

static void permutation_part(const void *work, size_t from, size_t count)
{
    const struct permutation *permutation = (const struct permutation *)work;
    unsigned char *states = permutation->states + from * @STEM@_STATE_BYTES;
    while (count > 0) {
        const struct engine *engine = engines + usuba_engine_for(permutation->steps, count);
        const size_t share = usuba_share(count, engine->batch);
        engine->permute(states, share);
        count -= share;
        states += share * @STEM@_STATE_BYTES;
    }
}

int @stem@_permute(unsigned char *states, size_t count)
{
    struct permutation permutation;
    int result;
    if (count > SIZE_MAX / @STEM@_STATE_BYTES)
        return USUBA_ERROR_LENGTH;
    result = usuba_check(states, states, count * @STEM@_STATE_BYTES);
    if (result != USUBA_OK || count == 0)
        return result;
    permutation.steps = steps + plans[usuba_plan()];
    permutation.states = states;
    usuba_in_parts(permutation_part, &permutation, count, @STEM@_STATE_BYTES,
        engines[usuba_engine_for(permutation.steps, SIZE_MAX)].batch);
    return USUBA_OK;
}
