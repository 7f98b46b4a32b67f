#include "table/where.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "core/condition.h"
#include "kernels/registry.h"

/* A value, or all from `value` to `last`. */
struct term {
    union cell value, last;
    bool range;
};

struct condition {
    struct view_column column;
    enum relation relation;
    struct term *term;
    size_t terms, capacity;
    char *text; /* owned: what words point into */
};

struct where {
    const struct dataset *dataset;
    struct condition *condition;
    size_t conditions, capacity;
};

struct where *where_new(const struct dataset *dataset)
{
    struct where *where = memory_new(1, sizeof *where);
    where->dataset = dataset;
    return where;
}

static void free_condition(struct condition *condition)
{
    free(condition->term);
    free(condition->text);
}

void where_free(struct where *where)
{
    if (!where)
        return;
    for (size_t i = 0; i < where->conditions; i++)
        free_condition(&where->condition[i]);
    free(where->condition);
    free(where);
}

/* ---- Words ---- */

static bool word_is_known(const struct dataset *dataset, const struct view_column *column, const char *word)
{
    for (size_t row = 0; row < dataset->results.rows; row++)
        if (!strcmp(view_cell(dataset, row, column).text, word))
            return true;
    for (const struct family *const *family = families; *family; family++) {
        int axis = space_axis(&(*family)->space, column->name);
        int64_t value;
        struct error ignored;
        if (axis >= 0 && axis_parse(&(*family)->space.axes[axis], word, &value, &ignored) == 0)
            return true;
    }
    return column->words && text_find(column->words, word) >= 0;
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
    snprintf(what, sizeof what, "value of %s", column->name);
    return suggest_unknown(error, what, word, known);
}

/* ---- Reading ---- */

static int no_integer(const char *column, const char *text, struct error *error)
{
    char meant[64];
    bool hint = strlen(text) < 40 && text_hint_bytes(text, meant, sizeof meant);
    return error_set(error, ERROR_USAGE, "%s is a whole number, as 4 or 64MiB, not '%.40s'%s%s%s", column,
                     text, hint ? " (did you mean '" : "", hint ? meant : "", hint ? "'?)" : "");
}

static int parse_value(const struct dataset *dataset, const struct view_column *column, const char *text,
                       union cell *value, struct error *error)
{
    char *end;
    switch (view_header(dataset, column)->type) {
    case COLUMN_TEXT:
        value->text = text;
        return word_is_known(dataset, column, text) ? 0 : unknown_word(dataset, column, text, error);
    case COLUMN_INTEGER:
        if (!text_parse_integer(text, &value->integer) && !text_parse_bytes(text, &value->integer))
            return no_integer(column->name, text, error);
        return 0;
    default:
        value->real = strtod(text, &end);
        if (end == text || *end)
            return error_set(error, ERROR_USAGE, "%s is a number, not '%.40s'", column->name, text);
        return 0;
    }
}

/* "value" or, in a column of numbers, "first..last". */
static int parse_term(const struct dataset *dataset, const struct condition *condition, char *text,
                      struct term *term, struct error *error)
{
    const struct view_column *column = &condition->column;
    char *last = view_header(dataset, column)->type == COLUMN_TEXT ? NULL : condition_cut_range(text);
    *term = (struct term){.range = last != NULL};
    if (!last)
        return parse_value(dataset, column, text, &term->value, error);
    if (condition->relation != EQUAL && condition->relation != NOT_EQUAL)
        return error_set(error, ERROR_USAGE,
                         "'%.80s..%.80s' is a range; expected one value after < <= > >=", text, last);
    if (parse_value(dataset, column, text, &term->value, error) != 0)
        return -1;
    return parse_value(dataset, column, last, &term->last, error);
}

static int parse_terms(const struct dataset *dataset, struct condition *condition, char *values,
                       struct error *error)
{
    char *rest = NULL;
    for (char *text = strtok_r(values, ",", &rest); text; text = strtok_r(NULL, ",", &rest)) {
        condition->term =
            memory_grow(condition->term, condition->terms, &condition->capacity, sizeof *condition->term);
        if (parse_term(dataset, condition, text, &condition->term[condition->terms], error) != 0)
            return -1;
        condition->terms++;
    }
    if (condition->relation == EQUAL || condition->relation == NOT_EQUAL)
        return 0;
    if (view_header(dataset, &condition->column)->type == COLUMN_TEXT)
        return error_set(error, ERROR_USAGE,
                         "%s holds words, which have no order; expected = or !=", condition->column.name);
    if (condition->terms != 1)
        return error_set(error, ERROR_USAGE, "%s is compared with %zu values; expected one after < <= > >=",
                         condition->column.name, condition->terms);
    return 0;
}

