/* usuba_ascon_sponge.h - the sponge of Ascon-Hash256, Ascon-XOF128 and Ascon-CXOF128: NIST SP 800-232, section 5.
 *
 * The rate is one word, and Ascon-p[12] follows every block of input and precedes every block of output but the first. */
#ifndef USUBA_ASCON_SPONGE_H
#define USUBA_ASCON_SPONGE_H

#include "usuba_ascon_p12.h"
#include "usuba_ascon_state.h"

#define USUBA_ASCON_SPONGE_RATE 8

/* What a context is doing. Memory that no function has initialised is most probably none of these. */
#define USUBA_ASCON_SPONGE_ABSORBING 0x61736301u
#define USUBA_ASCON_SPONGE_SQUEEZING 0x61736302u
#define USUBA_ASCON_SPONGE_OVER 0x61736303u

/* USUBA_OK if a context is in this phase, else what is wrong with it. */
USUBA_INLINE int usuba_ascon_sponge_check(uint32_t phase, uint32_t wanted)
{
    if (phase == wanted)
        return USUBA_OK;
    if (phase == USUBA_ASCON_SPONGE_ABSORBING || phase == USUBA_ASCON_SPONGE_SQUEEZING ||
        phase == USUBA_ASCON_SPONGE_OVER)
        return USUBA_ERROR_STATE;
    return USUBA_ERROR_CONTEXT;
}

/* A state with these words. */
static inline void usuba_ascon_sponge_begin(unsigned char *state, const uint64_t words[5])
{
    size_t w;
    for (w = 0; w < 5; w++)
        usuba_ascon_state_set(state, w, words[w]);
}

/* Absorbs part of a message. `position`, below the rate, is where the next byte goes; it is moved. */
static inline void usuba_ascon_sponge_absorb(unsigned char *state, uint32_t *position, const unsigned char *in,
                                             size_t length)
{
    while (length > 0) {
        const size_t room = USUBA_ASCON_SPONGE_RATE - *position, bytes = length < room ? length : room;
        usuba_ascon_state_add(state, 0, usuba_load_part(in, bytes) << (8 * *position));
        in += bytes;
        length -= bytes;
        *position += (uint32_t)bytes;
        if (*position == USUBA_ASCON_SPONGE_RATE) {
            usuba_ascon_p12_permute(state, 1);
            *position = 0;
        }
    }
}

/* Ends the message: padding, a byte 1, and the permutation after it. The state is at its first output. */
static inline void usuba_ascon_sponge_pad(unsigned char *state, uint32_t *position)
{
    usuba_ascon_state_add(state, 0, (uint64_t)1 << (8 * *position));
    usuba_ascon_p12_permute(state, 1);
    *position = 0;
}

/* Writes the next bytes of output. `position`, at most the rate, is that of the next byte in the word; it is moved. */
static inline void usuba_ascon_sponge_squeeze(unsigned char *state, uint32_t *position, unsigned char *out,
                                              size_t length)
{
    while (length > 0) {
        size_t room, bytes;
        if (*position == USUBA_ASCON_SPONGE_RATE) {
            usuba_ascon_p12_permute(state, 1);
            *position = 0;
        }
        room = USUBA_ASCON_SPONGE_RATE - *position;
        bytes = length < room ? length : room;
        usuba_store_part(out, usuba_ascon_state_word(state, 0) >> (8 * *position), bytes);
        out += bytes;
        length -= bytes;
        *position += (uint32_t)bytes;
    }
}

/* Absorbs the whole message of each lane, `left` bytes at `in`, with its padding. */
static inline void usuba_ascon_sponge_absorb_lanes(struct usuba_lane *lanes, unsigned char *states,
                                                   size_t count)
{
    size_t i, active;
    for (i = 0; i < count; i++)
        lanes[i].over = 0;
    for (active = count; active > 0; active = usuba_ascon_state_sort(lanes, states, active)) {
        for (i = 0; i < active; i++) {
            struct usuba_lane *lane = &lanes[i];
            unsigned char *state = states + i * USUBA_ASCON_STATE_BYTES;
            const size_t bytes = lane->left < USUBA_ASCON_SPONGE_RATE ? lane->left : USUBA_ASCON_SPONGE_RATE;
            usuba_ascon_state_add(state, 0, usuba_load_part(lane->in, bytes));
            /* The last block is one that is not full, even if it is empty. */
            lane->over = bytes < USUBA_ASCON_SPONGE_RATE;
            if (lane->over) {
                usuba_ascon_state_add(state, 0, (uint64_t)1 << (8 * bytes));
            } else {
                lane->in += bytes;
                lane->left -= bytes;
            }
        }
        usuba_ascon_p12_permute(states, active);
    }
}

/* Writes the whole output of each lane, `left` bytes at `out`. */
static inline void usuba_ascon_sponge_squeeze_lanes(struct usuba_lane *lanes, unsigned char *states,
                                                    size_t count)
{
    size_t i, active;
    for (i = 0; i < count; i++)
        lanes[i].over = lanes[i].left == 0;
    active = usuba_ascon_state_sort(lanes, states, count);
    while (active > 0) {
        for (i = 0; i < active; i++) {
            struct usuba_lane *lane = &lanes[i];
            const size_t bytes = lane->left < USUBA_ASCON_SPONGE_RATE ? lane->left : USUBA_ASCON_SPONGE_RATE;
            const uint64_t x = usuba_ascon_state_word(states + i * USUBA_ASCON_STATE_BYTES, 0);
            usuba_store_part(lane->out, x, bytes);
            lane->out += bytes;
            lane->left -= bytes;
            lane->over = lane->left == 0;
        }
        active = usuba_ascon_state_sort(lanes, states, active);
        if (active > 0)
            usuba_ascon_p12_permute(states, active);
    }
}

#endif
