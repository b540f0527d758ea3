
static int @id@_xor_bytes(const unsigned char *key, const unsigned char *nonce, uint64_t counter, unsigned char *out,
    const unsigned char *in, size_t length)
{
@if short_counter
    if (counter > UINT@counter_bits@_MAX)
        return USUBA_ERROR_LENGTH;
@end
    return @stem@_xor(key, nonce, (uint@counter_bits@_t)counter, out, in, length);
}

static const @prefix@primitive @id@_row = {
    "@name@", @PREFIX@KIND_STREAM,
    { .stream = {
        .key_bytes = @STEM@_KEY_BYTES,
        .nonce_bytes = @STEM@_NONCE_BYTES,
        .counter_bytes = @counter@,
        .block_bytes = @STEM@_BLOCK_BYTES,
        .xor_bytes = @id@_xor_bytes,
    } }
};
