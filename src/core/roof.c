#include "core/roof.h"

#include <math.h>

#include "base/text.h"

const char *const roof_words[ROOF_COUNT + 1] = {
#define X(name, words) #name,
    ROOFS(X)
#undef X
};

#define ALONE 0.01 /* a smaller share of the bytes does not count */

struct roof_interval roof_share(double share, struct roof_interval time, struct roof_interval rate)
{
    double down = hypot(log(time.high / time.value), log(rate.high / rate.value)),
           up = hypot(log(time.value / time.low), log(rate.value / rate.low));
    return (struct roof_interval){share, share * exp(-down), share * exp(up)};
}
