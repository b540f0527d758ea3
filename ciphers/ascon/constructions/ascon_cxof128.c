/* usuba_ascon_cxof128.c - Ascon-CXOF128 over Ascon-p[12]: NIST SP 800-232, section 5.3. */
#include "usuba_ascon_cxof128.h"
#include "usuba_ascon_sponge.h"

/* Ascon-p[12] of the initial value 0000080000cc0004 and four words of zeros. */
static const uint64_t cxof128_start[5] = { 0x675527c2a0e8de03u, 0x43d12d7dc0377bbcu, 0xe9901dec426e81b5u,
                                           0x2ab14907720780b6u, 0x8f3f1d02d432bc46u };

int usuba_ascon_cxof128_init(usuba_ascon_cxof128_ctx *ctx, const unsigned char *custom, size_t custom_length)
{
    if (ctx == NULL || (custom == NULL && custom_length > 0))
        return USUBA_ERROR_NULL;
    if (custom_length > USUBA_ASCON_CXOF128_CUSTOMIZATION_BYTES)
        return USUBA_ERROR_LENGTH;
    usuba_ascon_sponge_begin(ctx->state, cxof128_start);
    /* The string comes before the message and is padded like one, after a block that is its length in bits. */
    usuba_ascon_state_add(ctx->state, 0, 8 * (uint64_t)custom_length);
    usuba_ascon_p12_permute(ctx->state, 1);
    ctx->position = 0;
    usuba_ascon_sponge_absorb(ctx->state, &ctx->position, custom, custom_length);
    usuba_ascon_sponge_pad(ctx->state, &ctx->position);
    ctx->phase = USUBA_ASCON_SPONGE_ABSORBING;
    return USUBA_OK;
}

int usuba_ascon_cxof128_update(usuba_ascon_cxof128_ctx *ctx, const unsigned char *in, size_t length)
{
    int result;
    if (ctx == NULL || (in == NULL && length > 0))
        return USUBA_ERROR_NULL;
    result = usuba_ascon_sponge_check(ctx->phase, USUBA_ASCON_SPONGE_ABSORBING);
    if (result == USUBA_OK)
        usuba_ascon_sponge_absorb(ctx->state, &ctx->position, in, length);
    return result;
}

int usuba_ascon_cxof128_squeeze(usuba_ascon_cxof128_ctx *ctx, unsigned char *out, size_t length)
{
    int result;
    if (ctx == NULL || (out == NULL && length > 0))
        return USUBA_ERROR_NULL;
    if (ctx->phase == USUBA_ASCON_SPONGE_ABSORBING) {
        usuba_ascon_sponge_pad(ctx->state, &ctx->position);
        ctx->phase = USUBA_ASCON_SPONGE_SQUEEZING;
    }
    result = usuba_ascon_sponge_check(ctx->phase, USUBA_ASCON_SPONGE_SQUEEZING);
    if (result == USUBA_OK)
        usuba_ascon_sponge_squeeze(ctx->state, &ctx->position, out, length);
    return result;
}

void usuba_ascon_cxof128_wipe(usuba_ascon_cxof128_ctx *ctx)
{
    if (ctx != NULL)
        usuba_wipe(ctx, sizeof *ctx);
}

/* Whether the arguments make sense. */
static int cxof128_check(const usuba_ascon_cxof128_message *message)
{
    if ((message->in == NULL && message->length > 0) || (message->out == NULL && message->out_length > 0) ||
        (message->custom == NULL && message->custom_length > 0))
        return USUBA_ERROR_NULL;
    if (message->custom_length > USUBA_ASCON_CXOF128_CUSTOMIZATION_BYTES)
        return USUBA_ERROR_LENGTH;
    return USUBA_OK;
}

int usuba_ascon_cxof128(unsigned char *out, size_t out_length, const unsigned char *custom, size_t custom_length,
                        const unsigned char *in, size_t length)
{
    const usuba_ascon_cxof128_message message = { custom, custom_length, in, length, out, out_length, USUBA_OK };
    const int result = cxof128_check(&message);
    usuba_ascon_cxof128_ctx ctx;
    if (result != USUBA_OK)
        return result;
    usuba_ascon_cxof128_init(&ctx, custom, custom_length);
    usuba_ascon_cxof128_update(&ctx, in, length);
    usuba_ascon_cxof128_squeeze(&ctx, out, out_length);
    usuba_ascon_cxof128_wipe(&ctx);
    return USUBA_OK;
}

/* The outputs of the messages that `count` lanes name, whose arguments are in order. */
static void cxof128_run(const usuba_ascon_cxof128_message *messages, struct usuba_lane *lanes,
                       unsigned char *states, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        const usuba_ascon_cxof128_message *message = &messages[lanes[i].message];
        unsigned char *state = states + i * USUBA_ASCON_STATE_BYTES;
        usuba_ascon_sponge_begin(state, cxof128_start);
        usuba_ascon_state_add(state, 0, 8 * (uint64_t)message->custom_length);
        lanes[i].in = message->custom;
        lanes[i].left = message->custom_length;
    }
    usuba_ascon_p12_permute(states, count);
    usuba_ascon_sponge_absorb_lanes(lanes, states, count);
    for (i = 0; i < count; i++) {
        lanes[i].in = messages[lanes[i].message].in;
        lanes[i].left = messages[lanes[i].message].length;
    }
    usuba_ascon_sponge_absorb_lanes(lanes, states, count);
    for (i = 0; i < count; i++) {
        lanes[i].out = messages[lanes[i].message].out;
        lanes[i].left = messages[lanes[i].message].out_length;
    }
    usuba_ascon_sponge_squeeze_lanes(lanes, states, count);
    usuba_wipe(states, count * USUBA_ASCON_STATE_BYTES);
}

int usuba_ascon_cxof128_batch(size_t count, usuba_ascon_cxof128_message *messages)
{
    unsigned char states[USUBA_ASCON_STATE_LANES * USUBA_ASCON_STATE_BYTES];
    struct usuba_lane lanes[USUBA_ASCON_STATE_LANES];
    int first = USUBA_OK;
    size_t i, used = 0;
    if (count > 0 && messages == NULL)
        return USUBA_ERROR_NULL;
    for (i = 0; i < count; i++) {
        messages[i].result = cxof128_check(&messages[i]);
        if (messages[i].result == USUBA_OK)
            lanes[used++].message = i;
        else if (first == USUBA_OK)
            first = messages[i].result;
        if (used == USUBA_ASCON_STATE_LANES || (i + 1 == count && used > 0)) {
            cxof128_run(messages, lanes, states, used);
            used = 0;
        }
    }
    return first;
}
