#include "plan/grid.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/only.h"
#include "plan/yaml.h"

/* A digit of a sweep's odometer: an axis of several values, or several zipped axes. */
struct digit {
    size_t count;
    int axis[POINT_AXES_MAX]; /* indices into the family's axes */
    int axes;
    uint64_t *masks; /* per value: the excludes (one bit each) that still match */
};

/* A sweep as an odometer, whose last digit changes fastest. */
struct wheel {
    const struct job_sweep *sweep;
    uint64_t first, count; /* combinations of earlier sweeps; of this one, with excluded ones */
    struct digit digit[POINT_AXES_MAX];
    int digits;
    struct point base;  /* axes of one value are set; digits set the others */
    uint64_t base_mask; /* the excludes that match the axes of one value */
};

struct grid {
    struct wheel *wheels;
    int wheel_count;
    uint32_t *combination; /* per point: its index among the combinations of all sweeps */
    uint64_t *id;          /* per point */
    uint32_t *partner;     /* per point: the other one of its pair; NULL: the job has no pairs */
    bool *second;          /* per point: it is the second of a pair */
    size_t pairs;
    size_t count, duplicates, excluded, unwanted;
};

/* ---- Excludes ---- */

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* The excludes of a sweep that match `axis` at `value`: they list the value, or do not name the axis. */
static uint64_t exclude_mask(const struct job_sweep *sweep, int axis, int64_t value)
{
    uint64_t mask = 0;
    for (int e = 0; e < sweep->exclude_count; e++) {
        bool matches = true;
        for (int i = 0; i < sweep->excludes[e].count; i++) {
            const struct job_axis *named = &sweep->excludes[e].axes[i];
            if (named->axis == axis)
                matches = bsearch(&value, named->values, named->count, sizeof value, by_value) != NULL;
        }
        mask |= (uint64_t)matches << e;
    }
    return mask;
}

/* ---- Wheels ---- */

static void add_digit(struct wheel *wheel, int leader)
{
    const struct job_sweep *sweep = wheel->sweep;
    struct digit *digit = &wheel->digit[wheel->digits++];
    digit->count = sweep->axes[leader].count;
    for (int i = leader; i < sweep->axis_count; i++)
        if (sweep->axes[i].group == leader)
            digit->axis[digit->axes++] = i;
    if (!sweep->exclude_count)
        return;
    digit->masks = memory_new(digit->count, sizeof *digit->masks);
    for (size_t d = 0; d < digit->count; d++) {
        digit->masks[d] = UINT64_MAX;
        for (int i = 0; i < digit->axes; i++)
            digit->masks[d] &= exclude_mask(sweep, digit->axis[i], sweep->axes[digit->axis[i]].values[d]);
    }
}

static void make_wheel(struct wheel *wheel, const struct job_sweep *sweep, uint64_t first)
{
    *wheel = (struct wheel){.sweep = sweep, .first = first, .count = 1};
    wheel->base.space = &sweep->family->space;
    wheel->base_mask = sweep->exclude_count ? UINT64_MAX : 0;
    for (int i = 0; i < sweep->axis_count; i++) {
        const struct job_axis *axis = &sweep->axes[i];
        if (axis->count == 1) {
            wheel->base.value[i] = axis->values[0];
            wheel->base_mask &= exclude_mask(sweep, i, axis->values[0]);
        } else if (axis->group == i) {
            add_digit(wheel, i);
            wheel->count *= axis->count; /* no overflow: check_size has checked the product */
        }
    }
}

static void free_masks(struct wheel *wheel)
{
    for (int k = 0; k < wheel->digits; k++) {
        free(wheel->digit[k].masks);
        wheel->digit[k].masks = NULL;
    }
}

static void set_digit(const struct wheel *wheel, int k, size_t d, struct point *point)
{
    const struct digit *digit = &wheel->digit[k];
    for (int i = 0; i < digit->axes; i++)
        point->value[digit->axis[i]] = wheel->sweep->axes[digit->axis[i]].values[d];
}

/* ---- Size ---- */

/* Combinations of a sweep, also as a real number. False if they overflow `count`. */
static bool count_combinations(const struct job_sweep *sweep, uint64_t *count, double *about)
{
    bool fits = true;
    *count = 1;
    *about = 1;
    for (int i = 0; i < sweep->axis_count; i++) {
        if (sweep->axes[i].group != i)
            continue;
        *about *= (double)sweep->axes[i].count;
        fits = fits && !__builtin_mul_overflow(*count, (uint64_t)sweep->axes[i].count, count);
    }
    return fits;
}

