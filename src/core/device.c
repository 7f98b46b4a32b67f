#include "core/device.h"

#include <string.h>

struct device device_unknown(void)
{
    return (struct device){
#define X(name, unit, meaning) .name = "",
        DEVICE_TEXTS(X)
#undef X
#define X(name, unit, meaning) .name = -1,
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
