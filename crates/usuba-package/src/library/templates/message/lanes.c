
@lanes@
/* Messages that are worked on side by side: as many as fill most engines, and have room in 8 KiB of stack. */
enum {
    MOST = (8192 - 512) / (sizeof(struct @stem@_lane) + @block@ + sizeof(size_t)),
    LANES = MOST < 64 ? MOST : 64
};

@carry@
/* A message as a lane, if it is one: others are over at once. */
static int begin_lane(struct @stem@_lane *lane, @prefix@@message@ *m, const uint8_t *prepared)
{
    const unsigned char *const in = m->in;
    const size_t length = m->length;
@if chained
    const unsigned char *const nonce = m->iv;
    unsigned char *const out = m->out;
    m->result = nonce == NULL ? USUBA_ERROR_NULL : USUBA_OK;
@if whole
    if (m->result == USUBA_OK && length % @block@ != 0)
        m->result = USUBA_ERROR_LENGTH;
@end
    if (m->result == USUBA_OK)
        m->result = usuba_check_counter(nonce, @block@, out, in, length);
    if (m->result != USUBA_OK || length == 0)
        return 0;
@end
@if tagged
    unsigned char *const tag = m->tag;
    const size_t tag_bytes = m->tag_bytes;
    m->result = usuba_check(tag, tag, tag_bytes);
    if (m->result == USUBA_OK)
        m->result = usuba_check_apart(tag, tag_bytes, in, length);
    if (m->result != USUBA_OK)
        return 0;
@end
    if (@stem@_lane_begin(lane, @call@) != 0)
        m->result = USUBA_ERROR_LENGTH;
    return m->result == USUBA_OK;
}

int @stem@_batch(const struct usuba_blocks *cipher, const uint8_t *prepared, size_t count, @prefix@@message@ *messages)
{
    struct @stem@_lane lanes[LANES];
    _Alignas(64) unsigned char states[LANES * @block@];
@if chained
    size_t numbers[LANES];
@end
    size_t next = 0, active = 0, i;
    for (;;) {
        for (i = 0; i < active || (active < LANES && next < count);) {
@if keystream
            const int begins = i == active;
@end
            if (i == active) {
                if (!begin_lane(&lanes[active], &messages[next], prepared)) {
                    next++;
                    continue;
                }
@if chained
                numbers[active] = next;
@end
                active++;
                next++;
            }
            lanes[i].state = states + i * @block@;
            if (@stem@_lane_step(&lanes[i]) != 0) {
@if keystream
                if (begins && messages[numbers[i]].length >= @block@) {
                    /* The vector has been read, and its place keeps the last block, which may be written over. */
                    const @prefix@@message@ *m = &messages[numbers[i]];
                    memcpy(m->iv, m->in + (m->length - @block@), @block@);
                }
@end
                i++;
                continue;
            }
@if writes
            carry(messages[numbers[i]].iv, messages[numbers[i]].out, messages[numbers[i]].length);
@end
@if keystream
            {
                const @prefix@@message@ *m = &messages[numbers[i]];
                size_t at;
                for (at = 0; at < @block@ && m->length >= @block@; at++)
                    m->iv[at] ^= m->out[m->length - @block@ + at];
            }
@end
            if (i < --active) {
                /* The last lane, which has not gone on yet, takes its place. */
                lanes[i] = lanes[active];
@if chained
                numbers[i] = numbers[active];
@end
                memcpy(states + i * @block@, states + active * @block@, @block@);
            }
        }
        if (active == 0)
            break;
        cipher->encrypt(cipher->ctx, states, states, active);
    }
    i = count < LANES ? count : LANES;
    usuba_wipe(lanes, i * sizeof lanes[0]);
    usuba_wipe(states, i * @block@);
    for (i = 0; i < count; i++)
        if (messages[i].result != USUBA_OK)
            return messages[i].result;
    return USUBA_OK;
}