static int check_size(const struct job *job, struct error *error)
{
    uint64_t total = 0;
    double about_total = 0, about_largest = 0;
    bool fits = true;
    const struct job_sweep *largest = job->sweeps;
    for (int i = 0; i < job->sweep_count; i++) {
        uint64_t count;
        double about;
        fits = count_combinations(&job->sweeps[i], &count, &about) && fits;
        fits = fits && !__builtin_add_overflow(total, count, &total);
        about_total += about;
        if (about > about_largest) {
            about_largest = about;
            largest = &job->sweeps[i];
        }
    }
    if (fits && total <= GRID_POINTS_MAX)
        return 0;
    char shown[40];
    if (fits)
        snprintf(shown, sizeof shown, "%" PRIu64, total);
    else
        snprintf(shown, sizeof shown, "about %.1e", about_total);
    return yaml_fail_at(
        job->path, largest->line, largest->column, error,
        "this job has %s points before excludes, most of them in this sweep; the maximum is %" PRIu64, shown,
        (uint64_t)GRID_POINTS_MAX);
}

/* ---- Expansion ---- */

/* A hash table of points by id: open addressing; a slot holds index + 1. */
struct table {
    uint32_t *slot;
    size_t mask;
};

static struct table table_new(uint64_t points)
{
    size_t size = 16;
    while (size < 2 * points)
        size *= 2;
    return (struct table){memory_new(size, sizeof(uint32_t)), size - 1};
}

/* Add a point unless it is a duplicate. -1 if two different points have the same id. */
static int keep(struct grid *grid, struct table *table, const struct point *point, uint64_t combination,
                struct error *error)
{
    uint64_t id = point_id(point);
    size_t at = id & table->mask;
    for (; table->slot[at]; at = (at + 1) & table->mask) {
        size_t index = table->slot[at] - 1;
        if (grid->id[index] != id)
            continue;
        struct point other = grid_point(grid, index);
        if (other.space == point->space &&
            !memcmp(other.value, point->value, sizeof *point->value * (size_t)point->space->count)) {
            grid->duplicates++;
            return 0;
        }
        struct text a = {0}, b = {0};
        point_describe(point, &a);
        point_describe(&other, &b);
        error_set(error, ERROR_USAGE, "internal error: two points share the id %016" PRIx64 ": %s; %s", id,
                  a.data, b.data);
        text_free(&a);
        text_free(&b);
        return -1;
    }
    table->slot[at] = (uint32_t)grid->count + 1;
    grid->id[grid->count] = id;
    grid->combination[grid->count++] = (uint32_t)combination;
    return 0;
}

static int expand_wheel(struct grid *grid, struct table *table, const struct job *job, int sweep,
                        struct error *error)
{
    const struct wheel *wheel = &grid->wheels[sweep];
    size_t turned[POINT_AXES_MAX] = {0};
    uint64_t masks[POINT_AXES_MAX + 1] = {
        wheel->base_mask}; /* [k]: the excludes that match digits before k */
    struct point point = wheel->base;
    int changed = 0; /* the slowest digit that changed */
    for (uint64_t n = 0; n < wheel->count; n++) {
        for (int k = changed; k < wheel->digits; k++) {
            const uint64_t *digit_masks = wheel->digit[k].masks;
            masks[k + 1] = masks[k] & (digit_masks ? digit_masks[turned[k]] : 0);
            set_digit(wheel, k, turned[k], &point);
        }
        if (masks[wheel->digits])
            grid->excluded++;
        else if (!only_wants(job, sweep, &point))
            grid->unwanted++;
        else if (keep(grid, table, &point, wheel->first + n, error) != 0)
            return -1;
        for (changed = wheel->digits - 1; changed >= 0 && ++turned[changed] == wheel->digit[changed].count;
             changed--)
            turned[changed] = 0;
    }
    return 0;
}

static uint32_t find(const struct grid *grid, const struct table *table, uint64_t id)
{
    for (size_t at = id & table->mask; table->slot[at]; at = (at + 1) & table->mask)
        if (grid->id[table->slot[at] - 1] == id)
            return table->slot[at] - 1;
    return GRID_ALONE;
}

