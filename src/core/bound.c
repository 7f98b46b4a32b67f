#include "core/bound.h"

#include <stddef.h>
#include <string.h>

const char *const bound_words[] = {
#define X(name, words) #name,
    BOUNDS(X)
#undef X
        NULL,
};

int bound_find(const char *word)
{
    for (int bound = 0; bound < BOUND_COUNT; bound++)
        if (!strcmp(bound_words[bound], word))
            return bound;
    return -1;
}

const char *bound_name(enum bound bound)
{
    static const char *const names[BOUND_COUNT] = {
#define X(name, words) words,
        BOUNDS(X)
#undef X
    };
    return names[bound];
}
