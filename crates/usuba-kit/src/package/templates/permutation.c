struct engine {
    size_t batch;
    int (*permute)(unsigned char *, size_t);
};

@plans@
int @stem@_permute(unsigned char *states, size_t count)
{
    const struct usuba_plan *plan = plans + usuba_level();
    int result;
    if (count > SIZE_MAX / @STEM@_STATE_BYTES)
        return USUBA_ERROR_LENGTH;
    result = usuba_check(states, states, count * @STEM@_STATE_BYTES);
    while (result == USUBA_OK && count > 0) {
        const struct engine *engine = engines + usuba_engine_for(plan, count);
        const size_t share = usuba_share(count, engine->batch);
        result = engine->permute(states, share);
        count -= share;
        states += share * @STEM@_STATE_BYTES;
    }
    return result;
}
