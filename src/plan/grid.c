#include "plan/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_set.h"
#include "base/memory.h"

struct grid {
    const struct job_sweep *sweep; /* of the job */
    int sweeps;
    uint64_t *first; /* per sweep, and one more: combinations of the sweeps before it, with excluded ones */
    uint32_t *combination; /* per point: its index among the combinations of all sweeps */
    uint64_t *id;          /* per point */
    uint32_t *second; /* per point: the second of its pair, which may be itself; NULL: the job has no pairs */
    struct grid_size size;
};

/* Combination number `n` of a sweep. Its last axis changes fastest; zipped axes step with the first of their
 * group. */
static struct point combination(const struct job_sweep *sweep, uint64_t n)
{
    struct point point = {.space = &sweep->family->space};
    size_t at[POINT_AXES_MAX]; /* index of the value */
    for (int i = sweep->axis_count - 1; i >= 0; i--)
        if (sweep->axes[i].group == i) {
            at[i] = n % sweep->axes[i].count;
            n /= sweep->axes[i].count;
        }
    for (int i = 0; i < sweep->axis_count; i++)
        point.value[i] = sweep->axes[i].values[at[sweep->axes[i].group]];
    return point;
}

/* ---- Size ---- */

/* Combinations of a sweep: exact up to 2^53, which is more than a job may have. */
static double count_combinations(const struct job_sweep *sweep)
{
    double count = 1;
    for (int i = 0; i < sweep->axis_count; i++)
        count *= sweep->axes[i].group == i ? (double)sweep->axes[i].count : 1;
    return count;
}

static int check_size(const struct job *job, struct error *error)
{
    double total = 0, most = 0;
    const struct job_sweep *largest = job->sweeps;
    for (int i = 0; i < job->sweep_count; i++) {
        double count = count_combinations(&job->sweeps[i]);
        total += count;
        if (count > most) {
            most = count;
            largest = &job->sweeps[i];
        }
    }
    if (total <= (double)GRID_POINTS_MAX)
        return 0;
    char shown[40];
    snprintf(shown, sizeof shown, total < 1e15 ? "%.0f" : "about %.1e", total);
    return error_at(
        job->path, largest->line, largest->column, error,
        "this job has %s points before excludes, most of them in this sweep; the maximum is %" PRIu64, shown,
        (uint64_t)GRID_POINTS_MAX);
}

/* ---- Expansion ---- */

/* Add a point unless it is a duplicate. `table`: indices + 1 of points by id. -1 if two different points have
 * the same id. */
static int keep(struct grid *grid, struct keys *table, const struct point *point, uint64_t combination,
                struct error *error)
{
    uint64_t id = point_id(point);
    uint32_t *known = keys_number(table, id);
    if (!*known) {
        *known = (uint32_t)grid->size.points + 1;
        grid->id[grid->size.points] = id;
        grid->combination[grid->size.points++] = (uint32_t)combination;
        return 0;
    }
    struct point other = grid_point(grid, *known - 1);
    if (other.space == point->space &&
        !memcmp(other.value, point->value, sizeof *point->value * (size_t)point->space->count)) {
        grid->size.duplicates++;
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

static int expand_sweep(struct grid *grid, struct keys *table, const struct job *job, int sweep,
                        struct error *error)
{
    const struct job_sweep *of = &job->sweeps[sweep];
    for (uint64_t n = grid->first[sweep]; n < grid->first[sweep + 1]; n++) {
        struct point point = combination(of, n - grid->first[sweep]);
        if (sweep_excludes(of, &point))
            grid->size.excluded++;
        else if (!job_wants(job, &point))
            grid->size.unwanted++;
        else if (keep(grid, table, &point, n, error) != 0)
            return -1;
    }
    return 0;
}

static void find_partners(struct grid *grid, const struct keys *table, const struct job_pair *pair)
{
    if (!job_pair_is_wanted(pair))
        return;
    grid->second = memory_new(grid->size.points, sizeof *grid->second);
    for (size_t i = 0; i < grid->size.points; i++) {
        struct point point = grid_point(grid, i);
        int64_t value[2];
        int axis = job_pair_of(pair, point.space, value);
        grid->second[i] = GRID_ALONE;
        if (axis < 0 || (point.value[axis] != value[0] && point.value[axis] != value[1]))
            continue;
        bool second = point.value[axis] == value[1];
        point.value[axis] = value[!second];
        uint32_t partner = keys_find(table, point_id(&point)) - 1; /* GRID_ALONE, if it is not there */
        if (partner == GRID_ALONE)
            continue;
        grid->second[i] = second ? (uint32_t)i : partner;
        grid->size.pairs += second;
    }
}

static int expand_all(struct grid *grid, const struct job *job, struct error *error)
{
    const uint64_t total = grid->first[job->sweep_count];
    int status = 0;
    struct keys table = {0};
    grid->combination = memory_new(total, sizeof *grid->combination);
    grid->id = memory_new(total, sizeof *grid->id);
    for (int i = 0; i < job->sweep_count && status == 0; i++)
        status = expand_sweep(grid, &table, job, i, error);
    if (status == 0)
        find_partners(grid, &table, &job->pair);
    keys_free(&table);
    if (status == 0 && grid->size.points == 0)
        status = error_at(job->path, job->sweeps[0].line, job->sweeps[0].column, error,
                          grid->size.unwanted ? "no points remain: `exclude` leaves out %zu, `only` %zu"
                                              : "no points remain: `exclude` leaves out all %zu",
                          grid->size.excluded, grid->size.unwanted);
    if (status != 0)
        return -1;
    grid->combination = memory_resize(grid->combination, grid->size.points, sizeof *grid->combination);
    grid->id = memory_resize(grid->id, grid->size.points, sizeof *grid->id);
    return 0;
}

int grid_expand(const struct job *job, struct grid **out, struct error *error)
{
    *out = NULL;
    if (check_size(job, error) != 0)
        return -1;
    struct grid *grid = memory_new(1, sizeof *grid);
    grid->sweep = job->sweeps;
    grid->sweeps = job->sweep_count;
    grid->first = memory_new((size_t)job->sweep_count + 1, sizeof *grid->first);
    for (int i = 0; i < job->sweep_count; i++)
        grid->first[i + 1] = grid->first[i] + (uint64_t)count_combinations(&job->sweeps[i]);
    if (expand_all(grid, job, error) != 0) {
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
    free(grid->first);
    free(grid->combination);
    free(grid->id);
    free(grid->second);
    free(grid);
}

/* ---- Reading ---- */

size_t grid_count(const struct grid *grid)
{
    return grid->size.points;
}

const struct grid_size *grid_size(const struct grid *grid)
{
    return &grid->size;
}

uint64_t grid_id(const struct grid *grid, size_t index)
{
    return grid->id[index];
}

uint32_t grid_second(const struct grid *grid, size_t index)
{
    return grid->second && !grid_is_second(grid, index) ? grid->second[index] : GRID_ALONE;
}

bool grid_is_second(const struct grid *grid, size_t index)
{
    return grid->second && grid->second[index] == index;
}

void grid_separate(struct grid *grid, size_t index)
{
    grid->second[index] = GRID_ALONE;
}

struct point grid_point(const struct grid *grid, size_t index)
{
    uint64_t n = grid->combination[index];
    int low = 0, high = grid->sweeps - 1; /* the last sweep that starts at or before it */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (grid->first[middle] <= n)
            low = middle;
        else
            high = middle - 1;
    }
    return combination(&grid->sweep[low], n - grid->first[low]);
}
