#include "core/device.h"

#include <string.h>

struct device device_unknown(void)
{
    return (struct device){
#define X(name, unit, meaning) .name = "",
        DEVICE_TEXTS(X)
#undef X
#define X(name, unit, meaning) .name = DEVICE_NO_INTEGER,
            DEVICE_INTS(X)
#undef X
#define X(name, unit, meaning) .name = NAN,
                DEVICE_REALS(X)
#undef X
    };
}

bool device_is_measured(const char *column)
{
    static const char mark[] = "measured: ";
#define X(name, unit, meaning)                                                                               \
    if (!strcmp(column, #name))                                                                              \
        return !strncmp(meaning, mark, sizeof mark - 1);
    DEVICE_REALS(X)
#undef X
    return false;
}

bool device_same_product(const struct device *a, const struct device *b)
{
    const double tolerance = 0.01; /* drivers keep some megabytes more or less to themselves */
    double larger = fmax(fabs((double)a->memory_bytes), fabs((double)b->memory_bytes));
    bool processors = a->capability == 0 && b->capability == 0;
    return !strcmp(a->name, b->name) && !strcmp(a->backend, b->backend) &&
           (processors || a->multiprocessors == b->multiprocessors) &&
           fabs((double)a->memory_bytes - (double)b->memory_bytes) <= tolerance * larger;
}
