/* The level of this machine, whether it has AVX-512 IFMA, and what there is code for from which level on. */
#define USUBA_IN_LIBRARY 1
#if defined(__GNUC__)
__attribute__((visibility("hidden")))
#endif
unsigned usuba_level(void);
#if defined(__GNUC__)
__attribute__((visibility("hidden")))
#endif
int usuba_has_ifma(void);
@lists@
