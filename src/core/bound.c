#include "core/bound.h"

#include <stddef.h>

const char *const bound_words[] = {
#define X(name, words) #name,
    BOUNDS(X)
#undef X
        NULL,
};
