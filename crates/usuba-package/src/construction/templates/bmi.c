/* Whether this machine has BMI1 and BMI2; not defined where there is no code for these alone. */
#if defined(USUBA_IN_LIBRARY) && defined(USUBA_LEVEL_AVX2) && defined(__x86_64__) && defined(__GNUC__) && !defined(__BMI2__)
#define USUBA_HAS_BMI (usuba_level() >= USUBA_LEVEL_AVX2)
#endif
