#include "plan/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "family/versions.h"
#include "kernels/registry.h"

/* The index of the axis that a node names, or -1 with the error. */
static int find_axis(const struct reading *reading, const struct yaml_node *at, const struct space *space)
{
    const char *names[POINT_AXES_MAX + 1] = {NULL};
    char what[80];
    for (int i = 0; i < space->count; i++)
        names[i] = space->axes[i].name;
    snprintf(what, sizeof what, "axis of kernel %s", space->kernel);
    return reading_word(reading, at, what, at->text, names);
}

int sweep_read_kernel(struct reading *reading, const struct yaml_node *node, struct job_sweep *sweep)
{
    static const char *const known[] = {"kernel", "axes", "zip", "exclude", NULL};
    if (reading_map(reading, node, "sweep") != 0)
        return -1;
    sweep->line = node->line;
    sweep->column = node->column;
    const struct yaml_node *kernel = yaml_map_find(node, "kernel");
    if (!kernel)
        return reading_keys(reading, node, "key in a sweep", known) != 0
                   ? -1
                   : reading_fail(reading, node, "this sweep has no kernel; expected `kernel: NAME`");
    const char *name = reading_scalar(reading, kernel, "kernel");
    if (!name)
        return -1;
    sweep->family = family_find(name);
    if (!sweep->family) {
        const char *names[FAMILIES_MAX + 1] = {NULL};
        for (int i = 0; families[i]; i++)
            names[i] = families[i]->space.kernel;
        reading_word(reading, kernel, "kernel", name, names);
        return error_set(reading->error, ERROR_USAGE, "%s; load your own kernels with --kernels DIR",
                         reading->error->text);
    }
    for (const struct yaml_node *key = node->first; key; key = key->next)
        if (space_axis(&sweep->family->space, key->text) >= 0)
            return reading_fail(reading, key, "'%s' is an axis; it belongs under `axes:`", key->text);
    return reading_keys(reading, node, "key in a sweep", known);
}

/* Values of one axis: from the sweep, else from the defaults of the job, else timing.cache, else the standard
 * value; both versions of a paired run. */
static int read_axis(struct reading *reading, const struct yaml_node *axes,
                     const struct sweep_context *context, int index, struct job_sweep *sweep)
{
    const struct space *space = &sweep->family->space;
    const struct axis *axis = &space->axes[index];
    struct job_axis *out = &sweep->axes[index];
    *out = (struct job_axis){.axis = index, .group = index};
    struct yaml_node *own = axes ? yaml_map_find(axes, axis->name) : NULL;
    if (own)
        return values_read(reading, axis, own, out);
    struct yaml_node *shared = context->defaults ? yaml_map_find(context->defaults, axis->name) : NULL;
    if (shared) {
        if (values_read(reading, axis, shared, out) == 0)
            return 0;
        return error_set(reading->error, ERROR_USAGE, "%s (a default, applied to kernel %s at line %d)",
                         reading->error->text, space->kernel, sweep->line);
    }
    out->values = memory_new(VERSIONS, sizeof *out->values);
    if (index == versions_axis(space)) {
        out->count = VERSIONS;
        for (int v = 0; v < VERSIONS; v++)
            out->values[v] = v;
        return 0;
    }
    const bool cache = context->cache_given && axis->words == cache_words;
    out->count = 1;
    out->values[0] = cache ? (int64_t)context->cache : space_standard(space, index);
    return 0;
}

static int read_axes(struct reading *reading, const struct yaml_node *axes,
                     const struct sweep_context *context, struct job_sweep *sweep)
{
    if (axes && reading_map(reading, axes, "axes") != 0)
        return -1;
    for (const struct yaml_node *key = axes ? axes->first : NULL; key; key = key->next)
        if (find_axis(reading, key, &sweep->family->space) < 0)
            return -1;
    for (int i = 0; i < sweep->family->space.count; i++) {
        sweep->axis_count = i + 1;
        if (read_axis(reading, axes, context, i, sweep) != 0)
            return -1;
    }
    return 0;
}

