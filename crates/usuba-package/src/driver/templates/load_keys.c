void @stem@_load_keys(void *ctx, const unsigned char round_keys[@STEM@_ROUND_KEY_BYTES])
{
    load((@stem@_ctx *)ctx, round_keys);
}
