#include "usuba_library.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif
@prepare@;
@prototype@;
@batch_declaration@
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#define _Alignas(bytes) __attribute__((aligned(bytes)))
#endif

@code@@roles@@batch@#else
/* The code is for machines whose words begin with the least significant byte: there is none here. */
@none@@no_batch@#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
