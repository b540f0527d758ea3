/* @stem@.c - @title@: @specification@.
 *
@if made
 * Made of the Usuba text @file@ (@nodes@). The state is in general-purpose registers, on machines of both byte orders. */
@end
@if fast
 * Made of the Usuba text @file@ (@nodes@), in place of whose code stands C by hand that computes the same. */
@end
#include "@stem@.h"
@includes@#include "usuba_buffers.h"
@if pieces
#include "usuba_pieces.h"
@end

#if defined(__GNUC__) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L)
#define _Alignas(bytes) __attribute__((aligned(bytes)))
#endif

@declarations@
@if fast
@if pieces
/* Where the parts find what they are given: the number of blocks in this piece and the length of the whole message, by their
 * places among the lengths; the key and the message among the inputs; the tag among the outputs. And bytes that are kept. */
enum {
    @STEM@_NOW = @now@,
    @STEM@_ALL = @length_place@,
    @STEM@_KEY = @key_place@,
    @STEM@_MESSAGE = @message_place@,
    @STEM@_TAG = @tag_place@,
    @STEM@_KEPT = 8 * @words@
};

@end
@end
@sources@
/* Where pointers to nothing point. */
static const unsigned char nothing[1] = { 0 };

/* What the code returns, as a result of a public function. */
static int result_of(int result)
{
    switch (result) {
    case 0: return USUBA_OK;
    case 1: return USUBA_ERROR_TAG;
    default: return USUBA_ERROR_LENGTH;
    }
}
