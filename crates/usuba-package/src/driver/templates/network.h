/* @path@ - between @instances@ blocks of @bytes@ bytes and registers: a network that was found by search. */
#ifndef @GUARD@
#define @GUARD@

#include "usuba_format.h"

@networks@
@if conditional
#endif

@end
#endif
