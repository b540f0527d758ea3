#include "@prefix@cpu.h"
#include "usuba_library.h"
#include <stdio.h>
#include <stdlib.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/auxv.h>
#elif defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

const char *@prefix@version(void)
{
    return @PREFIX@VERSION;
}

/* The levels of a machine; each has what those before it have. */
@names@
/* The level of this machine. */
@detect@
/* One more than the level in use; 0 if nobody has asked. Threads that ask at once all find the same. */
static unsigned known;

#if defined(__GNUC__) || defined(__clang__)
#define LOAD(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define STORE(p, x) __atomic_store_n(p, x, __ATOMIC_RELAXED)
#define FIRST(p) (__atomic_exchange_n(p, 1, __ATOMIC_RELAXED) == 0)
#else
#define LOAD(p) (*(volatile unsigned *)(p))
#define STORE(p, x) (*(volatile unsigned *)(p) = (x))
#define FIRST(p) ((*(p))++ == 0)
#endif

/* The level with this name among the first `levels`, or `levels` if none has it. */
static unsigned named(const char *name, unsigned levels)
{
    unsigned level = 0;
    while (level < levels && strcmp(names[level], name) != 0)
        level++;
    return level;
}

/* Whether the program has more rights than who started it, whose environment it then must not follow. */
static int privileged(void)
{
#if defined(__linux__)
    return getauxval(AT_SECURE) != 0;
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
    return issetugid() != 0;
#elif defined(__unix__)
    return getuid() != geteuid() || getgid() != getegid();
#else
    return 0;
#endif
}

/* Says once that the environment names what cannot be used, and what can. */
static void complain(const char *wanted, unsigned best)
{
    static unsigned said;
    const unsigned levels = (unsigned)(sizeof names / sizeof names[0]);
    if (!FIRST(&said))
        return;
    fprintf(stderr, "@PREFIX@TARGET=%.40s: %s; code for %s is used. This machine takes", wanted,
            named(wanted, levels) < levels ? "this machine lacks it" : "there is no such target", names[best]);
    for (unsigned level = 0; level <= best; level++)
        fprintf(stderr, "%s %s", level == 0 ? "" : ",", names[level]);
    fputs(".\n", stderr);
}

unsigned usuba_level(void)
{
    unsigned level = LOAD(&known);
    if (level == 0) {
        const char *wanted = privileged() ? NULL : getenv("@PREFIX@TARGET");
        const unsigned best = detect();
        level = wanted == NULL || wanted[0] == 0 ? best : named(wanted, best + 1);
        if (level > best) {
            complain(wanted, best);
            level = best;
        }
        level++;
        STORE(&known, level);
    }
    return level - 1;
}

/* AMD's cores: so measured on Zen 4, and taken to be so on the others. */
static int shares_ports(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    unsigned most, name[3] = { 0 };
    __cpuid(0, most, name[0], name[2], name[1]);
    return memcmp(name, "AuthenticAMD", sizeof name) == 0 || memcmp(name, "HygonGenuine", sizeof name) == 0;
#else
    return 0;
#endif
}

/* Whether the processor has AVX-512 IFMA, which no level promises. */
static int has_ifma(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    unsigned seven[4] = { 0 };
    if (__get_cpuid_max(0, NULL) >= 7)
        __cpuid_count(7, 0, seven[0], seven[1], seven[2], seven[3]);
    return seven[1] >> 21 & 1;
#else
    return 0;
#endif
}

/* The answer to a question, which is asked once: what is kept is one more. */
static int answer(unsigned *kept, int (*ask)(void))
{
    unsigned answer = LOAD(kept);
    if (answer == 0) {
        answer = 1 + (unsigned)ask();
        STORE(kept, answer);
    }
    return answer == 2;
}

int usuba_shares_ports(void)
{
    static unsigned kept;
    return answer(&kept, shares_ports);
}

int usuba_has_ifma(void)
{
    static unsigned kept;
    return answer(&kept, has_ifma);
}

const char *@prefix@target(void)
{
    return names[usuba_level()];
}

int @prefix@set_target(const char *name)
{
    const unsigned best = detect();
    const unsigned level = name == NULL ? best : named(name, best + 1);
    if (level > best)
        return USUBA_ERROR_TARGET;
    STORE(&known, name == NULL ? 0 : level + 1);
    return USUBA_OK;
}
