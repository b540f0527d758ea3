
void @stem@_@direction@_blocks(const void *keys, @tweaks@unsigned char *out, const unsigned char *in, size_t blocks)
{
    unsigned char scratch[@STEM@_BATCH * @STEM@_BLOCK_BYTES];
@if tweak
    struct tweaking state;
    state.keys = keys;
    state.tweaks = tweaks;
    state.blocks = blocks;
    usuba_batches(@direction@_batch, &state, out, in, blocks * @STEM@_BLOCK_BYTES, sizeof scratch, scratch);
@end
@if untweaked
    usuba_batches(@direction@_batch, &keys, out, in, blocks * @STEM@_BLOCK_BYTES, sizeof scratch, scratch);
@end
}
