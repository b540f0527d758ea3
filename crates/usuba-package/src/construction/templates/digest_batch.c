@lanes@
int @stem@_batch(size_t count, @stem@_message *messages)
{
    struct @symbol@_lane lanes[@LANES@];
    _Alignas(64) uint8_t prepared[@prepared@];
    size_t numbers[@LANES@], i, j, used = 0;
    if (count > 0 && messages == NULL)
        return USUBA_ERROR_NULL;
    @symbol@_prepare(prepared);
    for (i = 0; i < count; i++) {
        @stem@_message *m = &messages[i];
        const unsigned char *const in = m->length > 0 ? m->in : nothing;
        const size_t length = m->length;
@if hash
        unsigned char *const out = m->digest;
        const size_t out_length = @STEM@_DIGEST_BYTES;
@end
@if xof
        unsigned char *const out = m->out;
        const size_t out_length = m->out_length;
@end
@if customized
        const unsigned char *const custom = m->custom_length > 0 ? m->custom : nothing;
        const size_t custom_length = m->custom_length;
@end
        m->result = in == NULL || (out == NULL && out_length > 0) ? USUBA_ERROR_NULL : USUBA_OK;
@if customized
        if (m->result == USUBA_OK && custom == NULL)
            m->result = USUBA_ERROR_NULL;
        if (m->result == USUBA_OK && custom_length > @STEM@_CUSTOMIZATION_BYTES)
            m->result = USUBA_ERROR_LENGTH;
@end
        if (m->result == USUBA_OK && out_length > 0) {
            m->result = result_of(@symbol@_lane_begin(&lanes[used], @lane_call@));
            if (m->result == USUBA_OK)
                numbers[used++] = i;
        }
        if (used == @LANES@ || (i + 1 == count && used > 0)) {
            @symbol@_run(lanes, used);
            for (j = 0; j < used; j++)
                messages[numbers[j]].result = result_of(lanes[j].result);
            usuba_wipe(lanes, used * sizeof lanes[0]);
            used = 0;
        }
    }
    for (i = 0; i < count; i++)
        if (messages[i].result != USUBA_OK)
            return messages[i].result;
    return USUBA_OK;
}
