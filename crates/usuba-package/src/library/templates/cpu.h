#ifndef @PREFIX@CPU_H
#define @PREFIX@CPU_H

@results@@api@/* The version that this header is of. */
#define @PREFIX@VERSION "@version@"

#ifdef __cplusplus
extern "C" {
#endif

/* The version that the program is linked with. */
@API@const char *@prefix@version(void);

/* The target whose code runs: the best one that this machine has code for, such as "avx2"; "gp64" runs everywhere. The CPU
 * and the operating system are asked once. The environment variable @PREFIX@TARGET may name a lesser one, with the names
 * that @prefix@set_target takes. If it names no target, or one that the machine lacks, that is said once on the standard
 * error, with the names there are, and the best one is used. An empty variable is none; programs that run with more rights
 * than their user (set-user-ID and the like) do not read it. */
@API@const char *@prefix@target(void);

/* The core for which one of several implementations is chosen: that of this machine or the nearest known one, such as "zen-4";
 * "any" on machines whose cores are not told apart. */
@API@const char *@prefix@core(void);

/* Uses the target of this name from now on, for tests and comparisons: contexts that exist keep what they were made for.
 * "avx2@zen-4" is that target with the choices for a core, "@zen-4" the best target with them; any machine takes those of any
 * core. NULL asks the machine anew. USUBA_ERROR_TARGET if there is no such target or core, or the machine lacks the target;
 * then nothing has changed. */
@API@int @prefix@set_target(const char *name);

#ifdef __cplusplus
}
#endif

#endif
