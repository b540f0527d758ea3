/* usuba_ascon_state.h - the bytes of SP 800-232 in the states of usuba_ascon_p12_permute and usuba_ascon_p8_permute.
 *
 * A state is 40 bytes, five words of 64 bits that the permutations take with the most significant byte first. The standard
 * reads byte strings into words with the least significant byte first: byte b of word w is at 8 w + 7 - b of a state. */
#ifndef USUBA_ASCON_STATE_H
#define USUBA_ASCON_STATE_H

#include "usuba_lanes.h"

#define USUBA_ASCON_STATE_BYTES 40

/* States that are worked on side by side. They are on the stack, 80 bytes each with what goes with them; enough for the
 * largest batch of a kernel to stay full while messages of different lengths come to their ends. */
#define USUBA_ASCON_STATE_LANES 64

/* Word `w` of a state, and a change of some of its bits. */
USUBA_INLINE uint64_t usuba_ascon_state_word(const unsigned char *state, size_t w)
{
    return usuba_load64_big(state + 8 * w);
}

USUBA_INLINE void usuba_ascon_state_set(unsigned char *state, size_t w, uint64_t x)
{
    usuba_store64_big(state + 8 * w, x);
}

USUBA_INLINE void usuba_ascon_state_add(unsigned char *state, size_t w, uint64_t x)
{
    usuba_ascon_state_set(state, w, usuba_ascon_state_word(state, w) ^ x);
}

/* Brings the lanes that are not over before those that are. Returns how many they are. */
USUBA_INLINE size_t usuba_ascon_state_sort(struct usuba_lane *lanes, unsigned char *states, size_t count)
{
    return usuba_lanes_sort(lanes, states, USUBA_ASCON_STATE_BYTES, count);
}

#endif
