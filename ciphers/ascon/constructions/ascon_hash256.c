/* usuba_ascon_hash256.c - Ascon-Hash256 over Ascon-p[12]: NIST SP 800-232, section 5.1. */
#include "usuba_ascon_hash256.h"
#include "usuba_ascon_sponge.h"

/* Ascon-p[12] of the initial value 0000080100cc0002 and four words of zeros. */
static const uint64_t hash256_start[5] = { 0x9b1e5494e934d681u, 0x4bc3a01e333751d2u, 0xae65396c6b34b81au,
                                           0x3c7fd4a4d56a4db3u, 0x1a5c464906c5976du };

int usuba_ascon_hash256_init(usuba_ascon_hash256_ctx *ctx)
{
    if (ctx == NULL)
        return USUBA_ERROR_NULL;
    usuba_ascon_sponge_begin(ctx->state, hash256_start);
    ctx->phase = USUBA_ASCON_SPONGE_ABSORBING;
    ctx->position = 0;
    return USUBA_OK;
}

int usuba_ascon_hash256_update(usuba_ascon_hash256_ctx *ctx, const unsigned char *in, size_t length)
{
    int result;
    if (ctx == NULL || (in == NULL && length > 0))
        return USUBA_ERROR_NULL;
    result = usuba_ascon_sponge_check(ctx->phase, USUBA_ASCON_SPONGE_ABSORBING);
    if (result == USUBA_OK)
        usuba_ascon_sponge_absorb(ctx->state, &ctx->position, in, length);
    return result;
}

int usuba_ascon_hash256_final(usuba_ascon_hash256_ctx *ctx, unsigned char digest[USUBA_ASCON_HASH256_DIGEST_BYTES])
{
    int result;
    if (ctx == NULL || digest == NULL)
        return USUBA_ERROR_NULL;
    result = usuba_ascon_sponge_check(ctx->phase, USUBA_ASCON_SPONGE_ABSORBING);
    if (result != USUBA_OK)
        return result;
    usuba_ascon_sponge_pad(ctx->state, &ctx->position);
    usuba_ascon_sponge_squeeze(ctx->state, &ctx->position, digest, USUBA_ASCON_HASH256_DIGEST_BYTES);
    usuba_wipe(ctx, sizeof *ctx);
    ctx->phase = USUBA_ASCON_SPONGE_OVER;
    return USUBA_OK;
}

void usuba_ascon_hash256_wipe(usuba_ascon_hash256_ctx *ctx)
{
    if (ctx != NULL)
        usuba_wipe(ctx, sizeof *ctx);
}

int usuba_ascon_hash256(unsigned char digest[USUBA_ASCON_HASH256_DIGEST_BYTES], const unsigned char *in, size_t length)
{
    usuba_ascon_hash256_ctx ctx;
    if (digest == NULL || (in == NULL && length > 0))
        return USUBA_ERROR_NULL;
    usuba_ascon_hash256_init(&ctx);
    usuba_ascon_hash256_update(&ctx, in, length);
    return usuba_ascon_hash256_final(&ctx, digest);
}

/* The digests of the messages that `count` lanes name, whose arguments are in order. */
static void hash256_run(const usuba_ascon_hash256_message *messages, struct usuba_lane *lanes,
                        unsigned char *states, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        usuba_ascon_sponge_begin(states + i * USUBA_ASCON_STATE_BYTES, hash256_start);
        lanes[i].in = messages[lanes[i].message].in;
        lanes[i].left = messages[lanes[i].message].length;
    }
    usuba_ascon_sponge_absorb_lanes(lanes, states, count);
    for (i = 0; i < count; i++) {
        lanes[i].out = messages[lanes[i].message].digest;
        lanes[i].left = USUBA_ASCON_HASH256_DIGEST_BYTES;
    }
    usuba_ascon_sponge_squeeze_lanes(lanes, states, count);
    usuba_wipe(states, count * USUBA_ASCON_STATE_BYTES);
}

int usuba_ascon_hash256_batch(size_t count, usuba_ascon_hash256_message *messages)
{
    unsigned char states[USUBA_ASCON_STATE_LANES * USUBA_ASCON_STATE_BYTES];
    struct usuba_lane lanes[USUBA_ASCON_STATE_LANES];
    int first = USUBA_OK;
    size_t i, used = 0;
    if (count > 0 && messages == NULL)
        return USUBA_ERROR_NULL;
    for (i = 0; i < count; i++) {
        usuba_ascon_hash256_message *message = &messages[i];
        const int missing = message->digest == NULL || (message->in == NULL && message->length > 0);
        message->result = missing ? USUBA_ERROR_NULL : USUBA_OK;
        if (!missing)
            lanes[used++].message = i;
        else if (first == USUBA_OK)
            first = message->result;
        if (used == USUBA_ASCON_STATE_LANES || (i + 1 == count && used > 0)) {
            hash256_run(messages, lanes, states, used);
            used = 0;
        }
    }
    return first;
}
