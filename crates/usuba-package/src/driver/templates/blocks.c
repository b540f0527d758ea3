
void @stem@_@direction@_blocks(const void *ctx, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks)
{
    unsigned char scratch[@STEM@_BATCH * @STEM@_BLOCK_BYTES];
@if tweak
    struct tweaking state = { (const @stem@_ctx *)ctx, tweaks, blocks };
@end
@if untweaked
    const void *keys = ctx;
@end
@if tweak
    usuba_batches(@direction@_batch, &state, out, in, blocks * @STEM@_BLOCK_BYTES, sizeof scratch, scratch);
@end
@if untweaked
    usuba_batches(@direction@_batch, &keys, out, in, blocks * @STEM@_BLOCK_BYTES, sizeof scratch, scratch);
@end
}
