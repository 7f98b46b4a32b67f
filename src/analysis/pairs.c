#include "analysis/pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"
#include "core/column.h"
#include "core/metric.h"
#include "kernels/registry.h"
#include "plan/reading.h"
#include "process/shipped.h"

#define PAIRS_FILE_LIMIT (1u << 20)

/* ---- Values of a mapping ---- */

/* The text of a key; NULL in `*text` when the mapping lacks it, which is an error if it is `needed`. */
static int read_text(const struct reading *reading, const struct yaml_node *map, const char *key, bool needed,
                     const char **text)
{
    const struct yaml_node *node = yaml_map_find(map, key);
    *text = NULL;
    if (!node)
        return needed ? reading_fail(reading, map, "%s is missing", key) : 0;
    *text = reading_scalar(reading, node, key);
    return *text ? 0 : -1;
}

static int read_number(const struct reading *reading, const struct yaml_node *node, const char *what,
                       double *number)
{
    char *end;
    const char *text = reading_scalar(reading, node, what);
    if (!text)
        return -1;
    *number = strtod(text, &end);
    if (end == text || *end || !isfinite(*number))
        return reading_fail(reading, node, "%s: '%s' is not a number", what, yaml_quote(text).text);
    return 0;
}

/* A list with room for at most `most` items. */
static int read_list(const struct reading *reading, const struct yaml_node *node, const char *what,
                     size_t most)
{
    if (reading_list(reading, node, what) != 0)
        return -1;
    if (node->count > most)
        return reading_fail(reading, node, "%s: %zu of them; the most is %zu", what, node->count, most);
    return 0;
}

/* ---- Axes and conditions ---- */

static const struct axis *find_axis(const struct reading *reading, const struct yaml_node *node,
                                    const struct space *space, const char *name)
{
    const char *known[POINT_AXES_MAX + 1] = {NULL};
    int axis = space_axis(space, name);
    if (axis >= 0)
        return &space->axes[axis];
    for (int i = 0; i < space->count; i++)
        known[i] = space->axes[i].name;
    struct yaml_node named = *node;
    named.text = name;
    reading_unknown(reading, &named, "axis", known);
    return NULL;
}

/* "axis=value,value": an axis of the kernel and possible values of it. */
static int check_condition(const struct reading *reading, const struct yaml_node *node,
                           const struct space *space)
{
    char text[READING_SCALAR_MAX + 1], *rest = NULL;
    struct error why;
    int64_t ignored;
    snprintf(text, sizeof text, "%s", node->text);
    char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return reading_fail(reading, node, "'%s' is not a condition; expected axis=value or axis=value,value",
                            yaml_quote(node->text).text);
    *equals = '\0';
    const struct axis *axis = find_axis(reading, node, space, text);
    if (!axis)
        return -1;
    for (char *value = strtok_r(equals + 1, ",", &rest); value; value = strtok_r(NULL, ",", &rest))
        if (axis_parse(axis, value, &ignored, &why) != 0)
            return reading_fail(reading, node, "%s", why.text);
    return 0;
}

/* A list of conditions or axes; empty if it is left out. */
static int read_axes(const struct reading *reading, const struct yaml_node *map, const char *key,
                     const struct space *space, bool conditions, const char *out[PAIR_CONDITIONS_MAX + 1])
{
    const struct yaml_node *list = yaml_map_find(map, key);
    if (!list)
        return 0;
    if (read_list(reading, list, key, PAIR_CONDITIONS_MAX) != 0)
        return -1;
    for (const struct yaml_node *item = list->first; item; item = item->next) {
        if (!reading_scalar(reading, item, key))
            return -1;
        if (conditions ? check_condition(reading, item, space) != 0
                       : !find_axis(reading, item, space, item->text))
            return -1;
        *out++ = item->text;
    }
    return 0;
}

/* ---- Cases and quantities ---- */

