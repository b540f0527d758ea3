struct engine {
    size_t batch;
    int (*xor_bytes)(const unsigned char *, const unsigned char *, uint@counter_bits@_t, unsigned char *,
        const unsigned char *, size_t);
};

@plans@
int @stem@_xor(const unsigned char key[@STEM@_KEY_BYTES], const unsigned char nonce[@STEM@_NONCE_BYTES],
    uint@counter_bits@_t counter, unsigned char *out, const unsigned char *in, size_t length)
{
    const struct usuba_plan *plan = plans + usuba_level();
    int result;
    if (key == NULL || nonce == NULL)
        return USUBA_ERROR_NULL;
@if short_counter
    if (length > 0 && (uint64_t)(length - 1) / @STEM@_BLOCK_BYTES > UINT@counter_bits@_MAX)
        return USUBA_ERROR_LENGTH;
@end
    result = usuba_check(out, in, length);
    while (result == USUBA_OK && length > 0) {
        const size_t blocks = (length - 1) / @STEM@_BLOCK_BYTES + 1;
        const struct engine *engine = engines + usuba_engine_for(plan, blocks);
        const size_t share = usuba_share(blocks, engine->batch);
        const size_t bytes = share == blocks ? length : share * @STEM@_BLOCK_BYTES;
        result = engine->xor_bytes(key, nonce, counter, out, in, bytes);
        counter = (uint@counter_bits@_t)(counter + share);
        length -= bytes;
        out += bytes;
        in += bytes;
    }
    return result;
}
