#include "@prefix@primitives.h"
@includes@#include <string.h>

/* Functions that take contexts of any type, and the row of each primitive. */
@rows@
static const @prefix@primitive *const primitives[] = {
@list@};

const @prefix@primitive *@prefix@primitive_at(size_t number)
{
    return number < sizeof primitives / sizeof primitives[0] ? primitives[number] : NULL;
}

const @prefix@primitive *@prefix@primitive_named(const char *name)
{
    size_t i;
    for (i = 0; name != NULL && i < sizeof primitives / sizeof primitives[0]; i++) {
        if (strcmp(primitives[i]->name, name) == 0)
            return primitives[i];
    }
    return NULL;
}
