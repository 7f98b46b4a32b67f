#include "store/renaming.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Columns of `from` in `to`, those that it lacks added; NULL when a name is of another type there. */
static int *join_columns(struct frame *to, const struct frame *from)
{
    int *column = memory_new((size_t)from->columns + 1, sizeof *column);
    for (int i = 0; i < from->columns; i++) {
        const struct column *c = &from->column[i];
        column[i] = frame_add_column(to, c->name, c->type, c->role, c->unit, c->meaning);
        if (column[i] < 0) {
            free(column);
            return NULL;
        }
    }
    return column;
}

void renaming_copy_cells(struct frame *to, size_t row, const int *column, const struct frame *from,
                         size_t from_row)
{
    for (int i = 0; i < from->columns; i++)
        frame_put(to, row, column[i], &from->column[i], frame_row(from, from_row)[i]);
}

/* The row of /devices that is equal in every column, added when there is none. */
static int put_device(struct frame *to, const int *column, const struct frame *from, size_t from_row)
{
    size_t row = to->rows;
    frame_add_row(to);
    renaming_copy_cells(to, row, column, from, from_row);
    for (size_t there = 0; there < row; there++) {
        bool same = true;
        for (int i = 0; i < to->columns && same; i++)
            same = frame_same_cell(&to->column[i], frame_row(to, there)[i], frame_row(to, row)[i]);
        if (same) {
            to->rows--;
            return (int)there;
        }
    }
    return (int)row;
}

/* ---- Runs ---- */

static const struct store_pair *next_of_run(const struct dataset *dataset, int run, int *at)
{
    while (*at < dataset->environment_count && dataset->environment[*at].run != run)
        ++*at;
    return *at < dataset->environment_count ? &dataset->environment[(*at)++] : NULL;
}

/* Whether two files tell the same of a run: then it is the same one, in copies of a file. */
static bool same_run(const struct dataset *a, int run_a, const struct dataset *b, int run_b)
{
    int at_a = 0, at_b = 0, pairs = 0;
    for (;; pairs++) {
        const struct store_pair *x = next_of_run(a, run_a, &at_a), *y = next_of_run(b, run_b, &at_b);
        if (!x || !y)
            return pairs && x == y;
        if (strcmp(x->name, y->name) != 0 || strcmp(x->value, y->value) != 0)
            return false;
    }
}

void renaming_put_environment(struct dataset *dataset, const struct store_pair *pair, int count)
{
    struct store_pair *all = memory_new((size_t)(count + dataset->environment_count) + 1, sizeof *all);
    for (int i = 0; i < count; i++)
        all[i] = (struct store_pair){memory_text(pair[i].name), memory_text(pair[i].value), pair[i].run};
    if (dataset->environment_count)
        memcpy(all + count, dataset->environment, (size_t)dataset->environment_count * sizeof *all);
    free(dataset->environment);
    dataset->environment = all;
    dataset->environment_count += count;
}

static int by_run(const void *a, const void *b)
{
    return ((const struct run_name *)a)->from - ((const struct run_name *)b)->from;
}

struct run_name *renaming_run(const struct renaming *renaming, int64_t run)
{
    for (int i = 0; i < renaming->runs; i++)
        if (renaming->run[i].from == run)
            return &renaming->run[i];
    return NULL;
}

/* Number the runs of a file after those that are there, but for those that are there already. */
static void join_runs(struct renaming *renaming, struct dataset *out, int *last_run)
{
    const struct dataset *from = renaming->from;
    struct store_pair *pair = memory_new((size_t)from->environment_count + 1, sizeof *pair);
    int pairs = 0, before = renaming->known_runs = *last_run;
    renaming->run = memory_new((size_t)from->environment_count + 1, sizeof *renaming->run);
    for (int i = 0; i < from->environment_count; i++)
        if (from->environment[i].run > 0 && !renaming_run(renaming, from->environment[i].run))
            renaming->run[renaming->runs++].from = from->environment[i].run;
    qsort(renaming->run, (size_t)renaming->runs, sizeof *renaming->run, by_run);
    for (int i = 0; i < renaming->runs; i++) {
        int known = 1;
        while (known <= before && !same_run(out, known, from, renaming->run[i].from))
            known++;
        renaming->run[i].to = known <= before ? known : ++*last_run;
    }
    for (int i = 0; i < from->environment_count; i++) {
        const struct run_name *run = renaming_run(renaming, from->environment[i].run);
        if (run && run->to > before)
            pair[pairs++] =
                (struct store_pair){from->environment[i].name, from->environment[i].value, run->to};
    }
    renaming_put_environment(out, pair, pairs);
    free(pair);
}

int renaming_device(const struct renaming *renaming, int64_t device)
{
    bool known = device >= 0 && (size_t)device < renaming->from->devices.rows;
    return known ? renaming->device[device] : -1;
}

/* ---- A file ---- */

int renaming_begin(struct renaming *renaming, struct dataset *out, int *last_run)
{
    const struct dataset *from = renaming->from;
    int *column = join_columns(&out->devices, &from->devices);
    renaming->column = join_columns(&out->results, &from->results);
    int failed = !column || !renaming->column ? -1 : 0;
    renaming->device = memory_new(from->devices.rows + 1, sizeof *renaming->device);
    for (size_t i = 0; i < from->devices.rows && !failed; i++)
        renaming->device[i] = put_device(&out->devices, column, &from->devices, i);
    if (!failed)
        join_runs(renaming, out, last_run);
    free(column);
    return failed;
}

void renaming_end(struct renaming *renaming)
{
    free(renaming->column);
    free(renaming->device);
    free(renaming->run);
}
