static void @direction@_batch(void *context, unsigned char *out, const unsigned char *in)
{
@if tweak
    struct tweaking *state = (struct tweaking *)context;
    unsigned char last[@STEM@_BATCH * @STEM@_TWEAK_BYTES];
    const unsigned char *given = next_tweaks(state, last);
    @blocks@;
    @tweak_registers@;
    @results@;
    @pack@
    @pack_tweaks@
    @symbol@(blocks, tweaks, (const @key@ *)state->keys, results);
@end
@if untweaked
@if no_turns
    const @key@ *keys = (const @key@ *)*(const void **)context;
@end
@if turns
    const void *form = *(const void **)context;
    const @key@ *keys = (const @key@ *)usuba_turn_keys(form);
    const size_t turns = usuba_turns(form);
@end
    @blocks@;
    @results@;
    @pack@
    @symbol@(blocks, @key_arguments@, results@turns@);
@end
    @unpack@
}

