#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#define _Alignas(bytes) __attribute__((aligned(bytes)))
#endif

@if grouped
int usuba_shares_ports(void);
#define USUBA_GROUPED(blocks) (usuba_shares_ports() ? USUBA_GROUPED_SHARED : (blocks))

@end
@prepare@;
@prototype@;

@code@@roles@
