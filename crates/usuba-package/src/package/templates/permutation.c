struct engine {
    size_t batch;
    int (*permute)(unsigned char *, size_t);
};

@plans@
/* What a call works on. */
struct permutation {
    const struct usuba_plan *plan;
    unsigned char *states;
};

static int permutation_part(const void *work, size_t from, size_t count)
{
    const struct permutation *permutation = (const struct permutation *)work;
    unsigned char *states = permutation->states + from * @STEM@_STATE_BYTES;
    int result = USUBA_OK;
    while (result == USUBA_OK && count > 0) {
        const struct engine *engine = engines + usuba_engine_for(permutation->plan, count);
        const size_t share = usuba_share(count, engine->batch);
        result = engine->permute(states, share);
        count -= share;
        states += share * @STEM@_STATE_BYTES;
    }
    return result;
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
    permutation.plan = plans + usuba_level();
    permutation.states = states;
    return usuba_in_parts(permutation_part, &permutation, count, @STEM@_STATE_BYTES,
        engines[usuba_engine_for(permutation.plan, SIZE_MAX)].batch);
}
