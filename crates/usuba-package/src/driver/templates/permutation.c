static void permute_batch(void *context, unsigned char *out, const unsigned char *in)
{
    @states@;
    @results@;
    (void)context;
    @pack@
    @symbol@(states, results);
    @unpack@
}

void @stem@_permute(unsigned char *states, size_t count)
{
    unsigned char scratch[@STEM@_BATCH * @STEM@_STATE_BYTES];
    usuba_batches(permute_batch, NULL, states, states, count * @STEM@_STATE_BYTES, sizeof scratch, scratch);
}
