/* usuba_lanes.h - several messages in lockstep, each with a state of a permutation.
 *
 * The states lie one after another, as the functions for permutations take them; lane i goes with state i. A mode makes a
 * step for the lanes that are not over, which are the first, and permutes only their states. C99. */
#ifndef USUBA_LANES_H
#define USUBA_LANES_H

#include "usuba_buffers.h"

/* One of several messages: what is still to be taken from `in` or written to `out` in some part of a mode. */
struct usuba_lane {
    const unsigned char *in;
    unsigned char *out;
    size_t left;
    /* Which message it is. */
    size_t message;
    /* Whether this part is over. */
    int over;
};

/* Exchanges `size` bytes. */
USUBA_STATIC void usuba_exchange(unsigned char *a, unsigned char *b, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++) {
        const unsigned char x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

/* Brings the lanes that are not over, with their states of `size` bytes, before those that are. Returns how many they
 * are. */
USUBA_STATIC size_t usuba_lanes_sort(struct usuba_lane *lanes, unsigned char *states, size_t size, size_t count)
{
    size_t i = 0;
    while (i < count) {
        if (!lanes[i].over) {
            i++;
        } else if (i < --count) {
            const struct usuba_lane lane = lanes[i];
            lanes[i] = lanes[count];
            lanes[count] = lane;
            usuba_exchange(states + i * size, states + count * size, size);
        }
    }
    return count;
}

#endif
