#include "core/device.h"

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
