/* usuba_pieces.h - messages whose strings come in pieces.
 *
 * The code of a message is in parts, all of one type. Blocks of a string are taken as they come; what is left waits. C99. */
#ifndef USUBA_PIECES_H
#define USUBA_PIECES_H

#include "usuba_buffers.h"

/* A part of a message: its lengths, what is prepared for the key, what is kept from part to part, inputs and outputs. */
typedef int usuba_stage(const size_t *lengths, const uint8_t *prepared, uint8_t *kept, const uint8_t *const *in,
                       uint8_t *const *out);

/* How many blocks of a string are taken once so many bytes of it have come. */
typedef size_t usuba_taken(size_t length);

/* The most bytes of a string. */
#define USUBA_PIECES_BYTES ((uint64_t)1 << 48)

/* A string: its code, the bytes of a block, the places of what is known of it in `lengths`, and those of the string and of
 * what is made of it. */
struct usuba_string {
    usuba_stage *blocks;
    usuba_taken *count;
    size_t rate;
    size_t length, before, now;
    size_t in, out;
};

/* A message of which a part has come. `lengths` has what has come so far of a string, as long as it is not over. */
struct usuba_pieces {
    size_t *lengths;
    const uint8_t *prepared;
    uint8_t *kept;
    const uint8_t **in;
    uint8_t **out;
    /* What waits, and how much it is. */
    unsigned char *held;
    size_t *waiting;
};

/* Whether a string may have `length` more bytes; and how many bytes will be taken, and so made, when they come. */
USUBA_STATIC int usuba_pieces_check(const struct usuba_string *string, const struct usuba_pieces *pieces, size_t length,
                                    size_t *made)
{
    const size_t known = pieces->lengths[string->length];
    if (length > SIZE_MAX - known || (uint64_t)(known + length) >= USUBA_PIECES_BYTES)
        return USUBA_ERROR_LENGTH;
    *made = (string->count(known + length) - pieces->lengths[string->before]) * string->rate;
    return USUBA_OK;
}

/* Takes `count` blocks at `in`, and makes what is made of them at `made`. */
USUBA_STATIC int usuba_pieces_blocks(const struct usuba_string *string, const struct usuba_pieces *pieces,
                                     const unsigned char *in, unsigned char *made, size_t count)
{
    int result;
    pieces->lengths[string->now] = count;
    pieces->in[string->in] = in;
    pieces->out[string->out] = made;
    result = string->blocks(pieces->lengths, pieces->prepared, pieces->kept, pieces->in, pieces->out);
    pieces->lengths[string->before] += count;
    return result;
}

/* Takes `length` bytes, which usuba_pieces_check has allowed: all blocks that are there, and keeps what is left. */
USUBA_STATIC int usuba_pieces_take(const struct usuba_string *string, const struct usuba_pieces *pieces,
                                   unsigned char *out, const unsigned char *in, size_t length)
{
    size_t blocks, first, bytes;
    int result = 0;
    pieces->lengths[string->length] += length;
    blocks = string->count(pieces->lengths[string->length]) - pieces->lengths[string->before];
    if (blocks > 0 && *pieces->waiting > 0) {
        /* Blocks that begin with what waits. */
        first = (*pieces->waiting + string->rate - 1) / string->rate;
        first = first < blocks ? first : blocks;
        bytes = first * string->rate;
        if (bytes > *pieces->waiting) {
            const size_t more = bytes - *pieces->waiting;
            memcpy(pieces->held + *pieces->waiting, in, more);
            *pieces->waiting = bytes;
            in += more;
            length -= more;
        }
        result = usuba_pieces_blocks(string, pieces, pieces->held, out, first);
        *pieces->waiting -= bytes;
        memmove(pieces->held, pieces->held + bytes, *pieces->waiting);
        if (out != NULL)
            out += bytes;
        blocks -= first;
    }
    if (result == 0 && blocks > 0) {
        result = usuba_pieces_blocks(string, pieces, in, out, blocks);
        in += blocks * string->rate;
        length -= blocks * string->rate;
    }
    if (length > 0) {
        memcpy(pieces->held + *pieces->waiting, in, length);
        *pieces->waiting += length;
    }
    return result;
}

#endif
