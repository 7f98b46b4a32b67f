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
/* Of derived_columns.h, whose types are words. */
enum { DERIVED_integer = COLUMN_INTEGER, DERIVED_real = COLUMN_REAL, DERIVED_text = COLUMN_TEXT };
#define X(name, type) {#name, (enum column_type)DERIVED_##type, ROLE_OTHER, "", ""},
static const struct column_info derived[] = {DERIVED_COLUMNS(X)};
/* What the time model adds: older files without its inputs keep theirs. */
static const struct column_info predicted[] = {PREDICTED_COLUMNS(X)};
#undef X

const int column_device_count = sizeof column_devices / sizeof *column_devices;

const char *const column_type_words[] = {"integer", "real", "text", NULL};

const char *const column_role_words[] = {
#define X(role, word, meaning) word,
    COLUMN_ROLES(X)
#undef X
        NULL,
};

static const struct column_info *find(const struct column_info *column, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(column[i].name, name))
            return &column[i];
    return NULL;
}

const struct column_info *column_find(const char *name)
{
    const struct column_info *fixed = find(column_fixed, FIXED_COUNT, name);
    return fixed ? fixed : find(column_reals, REAL_COUNT, name);
}

bool column_is_derived(const char *name)
{
    return find(derived, sizeof derived / sizeof *derived, name);
}

const struct column_info *column_find_readers(const char *name)
{
    const struct column_info *found = find(derived, sizeof derived / sizeof *derived, name);
    return found ? found : find(predicted, sizeof predicted / sizeof *predicted, name);
}

bool column_is_reserved(const char *name)
{
    return column_find(name) || column_find_readers(name);
}

bool column_axis_has_words(const char *name)
{
#define X(name) #name,
    static const char *const axes[] = {WORD_AXES(X) NULL};
#undef X
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
