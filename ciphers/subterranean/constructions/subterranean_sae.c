/* usuba_subterranean_sae.c - Subterranean-SAE over one round of Subterranean 2.0.
 *
 * Daemen, Massolino, Mehrdad, Rotella: The Subterranean 2.0 cipher suite, ToSC 2020 S1. The round exists in bit slices only,
 * so everything is done for several messages in lockstep: a duplex call of all messages that are not yet past a step is one
 * call for the round of their states, and then what each adds to its own. */
#include "usuba_subterranean_sae.h"
#include "usuba_lanes.h"
#include "usuba_subterranean_round.h"

#define SUBTERRANEAN_SAE_STATE 33
/* Messages that are worked on side by side: about 100 bytes of stack each. */
#define SUBTERRANEAN_SAE_LANES 256
/* Bytes of a block of input or output, and rounds without input before data and after the text. */
#define SUBTERRANEAN_SAE_RATE 4
#define SUBTERRANEAN_SAE_BLANK 8

/* Bit j of a block is added to bit 12^(4 j) mod 257 of the state, and the padding to the next; an output bit is the sum of
 * that bit and of the one at minus its place. */
static const uint16_t subterranean_sae_places[33] = { 1,   176, 136, 35,  249, 134, 197, 234, 64,  213, 223,
                                                      184, 2,   95,  15,  70,  241, 11,  137, 211, 128, 169,
                                                      189, 111, 4,   190, 30,  140, 225, 22,  17,  165, 256 };

typedef struct usuba_subterranean_sae_message subterranean_sae_message;

/* What goes on in one call. */
struct subterranean_sae_run {
    subterranean_sae_message *messages;
    struct usuba_lane *lanes;
    unsigned char *states;
    /* What the next duplex call adds to each state: a block of so many bytes. */
    uint32_t *blocks;
    unsigned char *sizes;
    /* The tag of each. */
    unsigned char (*tags)[USUBA_SUBTERRANEAN_SAE_TAG_BYTES];
};

static uint32_t subterranean_sae_bit(const unsigned char *state, size_t place)
{
    return (uint32_t)(state[place / 8] >> (place % 8) & 1);
}

/* 32 bits of output. */
static uint32_t subterranean_sae_extract(const unsigned char *state)
{
    uint32_t x = 0;
    size_t j;
    for (j = 0; j < 32; j++) {
        const size_t place = subterranean_sae_places[j];
        x |= (subterranean_sae_bit(state, place) ^ subterranean_sae_bit(state, 257 - place)) << j;
    }
    return x;
}

/* The duplex call of the first `count` lanes with their blocks. */
static void subterranean_sae_duplex(struct subterranean_sae_run *run, size_t count)
{
    size_t i, j;
    usuba_subterranean_round_permute(run->states, count);
    for (i = 0; i < count; i++) {
        unsigned char *state = run->states + i * SUBTERRANEAN_SAE_STATE;
        const size_t bits = 8 * (size_t)run->sizes[i];
        for (j = 0; j <= bits; j++) {
            const size_t place = subterranean_sae_places[j];
            const uint32_t bit = j < bits ? run->blocks[i] >> j & 1 : 1;
            state[place / 8] = (unsigned char)(state[place / 8] ^ bit << (place % 8));
        }
    }
}

/* Duplex calls without input. */
static void subterranean_sae_blank(struct subterranean_sae_run *run, size_t count, size_t times)
{
    memset(run->sizes, 0, count);
    while (times-- > 0)
        subterranean_sae_duplex(run, count);
}

/* Absorbs what `count` lanes have `left` at `in`: blocks of 4 bytes, then one that is not full, even if it is empty. `text` is
 * encrypted or decrypted on the way, to `out`. */