static void find_partners(struct grid *grid, const struct table *table, const struct job_pair *pair)
{
    if (!job_pair_is_wanted(pair))
        return;
    grid->partner = memory_new(grid->count, sizeof *grid->partner);
    grid->second = memory_new(grid->count, sizeof *grid->second);
    for (size_t i = 0; i < grid->count; i++) {
        struct point point = grid_point(grid, i);
        int64_t value[2];
        int axis = job_pair_of(pair, point.space, value);
        grid->partner[i] = GRID_ALONE;
        if (axis < 0 || (point.value[axis] != value[0] && point.value[axis] != value[1]))
            continue;
        bool second = point.value[axis] == value[1];
        point.value[axis] = value[!second];
        grid->partner[i] = find(grid, table, point_id(&point));
        grid->second[i] = second && grid->partner[i] != GRID_ALONE;
        grid->pairs += grid->second[i];
    }
}

static int expand_all(struct grid *grid, const struct job *job, uint64_t total, struct error *error)
{
    int status = 0;
    struct table table = table_new(total);
    grid->combination = memory_new(total, sizeof *grid->combination);
    grid->id = memory_new(total, sizeof *grid->id);
    for (int i = 0; i < grid->wheel_count && status == 0; i++) {
        status = expand_wheel(grid, &table, job, i, error);
        free_masks(&grid->wheels[i]);
    }
    if (status == 0)
        find_partners(grid, &table, &job->pair);
    free(table.slot);
    if (status == 0 && grid->count == 0)
        status = yaml_fail_at(job->path, job->sweeps[0].line, job->sweeps[0].column, error,
                              grid->unwanted ? "no points remain: `exclude` leaves out %zu, `only` %zu"
                                             : "no points remain: `exclude` leaves out all %zu",
                              grid->excluded, grid->unwanted);
    if (status != 0)
        return -1;
    grid->combination = memory_resize(grid->combination, grid->count, sizeof *grid->combination);
    grid->id = memory_resize(grid->id, grid->count, sizeof *grid->id);
    return 0;
}

int grid_expand(const struct job *job, struct grid **out, struct error *error)
{
    *out = NULL;
    if (check_size(job, error) != 0)
        return -1;
    struct grid *grid = memory_new(1, sizeof *grid);
    uint64_t total = 0;
    grid->wheels = memory_new((size_t)job->sweep_count, sizeof *grid->wheels);
    for (; grid->wheel_count < job->sweep_count; grid->wheel_count++) {
        struct wheel *wheel = &grid->wheels[grid->wheel_count];
        make_wheel(wheel, &job->sweeps[grid->wheel_count], total);
        total += wheel->count;
    }
    if (expand_all(grid, job, total, error) != 0) {
        grid_free(grid);
        return -1;
    }
    *out = grid;
    return 0;
}

void grid_free(struct grid *grid)
{
    if (!grid)
        return;
    for (int i = 0; i < grid->wheel_count; i++)
        free_masks(&grid->wheels[i]);
    free(grid->wheels);
    free(grid->combination);
    free(grid->id);
    free(grid->partner);
    free(grid->second);
    free(grid);
}

/* ---- Reading ---- */

size_t grid_count(const struct grid *grid)
{
    return grid->count;
}

size_t grid_duplicates(const struct grid *grid)
{
    return grid->duplicates;
}

size_t grid_excluded(const struct grid *grid)
{
    return grid->excluded;
}

size_t grid_unwanted(const struct grid *grid)
{
    return grid->unwanted;
}

uint64_t grid_id(const struct grid *grid, size_t index)
{
    return grid->id[index];
}

uint32_t grid_partner(const struct grid *grid, size_t index)
{
    return grid->partner ? grid->partner[index] : GRID_ALONE;
}

bool grid_is_second(const struct grid *grid, size_t index)
{
    return grid->second && grid->second[index];
}

size_t grid_pairs(const struct grid *grid)
{
    return grid->pairs;
}

struct point grid_point(const struct grid *grid, size_t index)
{
    uint64_t combination = grid->combination[index];
    int low = 0, high = grid->wheel_count - 1; /* the last wheel that starts at or before it */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (grid->wheels[middle].first <= combination)
            low = middle;
        else
            high = middle - 1;
    }
    const struct wheel *wheel = &grid->wheels[low];
    struct point point = wheel->base;
    uint64_t rest = combination - wheel->first;
    for (int k = wheel->digits - 1; k >= 0; k--) {
        set_digit(wheel, k, rest % wheel->digit[k].count, &point);
        rest /= wheel->digit[k].count;
    }
    return point;
}
