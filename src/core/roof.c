#include "core/roof.h"

#include <stddef.h>

const char *const roof_words[ROOF_COUNT + 1] = {
#define X(name, words) #name,
    ROOFS(X)
#undef X
};
