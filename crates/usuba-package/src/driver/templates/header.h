#ifndef @GUARD@
#define @GUARD@

#include <stddef.h>
#include <stdint.h>

@results@@api@#ifdef __cplusplus
extern "C" {
#endif
@declarations@
#ifdef __cplusplus
}
#endif

#endif
