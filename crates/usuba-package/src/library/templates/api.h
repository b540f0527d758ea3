#ifndef @PREFIX@API
/* In a static library functions are hidden: what it is linked to exports nothing of it. */
#if defined(__GNUC__) && !defined(USUBA_STATIC_LIBRARY)
#define @PREFIX@API __attribute__((visibility("default")))
#else
#define @PREFIX@API
#endif
#endif

