struct engine {
    size_t batch;
    void (*xor_bytes)(const unsigned char *, const unsigned char *, uint@counter_bits@_t, unsigned char *,
        const unsigned char *, size_t);
};

@plans@
/* What a call works on. */
struct stream {
    const struct usuba_step *steps;
    const unsigned char *key, *nonce;
    uint@counter_bits@_t counter;
    unsigned char *out;
    const unsigned char *in;
    size_t length;
};

USUBA_INLINE void stream_part(const void *work, size_t from, size_t blocks)
{
    const struct stream *stream = (const struct stream *)work;
    const size_t start = from * @STEM@_BLOCK_BYTES;
    const size_t most = stream->length - start;
    size_t length = blocks > most / @STEM@_BLOCK_BYTES ? most : blocks * @STEM@_BLOCK_BYTES;
    unsigned char *out = stream->out + start;
    const unsigned char *in = stream->in + start;
    uint@counter_bits@_t counter = (uint@counter_bits@_t)(stream->counter + from);
    while (length > 0) {
        const struct engine *engine = engines + usuba_engine_for(stream->steps, blocks);
        const size_t share = usuba_share(blocks, engine->batch);
        const size_t bytes = share == blocks ? length : share * @STEM@_BLOCK_BYTES;
        engine->xor_bytes(stream->key, stream->nonce, counter, out, in, bytes);
        counter = (uint@counter_bits@_t)(counter + share);
        blocks -= share;
        length -= bytes;
        out += bytes;
        in += bytes;
    }
}

int @stem@_xor(const unsigned char key[@STEM@_KEY_BYTES], const unsigned char nonce[@STEM@_NONCE_BYTES],
    uint@counter_bits@_t counter, unsigned char *out, const unsigned char *in, size_t length)
{
    struct stream stream;
    int result;
    if (key == NULL || nonce == NULL)
        return USUBA_ERROR_NULL;
@if short_counter
    if (length > 0 && (uint64_t)(length - 1) / @STEM@_BLOCK_BYTES > UINT@counter_bits@_MAX)
        return USUBA_ERROR_LENGTH;
@end
    result = usuba_check_stream(key, @STEM@_KEY_BYTES, nonce, @STEM@_NONCE_BYTES, out, in, length);
    if (result != USUBA_OK || length == 0)
        return result;
    stream.steps = steps + plans[usuba_plan()];
    stream.key = key;
    stream.nonce = nonce;
    stream.counter = counter;
    stream.out = out;
    stream.in = in;
    stream.length = length;
    usuba_in_parts(stream_part, &stream, (length - 1) / @STEM@_BLOCK_BYTES + 1, @STEM@_BLOCK_BYTES,
        engines[usuba_engine_for(stream.steps, SIZE_MAX)].batch);
    return USUBA_OK;
}
