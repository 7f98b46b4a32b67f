#include "table/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/error.h"
#include "base/text.h"
#include "core/condition.h"
#include "kernels/registry.h"

/* All values from `first` to `last`, which may be one. */
struct term {
    union cell first, last;
};

struct condition {
    struct view_column column;
    enum relation relation;
    struct term *term; /* owned */
    size_t terms, capacity;
    char *text; /* owned: what words point into */
};

struct conditions {
    struct condition *condition;
    int count;
};

/* ---- Reading ---- */

static bool word_is_known(const struct dataset *dataset, const struct view_column *column, const char *word)
{
    const char *name = column->header->name;
    struct error ignored;
    int64_t value;
    for (size_t row = 0; row < dataset->results.rows; row++)
        if (!strcmp(view_cell(dataset, row, column).text, word))
            return true;
    for (const struct family *const *family = families; *family; family++) {
        int axis = space_axis(&(*family)->space, name);
        if (axis >= 0 && axis_parse(&(*family)->space.axes[axis], word, &value, &ignored) == 0)
            return true;
    }
    return (column->words && text_find(column->words, word) >= 0) ||
           (!strcmp(name, COLUMN(kernel)) && family_find(word));
}

static int unknown_word(const struct dataset *dataset, const struct view_column *column, const char *word,
                        struct error *error)
{
    enum { SHOWN = 64 };
    const char *known[SHOWN + 1] = {NULL};
    int count = 0;
    for (const char *const *words = column->words; words && *words && count < SHOWN; words++)
        known[count++] = *words;
    for (size_t row = 0; row < dataset->results.rows && count < SHOWN; row++) {
        const char *text = view_cell(dataset, row, column).text;
        if (*text && text_find(known, text) < 0)
            known[count++] = text;
    }
    char what[192];
    snprintf(what, sizeof what, "value of %s", column->header->name);
    return suggest_unknown(error, what, word, known);
}

static int no_integer(const char *column, const char *text, struct error *error)
{
    char meant[64];
    bool hint = strlen(text) < 40 && text_hint_bytes(text, meant, sizeof meant);
    return error_set(error, ERROR_USAGE, "%s is a whole number, as 4 or 64MiB, not '%.40s'%s%s%s", column,
                     text, hint ? " (did you mean '" : "", hint ? meant : "", hint ? "'?)" : "");
}

static int read_value(const struct dataset *dataset, const struct view_column *column, const char *text,
                      union cell *value, struct error *error)
{
    const char *name = column->header->name;
    char *end;
    switch (column->header->type) {
    case COLUMN_TEXT:
        value->text = text;
        return word_is_known(dataset, column, text) ? 0 : unknown_word(dataset, column, text, error);
    case COLUMN_INTEGER:
        return text_parse_integer(text, &value->integer) || text_parse_bytes(text, &value->integer)
                   ? 0
                   : no_integer(name, text, error);
    default:
        value->real = strtod(text, &end);
        return end != text && !*end
                   ? 0
                   : error_set(error, ERROR_USAGE, "%s is a number, not '%.40s'", name, text);
    }
}

/* "value" or, in a column of numbers, "first..last". */
static int read_term(const struct dataset *dataset, const struct condition *condition, char *text,
                     struct term *term, struct error *error)
{
    const struct view_column *column = &condition->column;
    char *last = column->header->type == COLUMN_TEXT ? NULL : condition_cut_range(text);
    if (last && condition->relation != EQUAL && condition->relation != NOT_EQUAL)
        return error_set(error, ERROR_USAGE,
                         "'%.80s..%.80s' is a range; expected one value after < <= > >=", text, last);
    if (read_value(dataset, column, text, &term->first, error) != 0)
        return -1;
    return read_value(dataset, column, last ? last : text, &term->last, error);
}

static int read_condition(const struct dataset *dataset, const char *text, struct condition *condition,
                          struct error *error)
{
    condition->text = memory_text(text);
    char *values = condition_cut(condition->text, &condition->relation), *rest = NULL;
    if (!values)
        return error_set(error, ERROR_USAGE, "'%.80s' is not a condition; " CONDITION_EXPECTED, text);
    if (view_find(dataset, condition->text, &condition->column, error) != 0)
        return -1;
    const struct column *header = condition->column.header;
    for (char *one = strtok_r(values, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        condition->term =
            memory_grow(condition->term, condition->terms, &condition->capacity, sizeof *condition->term);
        if (read_term(dataset, condition, one, &condition->term[condition->terms++], error) != 0)
            return -1;
    }
    if (condition->relation == EQUAL || condition->relation == NOT_EQUAL)
        return 0;
    if (header->type == COLUMN_TEXT)
        return error_set(error, ERROR_USAGE,
                         "%s holds words, which have no order; expected = or !=", header->name);
    if (condition->terms != 1)
        return error_set(error, ERROR_USAGE,
                         "%s is compared with %zu values; expected one after < <= > >=", header->name,
                         condition->terms);
    return 0;
}

/* ---- Judging ---- */

static bool is_met(const struct condition *condition, union cell cell)
{
    const struct view_column *column = &condition->column;
    bool found = false;
    if (condition->relation != EQUAL && condition->relation != NOT_EQUAL)
        return !frame_is_missing(column->header, cell) &&
               relation_holds(condition->relation,
                              view_compare_cells(column, cell, condition->term[0].first));
    for (size_t i = 0; i < condition->terms && !found; i++) {
        int first = view_compare_cells(column, cell, condition->term[i].first),
            last = view_compare_cells(column, cell, condition->term[i].last);
        found = first == 0 || last == 0 || (first == 1 && last == -1); /* 2: one is missing */
    }
    return found == (condition->relation == EQUAL);
}

static bool meets_all(const struct view *view, size_t row, void *context)
{
    const struct conditions *all = context;
    for (int i = 0; i < all->count; i++) {
        const struct condition *one = &all->condition[i];
        union cell cell = view_cell(view->dataset, row, &one->column);
        bool met = is_met(one, cell);
        for (int k = 0; !met && one->relation == EQUAL && k < all->count; k++)
            met = all->condition[k].relation == EQUAL &&
                  all->condition[k].column.header == one->column.header && is_met(&all->condition[k], cell);
        if (!met)
            return false;
    }
    return true;
}

int where_keep(struct view *view, const char *const *conditions, int count, struct error *error)
{
    struct conditions all = {memory_new((size_t)count + 1, sizeof *all.condition), 0};
    int failed = 0;
    while (all.count < count && !failed) {
        const char *text = conditions[all.count];
        failed = read_condition(view->dataset, text, &all.condition[all.count++], error);
    }
    if (!failed)
        view_keep(view, meets_all, &all);
    for (int i = 0; i < all.count; i++) {
        free(all.condition[i].term);
        free(all.condition[i].text);
    }
    free(all.condition);
    return failed;
}