static int read_cases(const struct reading *reading, const struct yaml_node *map, const struct space *space,
                      struct pair *pair)
{
    static const char *const keys[] = {"label", "where", NULL};
    const struct yaml_node *list = yaml_map_find(map, "cases");
    if (!list)
        return reading_fail(reading, map, "cases is missing");
    if (read_list(reading, list, "cases", PAIR_CASES_MAX) != 0)
        return -1;
    if (list->count < 2)
        return reading_fail(reading, list, "cases: a pair compares two or more");
    struct pair_case *one = pair->cases;
    for (const struct yaml_node *item = list->first; item; item = item->next, one++) {
        if (reading_map(reading, item, "case") != 0 ||
            reading_keys(reading, item, "key of a case", keys) != 0 ||
            read_text(reading, item, "label", true, &one->label) != 0 ||
            read_axes(reading, item, "where", space, true, one->where) != 0)
            return -1;
    }
    return 0;
}

/* A name that can be a column of reals: of every file, a counter, or a CUPTI metric. */
static int read_column(const struct reading *reading, const struct yaml_node *map, const char *key,
                       bool needed, const char **name)
{
    if (read_text(reading, map, key, needed, name) != 0)
        return -1;
    if (!*name || metric_find(*name) || strstr(*name, "__"))
        return 0;
    const struct column_info *column = column_find(*name);
    if (column && column->type == COLUMN_REAL)
        return 0;
    return reading_fail(reading, yaml_map_find(map, key),
                        "%s: '%s' is not a column of numbers; `warpsweep counters` lists the counters, "
                        "docs/results-file.md the others",
                        key, yaml_quote(*name).text);
}

static int read_figure(const struct reading *reading, const struct yaml_node *node,
                       struct pair_figure *figure)
{
    figure->given = true;
    if (node->kind != YAML_NODE_LIST) {
        int failed = read_number(reading, node, "source", &figure->low);
        figure->high = figure->low;
        return failed;
    }
    if (node->count != 2)
        return reading_fail(reading, node, "source: a range is [low, high]");
    if (read_number(reading, node->first, "source", &figure->low) != 0 ||
        read_number(reading, node->last, "source", &figure->high) != 0)
        return -1;
    return figure->low < figure->high ? 0 : reading_fail(reading, node, "source: a range is [low, high]");
}

static int read_source(const struct reading *reading, const struct yaml_node *map, const struct pair *pair,
                       struct pair_quantity *quantity)
{
    const struct yaml_node *list = yaml_map_find(map, "source");
    size_t cases = 0;
    if (!list)
        return 0;
    while (pair->cases[cases].label)
        cases++;
    if (reading_list(reading, list, "source") != 0)
        return -1;
    if (list->count != cases)
        return reading_fail(reading, list, "source: %zu figures for %zu cases", list->count, cases);
    struct pair_figure *figure = quantity->source;
    for (const struct yaml_node *item = list->first; item; item = item->next)
        if (read_figure(reading, item, figure++) != 0)
            return -1;
    return 0;
}

static int read_quantity(const struct reading *reading, const struct yaml_node *node, const struct pair *pair,
                         struct pair_quantity *quantity)
{
    static const char *const keys[] = {"label", "unit",   "column", "plus",   "minus",
                                       "per",   "factor", "source", "remark", NULL};
    *quantity = (struct pair_quantity){.factor = 1};
    if (reading_map(reading, node, "quantity") != 0 ||
        reading_keys(reading, node, "key of a quantity", keys) != 0 ||
        read_text(reading, node, "label", true, &quantity->label) != 0 ||
        read_text(reading, node, "unit", false, &quantity->unit) != 0 ||
        read_text(reading, node, "remark", false, &quantity->remark) != 0 ||
        read_column(reading, node, "column", true, &quantity->column) != 0 ||
        read_column(reading, node, "plus", false, &quantity->plus) != 0 ||
        read_column(reading, node, "minus", false, &quantity->minus) != 0 ||
        read_column(reading, node, "per", false, &quantity->per) != 0 ||
        read_source(reading, node, pair, quantity) != 0)
        return -1;
    if (!quantity->unit)
        quantity->unit = "";
    const struct yaml_node *factor = yaml_map_find(node, "factor");
    return factor ? read_number(reading, factor, "factor", &quantity->factor) : 0;
}

