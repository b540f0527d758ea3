#include "@prefix@cpu.h"
#include "usuba_library.h"
#include <stdlib.h>

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
#else
#define LOAD(p) (*(volatile unsigned *)(p))
#define STORE(p, x) (*(volatile unsigned *)(p) = (x))
#endif

/* The level with this name among the first `levels`, or `levels` if none has it. */
static unsigned named(const char *name, unsigned levels)
{
    unsigned level = 0;
    while (level < levels && strcmp(names[level], name) != 0)
        level++;
    return level;
}

unsigned usuba_level(void)
{
    unsigned level = LOAD(&known);
    if (level == 0) {
        const char *wanted = getenv("@PREFIX@TARGET");
        const unsigned best = detect();
        level = wanted == NULL ? best : named(wanted, best + 1);
        level = (level > best ? best : level) + 1;
        STORE(&known, level);
    }
    return level - 1;
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
