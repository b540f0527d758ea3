#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#define _Alignas(bytes) __attribute__((aligned(bytes)))
#endif

@prepare@;
@prototype@;

@code@
