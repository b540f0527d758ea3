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

/* The levels of a machine; each has what those before it have. Then the cores for which engines are chosen. */
@names@
enum { LEVELS = sizeof names / sizeof names[0], CORES = sizeof cores / sizeof cores[0], PLANS = LEVELS * CORES };

/* The level of this machine, and its core. */
@detect@
/* One more than the plan in use, a core and a level; 0 if nobody has asked. Threads that ask at once all find the same. */
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

/* The place of a text of so many bytes among others, or their number if it is none of them. */
static unsigned place(const char *const texts[], unsigned number, const char *text, size_t length)
{
    unsigned one = 0;
    while (one < number && (strlen(texts[one]) != length || memcmp(texts[one], text, length) != 0))
        one++;
    return one;
}

/* What a name says: a level, "@" and a core, or both. What it does not say is this machine's. */
struct wanted {
    unsigned level, core;
};

static struct wanted read_name(const char *name, unsigned best)
{
    const char *at = strchr(name, '@');
    const size_t length = at == NULL ? strlen(name) : (size_t)(at - name);
    struct wanted wanted;
    wanted.level = at == name ? best : place(names, LEVELS, name, length);
    wanted.core = at == NULL ? detect_core() : place(cores, CORES, at + 1, strlen(at + 1));
    return wanted;
}

/* Whether a machine with this level can do what is wanted. */
static int is_there(struct wanted wanted, unsigned best)
{
    return wanted.level <= best && wanted.core < CORES;
}

static unsigned plan_for(struct wanted wanted)
{
    return wanted.core * LEVELS + wanted.level;
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

static void list(const char *const texts[], unsigned number)
{
    unsigned one;
    for (one = 0; one < number; one++)
        fprintf(stderr, "%s %s", one == 0 ? "" : ",", texts[one]);
}

/* Says once that the environment names what cannot be used, and what can. */
static void complain(const char *name, struct wanted wanted, unsigned best)
{
    static unsigned said;
    const char *reason = wanted.core == CORES     ? "there is no such core"
                         : wanted.level == LEVELS ? "there is no such target"
                                                  : "this machine lacks it";
    if (!FIRST(&said))
        return;
    fprintf(stderr, "@PREFIX@TARGET=%.40s: %s; code for %s is used. ", name, reason, names[best]);
    if (wanted.core == CORES) {
        fputs("Cores are", stderr);
        list(cores, CORES);
    } else {
        fputs("This machine takes", stderr);
        list(names, best + 1);
    }
    fputs(".\n", stderr);
}

unsigned usuba_plan(void)
{
    unsigned plan = LOAD(&known);
    if (plan == 0) {
        const char *name = privileged() ? NULL : getenv("@PREFIX@TARGET");
        const unsigned best = detect();
        struct wanted wanted = read_name(name == NULL || name[0] == 0 ? names[best] : name, best);
        if (!is_there(wanted, best)) {
            complain(name, wanted, best);
            wanted = read_name(names[best], best);
        }
        plan = plan_for(wanted) + 1;
        STORE(&known, plan);
    }
    return plan - 1;
}

unsigned usuba_level(void)
{
    return usuba_plan() % LEVELS;
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

const char *@prefix@core(void)
{
    return cores[usuba_plan() / LEVELS];
}

int @prefix@set_target(const char *name)
{
    const unsigned best = detect();
    struct wanted wanted;
    if (name == NULL) {
        STORE(&known, 0);
        return USUBA_OK;
    }
    wanted = read_name(name, best);
    if (!is_there(wanted, best))
        return USUBA_ERROR_TARGET;
    STORE(&known, plan_for(wanted) + 1);
    return USUBA_OK;
}
