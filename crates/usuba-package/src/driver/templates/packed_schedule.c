#include "usuba_buffers.h"
#include "@header@"

/* Runs the key schedule for one key. */
void @name@(unsigned char *round_keys, const unsigned char *key);

USUBA_NOINLINE void @name@(unsigned char *round_keys, const unsigned char *key)
{
    @in@;
    @out@;
    size_t i;
    memset(in, 0, sizeof in);
    for (i = 0; i < @key@; i += 16)
        memcpy(in + i / 16, key + (i + 16 <= @key@ ? i : @key@ - 16), 16);
    @symbol@(in, out);
    for (i = 0; i < @round_keys@; i += 16)
        memcpy(round_keys + i, out + i / 16, 16);
    usuba_wipe(in, sizeof in);
    usuba_wipe(out, sizeof out);
}
