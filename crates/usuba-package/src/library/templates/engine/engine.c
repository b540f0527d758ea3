@if conditional
#if @condition@
@end
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
@headers@
@if features
/* Whatever the flags of the compiler: this file is for machines that have these. */
#if defined(__clang__)
#define USUBA_VECTOR_BYTES @bytes@
#pragma clang attribute push(__attribute__((target("@features@"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("@features@")
#endif

@end
#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif
@files@
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
@if features
#if defined(__clang__)
#pragma clang attribute pop
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
@end
@if conditional
#else
typedef int @stem@_is_for_other_machines;
#endif
@end
