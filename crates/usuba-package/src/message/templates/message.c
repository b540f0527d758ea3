/*
@head@
 */
#include "@stem@.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "this code is for machines whose words begin with the least significant byte"
#endif

@code@