#include "core/roof.h"

#include <math.h>

#include "base/text.h"

const char *const roof_words[ROOF_COUNT + 1] = {
#define X(name, words) #name,
    ROOFS(X)
#undef X
};

const char *roof_name(enum roof_kind kind)
{
    static const char *const names[ROOF_COUNT] = {
#define X(name, words) words,
        ROOFS(X)
#undef X
    };
    return names[kind];
}

bool roof_is_flop(enum roof_kind kind)
{
    return kind >= ROOF_flop_f16 && kind <= ROOF_tensor_i8;
}

#define ALONE 0.01 /* a smaller share of the bytes does not count */

enum roof_kind roof_by_bytes(enum roof_kind kind, double read, double written)
{
    if (kind != ROOF_dram_mix)
        return kind;
    return written < ALONE * read ? ROOF_dram_read : read < ALONE * written ? ROOF_dram_write : kind;
}

const char *roof_in_words(const char *word)
{
    int kind = text_find(roof_words, word);
    return kind < 0 ? word : roof_name((enum roof_kind)kind);
}

struct roof_interval roof_share(double share, struct roof_interval time, struct roof_interval rate)
{
    double down = hypot(log(time.high / time.value), log(rate.high / rate.value)),
           up = hypot(log(time.value / time.low), log(rate.value / rate.low));
    return (struct roof_interval){share, share * exp(-down), share * exp(up)};
}
