#include "core/bound.h"

#include <stddef.h>

const char *const bound_words[] = {
#define X(name, words) #name,
    BOUNDS(X)
#undef X
        NULL,
};

const char *bound_name(enum bound bound)
{
    static const char *const names[BOUND_COUNT] = {
#define X(name, words) words,
        BOUNDS(X)
#undef X
    };
    return names[bound];
}
