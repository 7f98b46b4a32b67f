#include "figure/tables/ladder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "figure/tables/rows.h"
#include "table/where.h"

/* The steps from a naive matrix product to the vendor's, as jobs/ladder.yaml measures them. Each is what its conditions name.
 * All are shown at one size: the one that most of them have. */
#define CONDITIONS_MAX 9
static const struct step {
    const char *name, *class;
    const char *where[CONDITIONS_MAX]; /* ends with NULL */
} steps[] = {
    {"naive", "f32", {"kernel=matmul", "variant=naive"}},
    {"tiled", "f32", {"kernel=matmul", "variant=tiled", "tile=32"}},
    {"registers, 2 x 2",
     "f32",
     {"kernel=matmul", "variant=register", "block_tile=64", "outputs=2", "slice=8"}},
    {"16-byte accesses, 8 x 8",
     "f32",
     {"kernel=matmul", "variant=register", "block_tile=128", "outputs=8", "slice=8"}},
    {"cp.async",
     "f32",
     {"kernel=matmul", "variant=cp_async", "tile_shape=128x128", "slice=16", "stages=4", "group=8",
      "split=1"}},
    {"TMA",
     "f32",
     {"kernel=matmul", "variant=tma", "tile_shape=128x128", "slice=16", "stages=4", "group=8", "split=1"}},
    {"tiles of 128 x 256",
     "f32",
     {"kernel=matmul", "variant=tma", "tile_shape=128x256", "slice=32", "stages=4", "group=16", "split=1"}},
    {"cuBLAS", "f32, library", {"kernel=matmul", "variant=cublas"}},
    {"cuBLASLt", "f32, library", {"kernel=matmul", "variant=cublaslt"}},
    {"mma",
     "bf16",
     {"kernel=tensor_matmul", "dtype=bf16", "variant=mma", "tile_shape=128x256", "stages=4", "group=8"}},
    {"mma, TMA",
     "bf16",
     {"kernel=tensor_matmul", "dtype=bf16", "variant=mma", "tile_shape=128x256", "stages=4", "group=16",
      "copy=tma"}},
    {"wgmma, 1 stage",
     "bf16",
     {"kernel=tensor_matmul", "dtype=bf16", "variant=wgmma", "stages=1", "persistent=off", "group=1",
      "cluster=1"}},
    {"specialised, 4 stages",
     "bf16",
     {"kernel=tensor_matmul", "dtype=bf16", "variant=wgmma", "stages=4", "persistent=off", "group=1",
      "cluster=1"}},
    {"persistent",
     "bf16",
     {"kernel=tensor_matmul", "dtype=bf16", "variant=wgmma", "stages=4", "persistent=on", "group=1",
      "cluster=1"}},
    {"groups of 8 rows",
     "bf16",
     {"kernel=tensor_matmul", "dtype=bf16", "variant=wgmma", "stages=4", "persistent=on", "group=8",
      "cluster=1"}},
    {"multicast",
     "bf16",
     {"kernel=tensor_matmul", "dtype=bf16", "variant=wgmma", "stages=4", "persistent=on", "group=8",
      "cluster=2"}},
    {"cuBLASLt, bf16", "bf16, library", {"kernel=tensor_matmul", "dtype=bf16", "variant=cublaslt"}},
};
enum { STEPS = sizeof steps / sizeof *steps, RUNGS_MIN = 3 };

/* What no step is about, unless it names the axis: such products compute something else, or stand beside the ladder. A row without the
 * axis meets these. */
static const char *const aside[][2] = {{"copy", "copy!=tma"},       {"sparse", "sparse!=on"},
                                       {"scale", "scale!=e8m0"},    {"promote", "promote!=1..16"},
                                       {"dtype_c", "dtype_c!=f32"}, {"data", "data!=whole,ones,zeros"}};

static bool names(const struct step *step, const char *axis)
{
    const size_t length = strlen(axis);
    for (int c = 0; c < CONDITIONS_MAX && step->where[c]; c++)
        if (!strncmp(step->where[c], axis, length) && step->where[c][length] == '=')
            return true;
    return false;
}

