/* @stem@.c - @title@: @specification@.
 *
 * Made of the Usuba text @file@ (@nodes@). The state is in general-purpose registers, on machines of both byte orders. */
#include "@stem@.h"
@includes@#include "usuba_buffers.h"
@if pieces
#include "usuba_pieces.h"
@end

#if defined(__GNUC__) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L)
#define _Alignas(bytes) __attribute__((aligned(bytes)))
#endif

@declarations@
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