static void subterranean_sae_absorb(struct subterranean_sae_run *run, size_t count, int text, int opening)
{
    size_t i, active;
    for (i = 0; i < count; i++)
        run->lanes[i].over = 0;
    for (active = count; active > 0;
         active = usuba_lanes_sort(run->lanes, run->states, SUBTERRANEAN_SAE_STATE, active)) {
        for (i = 0; i < active; i++) {
            struct usuba_lane *lane = &run->lanes[i];
            const size_t bytes = lane->left < SUBTERRANEAN_SAE_RATE ? lane->left : SUBTERRANEAN_SAE_RATE;
            uint32_t block = (uint32_t)usuba_load_part(lane->in, bytes);
            if (text) {
                const uint32_t made = block ^ subterranean_sae_extract(run->states + i * SUBTERRANEAN_SAE_STATE);
                usuba_store_part(lane->out, made, bytes);
                /* What is absorbed is always the plaintext; bits beyond its size are not looked at. */
                block = opening ? made : block;
            }
            run->blocks[i] = block;
            run->sizes[i] = (unsigned char)bytes;
            lane->over = bytes < SUBTERRANEAN_SAE_RATE;
            if (!lane->over) {
                lane->in += bytes;
                if (text)
                    lane->out += bytes;
                lane->left -= bytes;
            }
        }
        subterranean_sae_duplex(run, active);
    }
}

/* Seals or opens the messages that `count` lanes name, whose arguments are in order. */
static void subterranean_sae_run(struct subterranean_sae_run *run, size_t count, int opening)
{
    size_t i, part;
    memset(run->states, 0, count * SUBTERRANEAN_SAE_STATE);
    for (i = 0; i < count; i++) {
        run->lanes[i].in = run->messages[run->lanes[i].message].key;
        run->lanes[i].left = USUBA_SUBTERRANEAN_SAE_KEY_BYTES;
    }
    subterranean_sae_absorb(run, count, 0, 0);
    for (i = 0; i < count; i++) {
        run->lanes[i].in = run->messages[run->lanes[i].message].nonce;
        run->lanes[i].left = USUBA_SUBTERRANEAN_SAE_NONCE_BYTES;
    }
    subterranean_sae_absorb(run, count, 0, 0);
    subterranean_sae_blank(run, count, SUBTERRANEAN_SAE_BLANK);
    for (i = 0; i < count; i++) {
        run->lanes[i].in = run->messages[run->lanes[i].message].ad;
        run->lanes[i].left = run->messages[run->lanes[i].message].ad_length;
    }
    subterranean_sae_absorb(run, count, 0, 0);
    for (i = 0; i < count; i++) {
        const subterranean_sae_message *message = &run->messages[run->lanes[i].message];
        run->lanes[i].in = message->in;
        run->lanes[i].out = message->out;
        run->lanes[i].left = message->length;
    }
    subterranean_sae_absorb(run, count, 1, opening);
    subterranean_sae_blank(run, count, SUBTERRANEAN_SAE_BLANK);
    for (part = 0; part < USUBA_SUBTERRANEAN_SAE_TAG_BYTES; part += SUBTERRANEAN_SAE_RATE) {
        for (i = 0; i < count; i++)
            usuba_store_part(run->tags[i] + part, subterranean_sae_extract(run->states + i * SUBTERRANEAN_SAE_STATE),
                             SUBTERRANEAN_SAE_RATE);
        subterranean_sae_blank(run, count, 1);
    }
    for (i = 0; i < count; i++) {
        subterranean_sae_message *message = &run->messages[run->lanes[i].message];
        message->result = USUBA_OK;
        if (!opening) {
            memcpy(message->tag, run->tags[i], sizeof run->tags[i]);
        } else if (!usuba_equal(run->tags[i], message->tag, sizeof run->tags[i])) {
            message->result = USUBA_ERROR_TAG;
            if (message->length > 0)
                usuba_wipe(message->out, message->length);
        }
    }
    usuba_wipe(run->states, count * SUBTERRANEAN_SAE_STATE);
    usuba_wipe(run->blocks, count * sizeof run->blocks[0]);
    usuba_wipe(run->tags, count * sizeof run->tags[0]);
}