/* One group of `zip`, like `[stride, vector]`. Its axes must have equally many values. */
static int read_group(struct reading *reading, const struct yaml_node *group, bool tied[POINT_AXES_MAX],
                      struct job_sweep *sweep)
{
    int first = -1, leader = POINT_AXES_MAX;
    if (group->kind != YAML_NODE_LIST || group->count < 2)
        return reading_fail(
            reading, group,
            "zip: expected a list of groups of two or more axes, as in zip: [[stride, vector]]");
    for (const struct yaml_node *item = group->first; item; item = item->next) {
        int index =
            reading_scalar(reading, item, "zip") ? find_axis(reading, item, &sweep->family->space) : -1;
        if (index < 0)
            return -1;
        if (tied[index])
            return reading_fail(reading, item, "zip: axis %s is given twice", item->text);
        tied[index] = true;
        if (first < 0)
            first = index;
        if (sweep->axes[index].count != sweep->axes[first].count)
            return reading_fail(
                reading, item,
                "zip: %s and %s have %zu and %zu values; axes that move together have equally many",
                item->text, sweep->family->space.axes[first].name, sweep->axes[index].count,
                sweep->axes[first].count);
        leader = index < leader ? index : leader;
    }
    for (const struct yaml_node *item = group->first; item; item = item->next)
        sweep->axes[space_axis(&sweep->family->space, item->text)].group = leader;
    return 0;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_values(struct job_axis *axis)
{
    qsort(axis->values, axis->count, sizeof *axis->values, by_value);
}

static bool has_value(const struct job_axis *sorted, int64_t value)
{
    return bsearch(&value, sorted->values, sorted->count, sizeof value, by_value) != NULL;
}

/* The first excluded value that the sweep does not have, or NULL. It would exclude nothing, so it is an
 * error. */
static const int64_t *find_missing(const struct job_axis *excluded, const struct job_axis *swept)
{
    struct job_axis sorted = {.values = memory_new(swept->count, sizeof *swept->values),
                              .count = swept->count};
    size_t i = 0;
    memcpy(sorted.values, swept->values, swept->count * sizeof *swept->values);
    sort_values(&sorted);
    while (i < excluded->count && has_value(&sorted, excluded->values[i]))
        i++;
    free(sorted.values);
    return i < excluded->count ? &excluded->values[i] : NULL;
}

static int read_exclude(struct reading *reading, const struct yaml_node *node, const struct job_sweep *sweep,
                        struct job_exclude *exclude)
{
    if (reading_map(reading, node, "exclude") != 0)
        return -1;
    exclude->axes = memory_new(node->count, sizeof *exclude->axes);
    for (const struct yaml_node *key = node->first; key; key = key->next) {
        int index = find_axis(reading, key, &sweep->family->space);
        if (index < 0)
            return -1;
        const struct axis *axis = &sweep->family->space.axes[index];
        struct job_axis *out = &exclude->axes[exclude->count];
        if (values_read(reading, axis, key->value, out) != 0)
            return -1;
        exclude->count++;
        out->axis = out->group = index;
        sort_values(out);
        const int64_t *missing = find_missing(out, &sweep->axes[index]);
        if (missing) {
            char shown[AXIS_TEXT_SIZE];
            axis_format(axis, *missing, shown);
            return reading_fail(reading, key->value, "exclude: the sweep has no point with %s = %s",
                                axis->name, shown);
        }
    }
    return 0;
}

static int read_excludes(struct reading *reading, const struct yaml_node *list, struct job_sweep *sweep)
{
    if (reading_list(reading, list, "exclude") != 0)
        return -1;
    if (list->count > JOB_EXCLUDES_MAX)
        return reading_fail(reading, list, "exclude: %zu entries in one sweep; the maximum is %d",
                            list->count, JOB_EXCLUDES_MAX);
    sweep->excludes = memory_new(list->count, sizeof *sweep->excludes);
    for (const struct yaml_node *item = list->first; item; item = item->next)
        if (read_exclude(reading, item, sweep, &sweep->excludes[sweep->exclude_count++]) != 0)
            return -1;
    return 0;
}

bool sweep_excludes(const struct job_sweep *sweep, const struct point *point)
{
    for (int e = 0; e < sweep->exclude_count; e++) {
        const struct job_exclude *exclude = &sweep->excludes[e];
        bool matches = true;
        for (int i = 0; i < exclude->count && matches; i++)
            matches = has_value(&exclude->axes[i], point->value[exclude->axes[i].axis]);
        if (matches)
            return true;
    }
    return false;
}

int sweep_read(struct reading *reading, const struct yaml_node *node, const struct sweep_context *context,
               struct job_sweep *sweep)
{
    const struct yaml_node *zip = yaml_map_find(node, "zip"), *exclude = yaml_map_find(node, "exclude");
    bool tied[POINT_AXES_MAX] = {false};
    if (read_axes(reading, yaml_map_find(node, "axes"), context, sweep) != 0 ||
        (zip && reading_list(reading, zip, "zip") != 0))
        return -1;
    for (const struct yaml_node *group = zip ? zip->first : NULL; group; group = group->next)
        if (read_group(reading, group, tied, sweep) != 0)
            return -1;
    return exclude ? read_excludes(reading, exclude, sweep) : 0;
}

void sweep_free(struct job_sweep *sweep)
{
    for (int i = 0; i < sweep->axis_count; i++)
        free(sweep->axes[i].values);
    for (int e = 0; e < sweep->exclude_count; e++) {
        for (int i = 0; i < sweep->excludes[e].count; i++)
            free(sweep->excludes[e].axes[i].values);
        free(sweep->excludes[e].axes);
    }
    free(sweep->excludes);
    *sweep = (struct job_sweep){0};
}
