#include "@library@.h"

const char *@prefix@version(void)
{
    return @PREFIX@VERSION;
}
