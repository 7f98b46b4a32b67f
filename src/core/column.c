#include "core/column.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "core/device.h"
#include "core/result.h"
#include "derived_columns.h" /* made from the readers' table by cmake/Columns.cmake */

const struct column_info column_fixed[] = {
#define X(name, type, role, meaning) {#name, COLUMN_##type, ROLE_##role, "", meaning},
    FIXED_COLUMNS(X)
#undef X
};

const struct column_info column_reals[] = {
#define X(name, role, unit, meaning) {#name, COLUMN_REAL, ROLE_##role, unit, meaning},
    RESULT_REALS(X)
#undef X
};

const struct column_of_device column_devices[] = {
#define X(name, unit, meaning)                                                                               \
    {{#name, COLUMN_TEXT, ROLE_ENVIRONMENT, unit, meaning}, offsetof(struct device, name)},
    DEVICE_TEXTS(X)
#undef X
#define X(name, unit, meaning)                                                                               \
    {{#name, COLUMN_INTEGER, ROLE_ENVIRONMENT, unit, meaning}, offsetof(struct device, name)},
        DEVICE_INTS(X)
#undef X
#define X(name, unit, meaning)                                                                               \
    {{#name, COLUMN_REAL, ROLE_ENVIRONMENT, unit, meaning}, offsetof(struct device, name)},
            DEVICE_REALS(X)
#undef X
};
const int column_device_count = sizeof column_devices / sizeof *column_devices;

const char *const column_type_words[] = {"integer", "real", "text", NULL};

const char *const column_role_words[] = {
#define X(role, word, meaning) word,
    COLUMN_ROLES(X)
#undef X
        NULL,
};

const struct column_info *column_find(const char *name)
{
    for (int i = 0; i < FIXED_COUNT; i++)
        if (!strcmp(column_fixed[i].name, name))
            return &column_fixed[i];
    for (int i = 0; i < REAL_COUNT; i++)
        if (!strcmp(column_reals[i].name, name))
            return &column_reals[i];
    return NULL;
}

bool column_is_derived(const char *name)
{
    static const char *const derived[] = {DERIVED_COLUMNS, NULL};
    return text_find(derived, name) >= 0;
}

bool column_is_reserved(const char *name)
{
    /* What the time model adds: older files without its inputs keep theirs. */
    static const char *const predicted[] = {PREDICTED_COLUMNS, NULL};
    return column_find(name) || column_is_derived(name) || text_find(predicted, name) >= 0;
}

bool column_axis_has_words(const char *name)
{
    static const char *const axes[] = {"variant", "dtype", "arch", "cache", NULL};
    return text_find(axes, name) >= 0;
}

enum column_role column_role_named(const char *word)
{
    int role = text_find(column_role_words, word);
    return role < 0 ? ROLE_OTHER : (enum column_role)role;
}

enum column_role column_role_guess(const char *name, enum column_type type)
{
    const struct column_info *known = column_find(name);
    if (known)
        return known->role;
    return type == COLUMN_REAL ? ROLE_COUNTER : ROLE_AXIS;
}
