#ifndef @PREFIX@CPU_H
#define @PREFIX@CPU_H

@results@@api@/* The version that this header is of. */
#define @PREFIX@VERSION "@version@"

#ifdef __cplusplus
extern "C" {
#endif

/* The version that the program is linked with. */
@API@const char *@prefix@version(void);

/* The best target that this machine has code for, such as "avx2"; "gp64" runs everywhere. The CPU and the operating system
 * are asked once. The environment variable @PREFIX@TARGET may name a lesser one; what it names is left aside if the machine
 * lacks it. */
@API@const char *@prefix@target(void);

/* Uses the target of this name from now on, for tests and comparisons: contexts that exist keep what they were made for.
 * NULL asks the machine anew. USUBA_ERROR_TARGET if there is no such target or the machine lacks it; then nothing has
 * changed. */
@API@int @prefix@set_target(const char *name);

#ifdef __cplusplus
}
#endif

#endif
