
int @stem@_@function@(unsigned char *out, @constant@unsigned char tag[@STEM@_TAG_BYTES],
    const unsigned char key[@STEM@_KEY_BYTES], const unsigned char nonce[@STEM@_NONCE_BYTES], const unsigned char *ad,
    size_t ad_length, const unsigned char *in, size_t length)
{
@if made
    _Alignas(64) uint8_t prepared[@prepared@];
@end
    unsigned char none[1];
    int result = check(out, in, length, ad, ad_length, key, nonce, tag);
    if (result != USUBA_OK)
        return result;
    ad = ad_length > 0 ? ad : nothing;
    in = length > 0 ? in : nothing;
    out = length > 0 ? out : none;
@if made
    @symbol@_prepare(key, prepared);
@end
    result = result_of(@symbol@(@call@));
@if prepares
    usuba_wipe(prepared, sizeof prepared);
@end
    return result;
}
@if batch
@lanes@
int @stem@_@function@_batch(size_t count, @stem@_message *messages)
{
    struct @symbol@_lane lanes[@LANES@];
    _Alignas(64) uint8_t prepared[@LANES@][@prepared@];
    unsigned char none[1];
    size_t numbers[@LANES@], i, j, used = 0;
    if (count > 0 && messages == NULL)
        return USUBA_ERROR_NULL;
    for (i = 0; i < count; i++) {
        @stem@_message *m = &messages[i];
        m->result = check(m->out, m->in, m->length, m->ad, m->ad_length, m->key, m->nonce, m->tag);
        if (m->result == USUBA_OK) {
            const unsigned char *const key = m->key, *const nonce = m->nonce;
            const unsigned char *const ad = m->ad_length > 0 ? m->ad : nothing;
            const unsigned char *const in = m->length > 0 ? m->in : nothing;
            unsigned char *const out = m->length > 0 ? m->out : none, *const tag = m->tag;
            const size_t ad_length = m->ad_length, length = m->length;
            @symbol@_prepare(key, prepared[used]);
            m->result = result_of(@symbol@_lane_begin(&lanes[used], @lane_call@));
            if (m->result == USUBA_OK)
                numbers[used++] = i;
        }
        if (used == @LANES@ || (i + 1 == count && used > 0)) {
            @symbol@_run(lanes, used);
            for (j = 0; j < used; j++)
                messages[numbers[j]].result = result_of(lanes[j].result);
            usuba_wipe(lanes, used * sizeof lanes[0]);
@if prepares
            usuba_wipe(prepared, used * sizeof prepared[0]);
@end
            used = 0;
        }
    }
    for (i = 0; i < count; i++)
        if (messages[i].result != USUBA_OK)
            return messages[i].result;
    return USUBA_OK;
}
@end
@if one_by_one

int @stem@_@function@_batch(size_t count, @stem@_message *messages)
{
    int first = USUBA_OK;
    size_t i;
    if (count > 0 && messages == NULL)
        return USUBA_ERROR_NULL;
    for (i = 0; i < count; i++) {
        @stem@_message *m = &messages[i];
        m->result = @stem@_@function@(m->out, m->tag, m->key, m->nonce, m->ad, m->ad_length, m->in, m->length);
        if (first == USUBA_OK)
            first = m->result;
    }
    return first;
}
@end
