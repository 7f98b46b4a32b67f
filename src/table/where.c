#include "table/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/condition.h"
#include "kernels/registry.h"

/* All values from `first` to `last`, which may be one. */
struct term {
    union cell first, last;
};

struct row_condition {
    struct condition as_written;
    struct view_column column;
    struct term *term; /* owned: one for each value */
};

struct conditions {
    struct row_condition *condition;
    int count;
};

/* ---- Reading ---- */

enum { WORDS_MAX = 1000 }; /* all variants of all families are fewer */

/* Each word once; `known` ends with NULL. */
static void add_words(const char *known[WORDS_MAX + 1], int *count, const char *const *words)
{
    for (; words && *words && *count < WORDS_MAX; words++)
        if (**words && text_find(known, *words) < 0)
            known[(*count)++] = *words;
}

/* A word is one of the rows', or one that a kernel of this release has. */
static int check_word(const struct dataset *dataset, const struct view_column *column, const char *word,
                      struct error *error)
{
    const char *name = column->header->name, *known[WORDS_MAX + 1] = {NULL};
    char what[192];
    int count = 0;
    for (size_t row = 0; row < dataset->results.rows; row++) {
        const char *const texts[] = {view_cell(dataset, row, column).text, NULL};
        if (!strcmp(texts[0], word))
            return 0;
        add_words(known, &count, texts);
    }
    if (!strcmp(name, COLUMN(status)))
        add_words(known, &count, status_words);
    else if (!strcmp(name, COLUMN(stop)))
        add_words(known, &count, stop_words);
    for (const struct family *const *family = families; *family; family++) {
        const struct space *space = &(*family)->space;
        const char *const kernel[] = {space->kernel, NULL};
        int axis = space_axis(space, name);
        int64_t value;
        if (axis >= 0 && axis_parse(&space->axes[axis], word, &value, NULL) == 0)
            return 0;
        add_words(known, &count, axis >= 0 ? space->axes[axis].words : NULL);
        add_words(known, &count, !strcmp(name, COLUMN(kernel)) ? kernel : NULL);
    }
    snprintf(what, sizeof what, "value of %s", name);
    return text_find(known, word) >= 0 ? 0 : suggest_unknown(error, what, word, known);
}

static int read_value(const struct dataset *dataset, const struct view_column *column, const char *text,
                      union cell *value, struct error *error)
{
    const char *name = column->header->name;
    char *end, meant[64];
    if (column->header->type == COLUMN_TEXT) {
        value->text = text;
        return check_word(dataset, column, text, error);
    }
    if (!strcasecmp(text, "nan")) { /* as missing numbers are printed */
        *value = frame_missing(column->header->type);
        return 0;
    }
    if (column->header->type == COLUMN_REAL) {
        value->real = strtod(text, &end);
        return end != text && !*end
                   ? 0
                   : error_set(error, ERROR_USAGE, "%s is a number, not '%.40s'", name, text);
    }
    if (text_parse_integer(text, &value->integer) || text_parse_bytes(text, &value->integer))
        return 0;
    bool hint = strlen(text) < 40 && text_hint_bytes(text, meant, sizeof meant);
    return error_set(error, ERROR_USAGE, "%s is a whole number, as 4 or 64MiB, not '%.40s'%s%s%s", name, text,
                     hint ? " (did you mean '" : "", hint ? meant : "", hint ? "'?)" : "");
}

static int read_term(const struct dataset *dataset, const struct view_column *column,
                     const struct condition_value *value, struct term *term, struct error *error)
{
    if (read_value(dataset, column, value->first, &term->first, error) != 0)
        return -1;
    term->last = term->first;
    if (!value->last)
        return 0;
    if (read_value(dataset, column, value->last, &term->last, error) != 0)
        return -1;
    return view_compare_cells(column, term->first, term->last) > 0
               ? error_set(error, ERROR_USAGE, "%.80s..%.80s: the range is empty; expected first..last",
                           value->first, value->last)
               : 0;
}

static int read_condition(const struct dataset *dataset, const char *text, struct row_condition *condition,
                          struct error *error)
{
    struct condition *written = &condition->as_written;
    if (condition_read(text, written, error) != 0 ||
        view_find(dataset, written->name, &condition->column, error) != 0)
        return -1;
    const struct column *header = condition->column.header;
    const bool words = header->type == COLUMN_TEXT;
    if (words && written->relation >= LESS)
        return error_set(error, ERROR_USAGE,
                         "%s holds words, which have no order; expected = or !=", header->name);
    if (!words && condition_cut_ranges(written, error) != 0)
        return -1;
    condition->term = memory_new(written->values, sizeof *condition->term);
    for (size_t i = 0; i < written->values; i++)
        if (read_term(dataset, &condition->column, &written->value[i], &condition->term[i], error) != 0)
            return -1;
    return 0;
}

/* ---- Judging ---- */

static bool is_met(const struct row_condition *condition, union cell cell)
{
    const struct view_column *column = &condition->column;
    const enum relation relation = condition->as_written.relation;
    bool found = false;
    if (relation >= LESS)
        return !frame_is_missing(column->header, cell) &&
               relation_holds(relation, view_compare_cells(column, cell, condition->term[0].first));
    for (size_t i = 0; i < condition->as_written.values && !found; i++) {
        int first = view_compare_cells(column, cell, condition->term[i].first),
            last = view_compare_cells(column, cell, condition->term[i].last);
        found = first == 0 || last == 0 || (first == 1 && last == -1); /* 2: one is missing */
    }
    return found == (relation == EQUAL);
}

static bool meets_all(const struct view *view, size_t row, void *context)
{
    const struct conditions *all = context;
    for (int i = 0; i < all->count; i++) {
        const struct row_condition *one = &all->condition[i];
        const bool equal = one->as_written.relation == EQUAL;
        union cell cell = view_cell(view->dataset, row, &one->column);
        bool met = is_met(one, cell);
        for (int k = 0; !met && equal && k < all->count; k++)
            met = all->condition[k].as_written.relation == EQUAL &&
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
        condition_free(&all.condition[i].as_written);
    }
    free(all.condition);
    return failed;
}