/* Whether the arguments make sense. */
static int subterranean_sae_check(const subterranean_sae_message *m)
{
    return usuba_check_aead(m->out, m->in, m->length, m->ad, m->ad_length, m->key, USUBA_SUBTERRANEAN_SAE_KEY_BYTES,
                            m->nonce, USUBA_SUBTERRANEAN_SAE_NONCE_BYTES, m->tag, USUBA_SUBTERRANEAN_SAE_TAG_BYTES);
}

static int subterranean_sae_one(subterranean_sae_message *message, int opening)
{
    struct usuba_lane lane;
    unsigned char state[SUBTERRANEAN_SAE_STATE], size, tag[1][USUBA_SUBTERRANEAN_SAE_TAG_BYTES];
    uint32_t block;
    struct subterranean_sae_run run = { message, &lane, state, &block, &size, tag };
    message->result = subterranean_sae_check(message);
    if (message->result == USUBA_OK) {
        lane.message = 0;
        subterranean_sae_run(&run, 1, opening);
    }
    return message->result;
}

static int subterranean_sae_batch(size_t count, subterranean_sae_message *messages, int opening)
{
    struct usuba_lane lanes[SUBTERRANEAN_SAE_LANES];
    unsigned char states[SUBTERRANEAN_SAE_LANES * SUBTERRANEAN_SAE_STATE], sizes[SUBTERRANEAN_SAE_LANES];
    unsigned char tags[SUBTERRANEAN_SAE_LANES][USUBA_SUBTERRANEAN_SAE_TAG_BYTES];
    uint32_t blocks[SUBTERRANEAN_SAE_LANES];
    struct subterranean_sae_run run = { messages, lanes, states, blocks, sizes, tags };
    size_t i, used = 0;
    if (count > 0 && messages == NULL)
        return USUBA_ERROR_NULL;
    for (i = 0; i < count; i++) {
        messages[i].result = subterranean_sae_check(&messages[i]);
        if (messages[i].result == USUBA_OK)
            lanes[used++].message = i;
        if (used == SUBTERRANEAN_SAE_LANES || (i + 1 == count && used > 0)) {
            subterranean_sae_run(&run, used, opening);
            used = 0;
        }
    }
    for (i = 0; i < count; i++)
        if (messages[i].result != USUBA_OK)
            return messages[i].result;
    return USUBA_OK;
}

int usuba_subterranean_sae_seal(unsigned char *out, unsigned char tag[USUBA_SUBTERRANEAN_SAE_TAG_BYTES],
                                const unsigned char key[USUBA_SUBTERRANEAN_SAE_KEY_BYTES],
                                const unsigned char nonce[USUBA_SUBTERRANEAN_SAE_NONCE_BYTES], const unsigned char *ad,
                                size_t ad_length, const unsigned char *in, size_t length)
{
    subterranean_sae_message message = { key, nonce, ad, ad_length, in, length, out, tag, USUBA_OK };
    return subterranean_sae_one(&message, 0);
}

int usuba_subterranean_sae_open(unsigned char *out, const unsigned char tag[USUBA_SUBTERRANEAN_SAE_TAG_BYTES],
                                const unsigned char key[USUBA_SUBTERRANEAN_SAE_KEY_BYTES],
                                const unsigned char nonce[USUBA_SUBTERRANEAN_SAE_NONCE_BYTES], const unsigned char *ad,
                                size_t ad_length, const unsigned char *in, size_t length)
{
    /* The message is opened: its tag is only read. */
    subterranean_sae_message message = { key, nonce, ad, ad_length, in, length, out, (unsigned char *)tag, USUBA_OK };
    return subterranean_sae_one(&message, 1);
}

int usuba_subterranean_sae_seal_batch(size_t count, usuba_subterranean_sae_message *messages)
{
    return subterranean_sae_batch(count, messages, 0);
}

int usuba_subterranean_sae_open_batch(size_t count, usuba_subterranean_sae_message *messages)
{
    return subterranean_sae_batch(count, messages, 1);
}
