#ifndef @LIBRARY@_H
#define @LIBRARY@_H

@includes@
/* The version that this header is of. */
#define @PREFIX@VERSION "@version@"

#ifdef __cplusplus
extern "C" {
#endif

/* The version that the program is linked with. */
@API@const char *@prefix@version(void);

#ifdef __cplusplus
}
#endif

#endif