int where_add(struct where *where, const char *text, struct error *error)
{
    struct condition condition = {.text = memory_text(text)};
    char *values = condition_cut(condition.text, &condition.relation);
    if (!values) {
        free_condition(&condition);
        return error_set(error, ERROR_USAGE, "'%.80s' is not a condition; " CONDITION_EXPECTED, text);
    }
    if (view_find_column(where->dataset, condition.text, &condition.column, error) != 0 ||
        parse_terms(where->dataset, &condition, values, error) != 0) {
        free_condition(&condition);
        return -1;
    }
    where->condition =
        memory_grow(where->condition, where->conditions, &where->capacity, sizeof *where->condition);
    where->condition[where->conditions++] = condition;
    return 0;
}

/* ---- Judging ---- */

/* -1, 0 or 1. Missing reals equal each other; 2 if only one is missing. */
static int compare_cells(enum column_type type, union cell a, union cell b)
{
    if (type == COLUMN_TEXT)
        return strcmp(a.text, b.text);
    if (type == COLUMN_INTEGER)
        return (a.integer > b.integer) - (a.integer < b.integer);
    if (isnan(a.real) || isnan(b.real))
        return isnan(a.real) && isnan(b.real) ? 0 : 2;
    return (a.real > b.real) - (a.real < b.real);
}

static bool is_one_of(const struct condition *condition, const struct column *column, union cell cell)
{
    bool missing = frame_is_missing(column, cell);
    for (size_t i = 0; i < condition->terms; i++) {
        const struct term *term = &condition->term[i];
        if (!term->range && compare_cells(column->type, cell, term->value) == 0)
            return true;
        if (term->range && !missing && compare_cells(column->type, cell, term->value) >= 0 &&
            compare_cells(column->type, cell, term->last) <= 0)
            return true;
    }
    return false;
}

static bool condition_holds(const struct condition *condition, const struct column *column, union cell cell)
{
    if (condition->relation == EQUAL || condition->relation == NOT_EQUAL)
        return is_one_of(condition, column, cell) == (condition->relation == EQUAL);
    if (frame_is_missing(column, cell))
        return false;
    return relation_holds(condition->relation, compare_cells(column->type, cell, condition->term[0].value));
}

static bool is_same_column(const struct condition *a, const struct condition *b)
{
    return !strcmp(a->column.name, b->column.name);
}

bool where_holds(const struct where *where, size_t row)
{
    for (size_t i = 0; i < where->conditions; i++) {
        const struct condition *one = &where->condition[i];
        const struct column *column = view_header(where->dataset, &one->column);
        union cell cell = view_cell(where->dataset, row, &one->column);
        bool holds = condition_holds(one, column, cell);
        for (size_t k = 0; !holds && one->relation == EQUAL && k < where->conditions; k++) {
            const struct condition *other = &where->condition[k];
            holds = other->relation == EQUAL && is_same_column(one, other) &&
                    condition_holds(other, column, cell);
        }
        if (!holds)
            return false;
    }
    return true;
}

static bool keep_matching(const struct view *view, size_t row, void *context)
{
    (void)view;
    return where_holds(context, row);
}

void where_keep(const struct where *where, struct view *view)
{
    view_keep(view, keep_matching, (void *)where);
}

static bool keep_kernel(const struct view *view, size_t row, void *context)
{
    int column = frame_find(&view->dataset->results, COLUMN(kernel));
    return !strcmp(frame_cell(&view->dataset->results, row, column)->text, context);
}

int where_keep_kernel(struct view *view, const char *kernel, struct error *error)
{
    struct view_column column = {0};
    size_t before = view->rows;
    if (view_find_column(view->dataset, COLUMN(kernel), &column, error) != 0)
        return -1;
    if (before && !word_is_known(view->dataset, &column, kernel) && !family_find(kernel))
        return unknown_word(view->dataset, &column, kernel, error);
    char *wanted = memory_text(kernel);
    view_keep(view, keep_kernel, wanted);
    free(wanted);
    return 0;
}
