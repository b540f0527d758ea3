#include <cpuid.h>

static unsigned detect(void)
{
    unsigned one[4] = { 0 }, seven[4] = { 0 }, state = 0, high;
    __cpuid(1, one[0], one[1], one[2], one[3]);
    if (__get_cpuid_max(0, NULL) >= 7)
        __cpuid_count(7, 0, seven[0], seven[1], seven[2], seven[3]);
    /* Which registers the operating system saves: XGETBV, if there is one. */
    if (one[2] >> 27 & 1)
        __asm__ __volatile__(".byte 0x0f, 0x01, 0xd0" : "=a"(state), "=d"(high) : "c"(0));
@levels@    return @best@;
}
