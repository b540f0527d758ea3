/* Blocks to come with their tweaks, one for each. */
struct tweaking {
    const void *keys;
    const unsigned char *tweaks;
    size_t blocks;
};

/* The tweaks of the next batch; of one that is not full in `last`, those that there are. */
static const unsigned char *next_tweaks(struct tweaking *state, unsigned char *last)
{
    const unsigned char *tweaks = state->tweaks;
    if (state->blocks < @STEM@_BATCH) {
        memset(last, 0, @STEM@_BATCH * @STEM@_TWEAK_BYTES);
        memcpy(last, tweaks, state->blocks * @STEM@_TWEAK_BYTES);
        return last;
    }
    state->tweaks += @STEM@_BATCH * @STEM@_TWEAK_BYTES;
    state->blocks -= @STEM@_BATCH;
    return tweaks;
}

