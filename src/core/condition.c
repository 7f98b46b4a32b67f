#include "core/condition.h"

#include <stddef.h>
#include <string.h>

/* Longer ones first, so that <= is not read as <. */
static const struct {
    const char *sign;
    enum relation relation;
} signs[] = {{"!=", NOT_EQUAL}, {"<=", AT_MOST}, {">=", AT_LEAST}, {"<", LESS}, {">", GREATER}, {"=", EQUAL}};

char *condition_cut(char *text, enum relation *relation)
{
    char *at = text + strcspn(text, "!<>=");
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t length = strlen(signs[i].sign);
        if (strncmp(at, signs[i].sign, length) != 0)
            continue;
        *relation = signs[i].relation;
        *at = '\0';
        return at == text || !at[length] ? NULL : at + length;
    }
    return NULL;
}

char *condition_cut_range(char *value)
{
    char *dots = strstr(value, "..");
    if (!dots)
        return NULL;
    *dots = '\0';
    return dots + 2;
}

bool relation_holds(enum relation relation, int order)
{
    return (order == -1 && (relation == LESS || relation == AT_MOST)) ||
           (order == 1 && (relation == GREATER || relation == AT_LEAST)) ||
           (order == 0 && (relation == AT_MOST || relation == AT_LEAST));
}
