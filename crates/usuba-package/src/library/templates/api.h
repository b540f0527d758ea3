#ifndef @PREFIX@API
#if defined(__GNUC__)
#define @PREFIX@API __attribute__((visibility("default")))
#else
#define @PREFIX@API
#endif
#endif

