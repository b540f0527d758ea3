/* usuba_ascon_xof128.c - Ascon-XOF128 over Ascon-p[12]: NIST SP 800-232, section 5.2. */
#include "usuba_ascon_xof128.h"
#include "usuba_ascon_sponge.h"

/* Ascon-p[12] of the initial value 0000080000cc0003 and four words of zeros. */
static const uint64_t xof128_start[5] = { 0xda82ce768d9447ebu, 0xcc7ce6c75f1ef969u, 0xe7508fd780085631u,
                                          0x0ee0ea53416b58ccu, 0xe0547524db6f0bdeu };

int usuba_ascon_xof128_init(usuba_ascon_xof128_ctx *ctx)
{
    if (ctx == NULL)
        return USUBA_ERROR_NULL;
    usuba_ascon_sponge_begin(ctx->state, xof128_start);
    ctx->phase = USUBA_ASCON_SPONGE_ABSORBING;
    ctx->position = 0;
    return USUBA_OK;
}

int usuba_ascon_xof128_update(usuba_ascon_xof128_ctx *ctx, const unsigned char *in, size_t length)
{
    int result;
    if (ctx == NULL || (in == NULL && length > 0))
        return USUBA_ERROR_NULL;
    result = usuba_ascon_sponge_check(ctx->phase, USUBA_ASCON_SPONGE_ABSORBING);
    if (result == USUBA_OK)
        usuba_ascon_sponge_absorb(ctx->state, &ctx->position, in, length);
    return result;
}

int usuba_ascon_xof128_squeeze(usuba_ascon_xof128_ctx *ctx, unsigned char *out, size_t length)
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

void usuba_ascon_xof128_wipe(usuba_ascon_xof128_ctx *ctx)
{
    if (ctx != NULL)
        usuba_wipe(ctx, sizeof *ctx);
}

/* Whether the arguments make sense. */
static int xof128_check(const usuba_ascon_xof128_message *message)
{
    if ((message->in == NULL && message->length > 0) || (message->out == NULL && message->out_length > 0))
        return USUBA_ERROR_NULL;
    return USUBA_OK;
}

int usuba_ascon_xof128(unsigned char *out, size_t out_length, const unsigned char *in, size_t length)
{
    const usuba_ascon_xof128_message message = { in, length, out, out_length, USUBA_OK };
    const int result = xof128_check(&message);
    usuba_ascon_xof128_ctx ctx;
    if (result != USUBA_OK)
        return result;
    usuba_ascon_xof128_init(&ctx);
    usuba_ascon_xof128_update(&ctx, in, length);
    usuba_ascon_xof128_squeeze(&ctx, out, out_length);
    usuba_ascon_xof128_wipe(&ctx);
    return USUBA_OK;
}

/* The outputs of the messages that `count` lanes name, whose arguments are in order. */
static void xof128_run(const usuba_ascon_xof128_message *messages, struct usuba_lane *lanes,
                       unsigned char *states, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        usuba_ascon_sponge_begin(states + i * USUBA_ASCON_STATE_BYTES, xof128_start);
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

int usuba_ascon_xof128_batch(size_t count, usuba_ascon_xof128_message *messages)
{
    unsigned char states[USUBA_ASCON_STATE_LANES * USUBA_ASCON_STATE_BYTES];
    struct usuba_lane lanes[USUBA_ASCON_STATE_LANES];
    int first = USUBA_OK;
    size_t i, used = 0;
    if (count > 0 && messages == NULL)
        return USUBA_ERROR_NULL;
    for (i = 0; i < count; i++) {
        messages[i].result = xof128_check(&messages[i]);
        if (messages[i].result == USUBA_OK)
            lanes[used++].message = i;
        else if (first == USUBA_OK)
            first = messages[i].result;
        if (used == USUBA_ASCON_STATE_LANES || (i + 1 == count && used > 0)) {
            xof128_run(messages, lanes, states, used);
            used = 0;
        }
    }
    return first;
}
