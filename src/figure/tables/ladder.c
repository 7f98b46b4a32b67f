#include "figure/tables/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "results/where.h"

/* The steps from a naive matrix product to the vendor's, as jobs/ladder.yaml measures them. Each is what its conditions name; the
 * largest product of them is shown. */
#define CONDITIONS_MAX 8
static const struct step {
    const char *name, *class;
    const char *where[CONDITIONS_MAX]; /* ends with NULL */
} steps[] = {
    {"naive", "f32", {"kernel=matmul", "variant=naive"}},
    {"tiled", "f32", {"kernel=matmul", "variant=tiled"}},
    {"registers, 2 x 2", "f32", {"kernel=matmul", "variant=register", "outputs=2"}},
    {"16-byte accesses, 8 x 8", "f32", {"kernel=matmul", "variant=register", "outputs=8"}},
    {"cp.async", "f32", {"kernel=matmul", "variant=cp_async", "slice=16", "split=1"}},
    {"TMA", "f32", {"kernel=matmul", "variant=tma", "slice=16", "split=1"}},
    {"cuBLAS", "f32, library", {"kernel=matmul", "variant=cublas"}},
    {"cuBLASLt", "f32, library", {"kernel=matmul", "variant=cublaslt"}},
    {"mma", "bf16", {"kernel=tensor_matmul", "dtype=bf16", "variant=mma"}},
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
enum { STEPS = sizeof steps / sizeof *steps };

/* The row of a step with the most operations for each group, or -1. A file without a column or a value of the conditions does not have
 * the step. */
static void find_step(const struct merged *all, const struct view *view, const struct step *step, long *found)
{
    struct where *where = where_new(&all->all);
    struct error ignored;
    bool known = true;
    for (int g = 0; g < all->groups; g++)
        found[g] = -1;
    for (int c = 0; c < CONDITIONS_MAX && step->where[c] && known; c++)
        known = where_add(where, step->where[c], &ignored) == 0;
    for (size_t i = 0; i < view->rows && known; i++) {
        dataset_evict_at(view->dataset, i);
        size_t row = view->row[i];
        if (!where_holds(where, row) || !status_is_ok(merge_text(all, row, COLUMN(status))) ||
            !(merge_real(all, row, COLUMN(flop_rate)) > 0))
            continue;
        for (int g = 0; g < all->groups; g++)
            if (!strcmp(merge_text(all, row, MERGE_GROUP), all->group[g].label) &&
                (found[g] < 0 ||
                 merge_real(all, row, COLUMN(flops)) > merge_real(all, (size_t)found[g], COLUMN(flops))))
                found[g] = (long)row;
    }
    where_free(where);
}

int ladder_table(const struct merged *all, const struct view *view, struct merged *table, struct error *why)
{
    static const char *const names[] = {COLUMN(end), COLUMN(start), COLUMN(place)};
    const size_t groups = (size_t)all->groups;
    long *found = memory_new(STEPS * groups + 1, sizeof *found);
    int rungs = 0, place;
    bool shown[STEPS] = {false};
    for (int s = 0; s < STEPS; s++) {
        find_step(all, view, &steps[s], &found[(size_t)s * groups]);
        for (size_t g = 0; g < groups; g++)
            shown[s] = shown[s] || found[(size_t)s * groups + g] >= 0;
        rungs += shown[s];
    }
    place = rungs;
    for (int s = 0; s < STEPS && rungs >= 3; s++) {
        place -= shown[s];
        for (size_t g = 0; g < groups; g++) {
            const long row = found[(size_t)s * groups + g];
            if (row < 0)
                continue;
            const double values[] = {merge_real(all, (size_t)row, COLUMN(flop_rate)) / 1e12, 0, place};
            rows_add(table, all->group[g].label, steps[s].name, names, values, 3);
            rows_add_word(table, COLUMN(class), steps[s].class);
        }
    }
    free(found);
    return rungs >= 3 ? 0 : error_set(why, ERROR_USAGE, "it needs three steps of jobs/ladder.yaml");
}
