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

/* The first four letters of a vendor (CPUID leaf 0, EBX), a family and a model of it, and its core. */
static const struct model {
    unsigned vendor, family, model, core;
} models[] = {
@models@};

static unsigned difference(unsigned a, unsigned b)
{
    return a < b ? b - a : a - b;
}

/* Of models of the same vendor the one with the nearest family, of those the one with the nearest number, of equals the first; of
 * other vendors the first of all. */
static unsigned detect_core(void)
{
    unsigned most, one, vendor, others[2], family, model, core = 0, least = ~0u;
    size_t row;
    __cpuid(0, most, vendor, others[0], others[1]);
    __cpuid(1, one, most, others[0], others[1]);
    family = one >> 8 & 15;
    model = one >> 4 & 15;
    if (family == 6 || family == 15)
        model |= one >> 12 & 0xf0;
    if (family == 15)
        family += one >> 20 & 255;
    for (row = 0; row < sizeof models / sizeof models[0]; row++) {
        const unsigned apart =
            difference(models[row].family, family) * 256 + difference(models[row].model, model);
        if (models[row].vendor == vendor && apart < least) {
            least = apart;
            core = models[row].core;
        }
    }
    return core;
}
