#include "core/condition.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Longer ones first, so that <= is not read as <. */
static const struct {
    const char *sign;
    enum relation relation;
} signs[] = {{"!=", NOT_EQUAL}, {"<=", AT_MOST}, {">=", AT_LEAST}, {"<", LESS}, {">", GREATER}, {"=", EQUAL}};

/* Cut `text` behind the name, and return the values. NULL if the operator, the name or the values are
 * missing. */
static char *cut_name(char *text, enum relation *relation)
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

int condition_read(const char *text, struct condition *condition, struct error *error)
{
    *condition = (struct condition){.name = memory_text(text)};
    char *rest = NULL, *values = cut_name(condition->name, &condition->relation);
    if (!values)
        return error_set(error, ERROR_USAGE,
                         "'%.80s' is not a condition; expected column=value,value, column=first..last, or "
                         "column != < <= > >= value",
                         text);
    condition->value = memory_new(strlen(values), sizeof *condition->value); /* more than there are */
    for (char *one = strtok_r(values, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
        condition->value[condition->values++].first = one;
    if (!condition->values)
        return error_set(error, ERROR_USAGE, "'%.80s' has no value", text);
    return 0;
}

void condition_free(struct condition *condition)
{
    free(condition->name);
    free(condition->value);
}

int condition_cut_ranges(struct condition *condition, struct error *error)
{
    if (condition->relation >= LESS && condition->values != 1)
        return error_set(error, ERROR_USAGE,
                         "%.80s is compared with %zu values; expected one after < <= > >=", condition->name,
                         condition->values);
    for (size_t i = 0; i < condition->values; i++) {
        struct condition_value *value = &condition->value[i];
        char *dots = strstr(value->first, "..");
        if (dots && condition->relation >= LESS)
            return error_set(error, ERROR_USAGE,
                             "'%.160s' is a range; expected one value after < <= > >=", value->first);
        value->last = dots ? dots + 2 : NULL;
        if (dots)
            *dots = '\0';
    }
    return 0;
}

bool relation_holds(enum relation relation, int order)
{
    return (order == -1 && (relation == LESS || relation == AT_MOST)) ||
           (order == 1 && (relation == GREATER || relation == AT_LEAST)) ||
           (order == 0 && (relation == AT_MOST || relation == AT_LEAST));
}