static int read_quantities(const struct reading *reading, const struct yaml_node *map, struct pair *pair)
{
    const struct yaml_node *list = yaml_map_find(map, "quantities");
    if (!list)
        return reading_fail(reading, map, "quantities is missing");
    if (read_list(reading, list, "quantities", PAIR_QUANTITIES_MAX) != 0)
        return -1;
    struct pair_quantity *quantity = pair->quantity;
    for (const struct yaml_node *item = list->first; item; item = item->next)
        if (read_quantity(reading, item, pair, quantity++) != 0)
            return -1;
    return 0;
}

/* ---- The file ---- */

static const struct space *read_kernel(const struct reading *reading, const struct yaml_node *map,
                                       struct pair *pair)
{
    const char *known[FAMILIES_MAX + 1] = {NULL};
    if (read_text(reading, map, "kernel", true, &pair->kernel) != 0)
        return NULL;
    const struct family *family = family_find(pair->kernel);
    if (family)
        return &family->space;
    for (int i = 0; families[i]; i++)
        known[i] = families[i]->space.kernel;
    reading_unknown(reading, yaml_map_find(map, "kernel"), "kernel", known);
    return NULL;
}

static int read_pair(const struct reading *reading, const struct yaml_node *node, struct pair *pair)
{
    static const char *const keys[] = {"table",        "title", "kernel",     "where", "free",
                                       "source_where", "cases", "quantities", "job",   NULL};
    if (reading_map(reading, node, "pair") != 0 || reading_keys(reading, node, "key of a pair", keys) != 0 ||
        read_text(reading, node, "table", false, &pair->table) != 0 ||
        read_text(reading, node, "title", true, &pair->title) != 0 ||
        read_text(reading, node, "job", true, &pair->job) != 0)
        return -1;
    const struct space *space = read_kernel(reading, node, pair);
    if (!space)
        return -1;
    if (read_axes(reading, node, "where", space, true, pair->where) != 0 ||
        read_axes(reading, node, "free", space, false, pair->free) != 0 ||
        read_axes(reading, node, "source_where", space, true, pair->source_where) != 0 ||
        read_cases(reading, node, space, pair) != 0)
        return -1;
    return read_quantities(reading, node, pair);
}

static int read_root(const struct reading *reading, struct pair_table *table)
{
    static const char *const keys[] = {"source", "pairs", NULL};
    static const struct yaml_node nothing = {.kind = YAML_NODE_SCALAR, .line = 1, .column = 1, .text = ""};
    const struct yaml_node *root = table->tree.root ? table->tree.root : &nothing;
    if (reading_map(reading, root, "a file of pairs") != 0 || reading_keys(reading, root, "key", keys) != 0 ||
        read_text(reading, root, "source", true, &table->source) != 0)
        return -1;
    const struct yaml_node *list = yaml_map_find(root, "pairs");
    if (!list)
        return reading_fail(reading, root, "pairs is missing");
    if (reading_list(reading, list, "pairs") != 0)
        return -1;
    table->pair = memory_new(list->count, sizeof *table->pair);
    for (const struct yaml_node *item = list->first; item; item = item->next)
        if (read_pair(reading, item, &table->pair[table->count++]) != 0)
            return -1;
    return 0;
}

int pairs_read(const char *path, struct pair_table *table, struct error *error)
{
    size_t size;
    *table = (struct pair_table){0};
    char *text = io_read_file(path, PAIRS_FILE_LIMIT, &size, error);
    if (!text)
        return -1;
    int failed = yaml_tree_parse(path, text, size, &table->tree, error);
    free(text);
    if (failed)
        return -1;
    struct reading reading = {.path = path, .error = error};
    if (read_root(&reading, table) == 0)
        return 0;
    pairs_free(table);
    return -1;
}

int pairs_read_shipped(struct pair_table *table, struct error *error)
{
    char *folder = shipped_folder(NULL, "pairs.yaml", error);
    struct text path = {0};
    if (!folder)
        return -1;
    text_add(&path, "%s/pairs.yaml", folder);
    int failed = pairs_read(path.data, table, error);
    free(folder);
    text_free(&path);
    return failed;
}

void pairs_free(struct pair_table *table)
{
    free(table->pair);
    yaml_tree_free(&table->tree);
    *table = (struct pair_table){0};
}
