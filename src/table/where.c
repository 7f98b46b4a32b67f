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
    size_t terms;
    char *text; /* owned: what words point into */
};

struct conditions {
    struct condition *condition;
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
    add_words(known, &count,
              !strcmp(name, COLUMN(status)) ? status_words
              : !strcmp(name, COLUMN(stop)) ? stop_words
                                            : NULL);
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
    if (read_value(dataset, column, last ? last : text, &term->last, error) != 0)
        return -1;
    return last && view_compare_cells(column, term->first, term->last) == 1
               ? error_set(error, ERROR_USAGE, "%.80s..%.80s: the range is empty; expected first..last", text,
                           last)
               : 0;
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
    condition->term = memory_new(strlen(values), sizeof *condition->term); /* more than there are */
    for (char *one = strtok_r(values, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
        if (read_term(dataset, condition, one, &condition->term[condition->terms++], error) != 0)
            return -1;
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
