/* batches.h - many messages at once are what they are one by one. */
#ifndef BATCHES_H
#define BATCHES_H

#include "usuba_primitives.h"

/* Compares the batch function of a primitive, if it has one, with its function for one message: 0 to 200 messages of different
 * lengths, none and long ones among them, at any alignment and before a page that cannot be touched, in place and apart, with
 * messages between them that are refused. Complaints are on standard output; returns how many there were. */
unsigned long check_batches(const usuba_primitive *primitive);

#endif
