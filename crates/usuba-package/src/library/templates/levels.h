/* The level of this machine, and what there is code for from which level on. */
#define USUBA_IN_LIBRARY 1
#if defined(__GNUC__)
__attribute__((visibility("hidden")))
#endif
unsigned usuba_level(void);
@lists@
