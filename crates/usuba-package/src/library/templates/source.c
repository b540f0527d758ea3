@if threads
#define USUBA_THREADS 1
@end
#include "@stem@.h"
#include "usuba_library.h"