/* The rows of a step. A file without a column or a value of its conditions does not have it. */
static void mark_step(const struct merged *all, const struct view *view, const struct step *step, bool *is_of)
{
    struct where *where = where_new(&all->all);
    struct error ignored;
    bool known = true;
    for (int c = 0; c < CONDITIONS_MAX && step->where[c] && known; c++)
        known = where_add(where, step->where[c], &ignored) == 0;
    for (size_t i = 0; i < sizeof aside / sizeof *aside; i++)
        if (!names(step, aside[i][0]))
            where_add(where, aside[i][1], &ignored); /* a file without the column has none of them */
    for (size_t i = 0; i < view->rows && known; i++) {
        dataset_evict_at(view->dataset, i);
        is_of[i] = where_holds(where, view->row[i]) &&
                   status_is_ok(merge_text(all, view->row[i], COLUMN(status))) &&
                   merge_real(all, view->row[i], COLUMN(flop_rate)) > 0;
    }
    where_free(where);
}

/* How many steps have a product of this many operations. `mark`: of each step, which rows are its own; `shown`: which steps those are. */
static int steps_of_size(const struct merged *all, const struct view *view, const bool *mark, double flops,
                         bool shown[STEPS])
{
    int count = 0;
    for (int s = 0; s < STEPS; s++) {
        shown[s] = false;
        for (size_t i = 0; i < view->rows && !shown[s]; i++)
            shown[s] =
                mark[(size_t)s * view->rows + i] && merge_real(all, view->row[i], COLUMN(flops)) == flops;
        count += shown[s];
    }
    return count;
}

/* The size that most steps have, and of several of those the largest; NaN without rows. */
static double common_size(const struct merged *all, const struct view *view, const bool *mark)
{
    double size = NAN;
    int most = 0;
    bool shown[STEPS];
    for (size_t i = 0; i < STEPS * view->rows; i++) {
        double flops = mark[i] ? merge_real(all, view->row[i % view->rows], COLUMN(flops)) : NAN;
        if (isnan(flops) || flops == size)
            continue;
        int count = steps_of_size(all, view, mark, flops, shown);
        if (count > most || (count == most && flops > size)) {
            most = count;
            size = flops;
        }
    }
    return size;
}

size_t ladder_rows(const struct merged *all, const struct view *view, struct ladder_row **rows)
{
    bool *mark = memory_new(STEPS * view->rows + 1, sizeof *mark), shown[STEPS];
    size_t count = 0;
    for (int s = 0; s < STEPS; s++)
        mark_step(all, view, &steps[s], &mark[(size_t)s * view->rows]);
    const double size = common_size(all, view, mark);
    const int rungs = steps_of_size(all, view, mark, size, shown);
    *rows = memory_new(STEPS * view->rows + 1, sizeof **rows);
    for (int s = 0, place = rungs; s < STEPS && rungs >= RUNGS_MIN; s++) {
        place -= shown[s];
        for (size_t i = 0; i < view->rows; i++)
            if (mark[(size_t)s * view->rows + i] && merge_real(all, view->row[i], COLUMN(flops)) == size)
                (*rows)[count++] = (struct ladder_row){steps[s].name, steps[s].class, view->row[i], place};
    }
    free(mark);
    return count;
}

int ladder_table(const struct merged *all, const struct view *view, struct merged *table, struct error *why)
{
    static const char *const names[] = {COLUMN(end), COLUMN(start), COLUMN(place)};
    struct ladder_row *rows;
    const size_t count = ladder_rows(all, view, &rows);
    for (size_t i = 0; i < count; i++) {
        const double values[] = {merge_real(all, rows[i].row, COLUMN(flop_rate)) / 1e12, 0, rows[i].place};
        rows_add(table, merge_text(all, rows[i].row, MERGE_GROUP), rows[i].name, names, values, 3);
        rows_add_word(table, COLUMN(class), rows[i].class);
    }
    free(rows);
    return count ? 0 : error_set(why, ERROR_USAGE, "it needs three steps of jobs/ladder.yaml of one size");
}
