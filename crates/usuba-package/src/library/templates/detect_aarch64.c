#if defined(__linux__)
#include <sys/auxv.h>
#endif

/* Elsewhere than on Linux the compiler knows which machines it compiles for. */
static unsigned detect(void)
{
#if defined(__linux__)
    const unsigned long has = getauxval(AT_HWCAP);
@levels@#elif !defined(__ARM_FEATURE_AES) && !defined(__ARM_FEATURE_CRYPTO)
    return @all@;
#endif
    return @best@;
}

static unsigned detect_core(void)
{
    return 0;
}
