#include "store/join.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/alike.h"
#include "store/contents.h"
#include "store/row_index.h"
#include "store/summary.h"

/* Columns of /results. */
struct row_columns {
    int repeat, run, status, device, count, offset;
};

struct joining {
    const struct join_source *source;
    enum join_prefer prefer;
    struct dataset *out;
    struct row_columns column;
    struct row_index index; /* of out->results */
    int *origin;            /* source of each of its rows, owned */
    size_t origin_capacity;
    int last_run;
    uint32_t next_process;
    int64_t last_repeat;
    struct join_counts *counts;
    size_t conflicts;
    struct text conflict; /* the first one, for the message */
};

/* How numbers of one file are called in the whole. */
struct renaming {
    const struct dataset *from;
    struct row_columns theirs;
    int number;           /* of the file */
    int *column, *device; /* owned, by those of `from` */
    struct run_name {
        int from, to;
    } * run;              /* owned */
    int runs, known_runs; /* runs up to `known_runs` of the whole were in files before this one */
    uint32_t process;     /* added to processes */
    int64_t repeat;       /* added to the repetitions of canaries */
};

static struct row_columns columns_of(const struct frame *results)
{
    return (struct row_columns){.repeat = frame_find(results, "repeat"),
                                .run = frame_find(results, "run"),
                                .status = frame_find(results, "status"),
                                .device = frame_find(results, "device"),
                                .count = frame_find(results, "sample_count"),
                                .offset = frame_find(results, "sample_offset")};
}

/* ---- Columns, devices ---- */

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

static void copy_cells(struct frame *to, size_t row, const int *column, const struct frame *from,
                       size_t from_row)
{
    for (int i = 0; i < from->columns; i++)
        frame_put(to, row, column[i], &from->column[i], frame_row(from, from_row)[i]);
}

static bool same_cell(const struct column *column, union cell a, union cell b)
{
    if (column->type == COLUMN_REAL)
        return a.real == b.real || (isnan(a.real) && isnan(b.real));
    return column->type == COLUMN_TEXT ? !strcmp(a.text, b.text) : a.integer == b.integer;
}

/* The row of /devices that is equal in every column, added when there is none. */
static int put_device(struct frame *to, const int *column, const struct frame *from, size_t from_row)
{
    size_t row = to->rows;
    frame_add_row(to);
    copy_cells(to, row, column, from, from_row);
    for (size_t there = 0; there < row; there++) {
        bool same = true;
        for (int i = 0; i < to->columns && same; i++)
            same = same_cell(&to->column[i], frame_row(to, there)[i], frame_row(to, row)[i]);
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

/* The latest first: `count` pairs before those that are there. */
static void put_environment(struct dataset *dataset, const struct store_pair *pair, int count)
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

static struct run_name *find_run(const struct renaming *renaming, int64_t run)
{
    for (int i = 0; i < renaming->runs; i++)
        if (renaming->run[i].from == run)
            return &renaming->run[i];
    return NULL;
}

/* Number the runs of a file after those that are there, but for those that are there already. */
static void join_runs(struct joining *joining, struct renaming *renaming)
{
    const struct dataset *from = renaming->from;
    struct store_pair *pair = memory_new((size_t)from->environment_count + 1, sizeof *pair);
    int pairs = 0, before = renaming->known_runs = joining->last_run;
    renaming->run = memory_new((size_t)from->environment_count + 1, sizeof *renaming->run);
    for (int i = 0; i < from->environment_count; i++)
        if (from->environment[i].run > 0 && !find_run(renaming, from->environment[i].run))
            renaming->run[renaming->runs++].from = from->environment[i].run;
    qsort(renaming->run, (size_t)renaming->runs, sizeof *renaming->run, by_run);
    for (int i = 0; i < renaming->runs; i++) {
        int known = 1;
        while (known <= before && !same_run(joining->out, known, from, renaming->run[i].from))
            known++;
        renaming->run[i].to = known <= before ? known : ++joining->last_run;
    }
    for (int i = 0; i < from->environment_count; i++) {
        const struct run_name *run = find_run(renaming, from->environment[i].run);
        if (run && run->to > before)
            pair[pairs++] =
                (struct store_pair){from->environment[i].name, from->environment[i].value, run->to};
    }
    put_environment(joining->out, pair, pairs);
    free(pair);
}

/* ---- Rows ---- */

static int rename_device(const struct renaming *renaming, int64_t device)
{
    bool known = device >= 0 && (size_t)device < renaming->from->devices.rows;
    return known ? renaming->device[device] : -1;
}

/* Add a row with its samples, everything as the whole calls it. */
static size_t add_row(struct joining *joining, const struct renaming *renaming, size_t from_row)
{
    struct dataset *out = joining->out;
    const struct dataset *from = renaming->from;
    const struct row_columns theirs = renaming->theirs, ours = joining->column;
    const union cell *source = frame_row(&from->results, from_row);
    size_t row = out->results.rows, samples = (size_t)source[theirs.count].integer;
    frame_add_row(&out->results);
    copy_cells(&out->results, row, renaming->column, &from->results, from_row);
    union cell *cell = frame_row(&out->results, row);
    if (cell[ours.device].integer >= 0)
        cell[ours.device].integer = rename_device(renaming, cell[ours.device].integer);
    if (cell[ours.repeat].integer > 0)
        cell[ours.repeat].integer += renaming->repeat;
    if (ours.run >= 0) {
        const struct run_name *run = find_run(renaming, cell[ours.run].integer);
        cell[ours.run].integer = run ? run->to : FRAME_NO_INTEGER;
    }
    cell[ours.offset].integer = (int64_t)out->sample_count;
    contents_reserve_samples(out, samples);
    for (size_t i = 0; i < samples; i++) {
        struct sample sample = from->samples[(size_t)source[theirs.offset].integer + i];
        sample.process += renaming->process;
        sample.device = rename_device(renaming, sample.device);
        out->samples[out->sample_count++] = sample;
    }
    return row;
}

/* Take back the row that was added last. */
static void drop_row(struct joining *joining, size_t row)
{
    struct dataset *out = joining->out;
    out->sample_count = (size_t)frame_row(&out->results, row)[joining->column.offset].integer;
    out->results.rows--;
}

static bool same_samples(const struct joining *joining, const union cell *a, const union cell *b)
{
    const struct dataset *out = joining->out;
    const struct row_columns ours = joining->column;
    if (a[ours.count].integer != b[ours.count].integer)
        return false;
    for (int64_t i = 0; i < a[ours.count].integer; i++) {
        const struct sample *x = &out->samples[a[ours.offset].integer + i];
        const struct sample *y = &out->samples[b[ours.offset].integer + i];
        if (x->seconds != y->seconds || x->device != y->device ||
            (x->sm_clock != y->sm_clock && !(isnan(x->sm_clock) && isnan(y->sm_clock))))
            return false;
    }
    return true;
}

/* Whether two rows are one measurement in copies of a file. Times and rates of several processes are estimated with
 * what the other points of a file teach: of equal samples they may differ. */
static bool same_result(const struct joining *joining, size_t one, size_t other)
{
    const struct frame *results = &joining->out->results;
    const struct row_columns ours = joining->column;
    const union cell *a = frame_row(results, one), *b = frame_row(results, other);
    if (!same_samples(joining, a, b))
        return false;
    for (int i = 0; i < results->columns; i++) {
        const struct column *column = &results->column[i];
        bool estimated = a[ours.count].integer > 0 && column->type == COLUMN_REAL &&
                         (column->role == ROLE_TIME || column->role == ROLE_RATE);
        if (i == ours.run || i == ours.offset || i == ours.repeat || estimated)
            continue;
        if (!same_cell(column, a[i], b[i]))
            return false;
    }
    return true;
}

static int rank_of_status(const char *status)
{
    if (!strcmp(status, status_words[STATUS_OK]))
        return 0;
    return strcmp(status, status_words[STATUS_UNSUPPORTED]) == 0 ? 1 : 2;
}

/* Whether the newer of two different results takes the older one's place. */
static bool is_preferred(const struct joining *joining, const char *older, const char *newer)
{
    switch (joining->prefer) {
    case JOIN_LAST:
        return true;
    case JOIN_OK:
        return rank_of_status(newer) < rank_of_status(older);
    default:
        return false;
    }
}

static void note_conflict(struct joining *joining, const struct renaming *renaming, size_t there, size_t row)
{
    const struct frame *results = &joining->out->results;
    if (joining->conflicts++)
        return;
    text_add(&joining->conflict, "%s %s is %s in %s and %s in %s", frame_find_text(results, row, "kernel"),
             frame_find_text(results, row, "id"), frame_find_text(results, there, "status"),
             joining->source[joining->origin[there]].path, frame_find_text(results, row, "status"),
             joining->source[renaming->number].path);
}

/* The row that was added last is of a point that is there already. */
static void settle(struct joining *joining, const struct renaming *renaming, size_t there, size_t row)
{
    struct dataset *out = joining->out;
    if (same_result(joining, there, row)) {
        joining->counts->equal++;
        drop_row(joining, row);
        return;
    }
    if (joining->prefer == JOIN_REFUSE)
        note_conflict(joining, renaming, there, row);
    joining->counts->replaced++;
    union cell *older = frame_row(&out->results, there), *newer = frame_row(&out->results, row);
    if (!is_preferred(joining, older[joining->column.status].text, newer[joining->column.status].text)) {
        drop_row(joining, row);
        return;
    }
    memcpy(older, newer, (size_t)out->results.columns * sizeof *older);
    joining->origin[there] = renaming->number;
    out->results.rows--; /* its samples stay */
}

/* A canary's repetition goes beside those that are there, unless the run that it is of was read before, from a copy.
 */
static bool is_known_repeat(const struct joining *joining, const struct renaming *renaming, size_t row)
{
    const struct frame *results = &joining->out->results;
    const struct index_columns columns = index_columns_of(results);
    struct row_key key = row_key_read(&columns, frame_row(results, row));
    if (frame_row(results, row)[joining->column.run].integer > renaming->known_runs)
        return false;
    for (key.repeat = 1; key.repeat <= renaming->repeat; key.repeat++) {
        size_t there = row_index_find(&joining->index, key);
        if (there != ROW_NONE && same_result(joining, there, row))
            return true;
    }
    return false;
}

static void join_row(struct joining *joining, const struct renaming *renaming, size_t from_row)
{
    struct dataset *out = joining->out;
    size_t row = add_row(joining, renaming, from_row);
    const struct index_columns columns = index_columns_of(&out->results);
    struct row_key key = row_key_read(&columns, frame_row(&out->results, row));
    if (key.repeat > 0 && is_known_repeat(joining, renaming, row)) {
        drop_row(joining, row);
        return;
    }
    size_t there = row_index_find(&joining->index, key);
    if (there != ROW_NONE) {
        settle(joining, renaming, there, row);
        return;
    }
    joining->origin = memory_grow(joining->origin, row, &joining->origin_capacity, sizeof *joining->origin);
    joining->origin[row] = renaming->number;
    joining->counts->points += key.repeat == 0;
    row_index_add(&joining->index, key, row_facts_read(&columns, frame_row(&out->results, row)));
}

/* ---- Files ---- */

static void find_highest(struct joining *joining)
{
    const struct dataset *out = joining->out;
    int repeat = joining->column.repeat;
    for (size_t i = 0; i < out->sample_count; i++)
        if (out->samples[i].process >= joining->next_process)
            joining->next_process = out->samples[i].process + 1;
    for (size_t row = 0; row < out->results.rows; row++)
        if (frame_row(&out->results, row)[repeat].integer > joining->last_repeat)
            joining->last_repeat = frame_row(&out->results, row)[repeat].integer;
}

/* Of runs that no file before this one has. */
static void join_spans(struct joining *joining, const struct renaming *renaming)
{
    for (size_t i = 0; i < renaming->from->span_count; i++) {
        struct span span = renaming->from->spans[i];
        const struct run_name *run = find_run(renaming, span.run);
        if (!run || run->to <= renaming->known_runs)
            continue;
        span.run = (uint16_t)run->to;
        span.device = rename_device(renaming, span.device);
        contents_add_span(joining->out, &span);
    }
}

static int join_file(struct joining *joining, int number, struct error *error)
{
    struct dataset *out = joining->out;
    const struct join_source *source = &joining->source[number];
    struct renaming renaming = {.from = &source->data,
                                .number = number,
                                .process = joining->next_process,
                                .repeat = joining->last_repeat};
    int *device_column = join_columns(&out->devices, &source->data.devices);
    renaming.column = join_columns(&out->results, &source->data.results);
    int failed = !device_column || !renaming.column;
    if (failed)
        error_set(error, ERROR_USAGE, "%s has a column of another type than the files before it",
                  source->path);
    if (!failed) {
        joining->column = columns_of(&out->results);
        renaming.theirs = columns_of(&source->data.results);
        size_t devices = source->data.devices.rows;
        renaming.device = memory_new(devices + 1, sizeof *renaming.device);
        for (size_t i = 0; i < devices; i++)
            renaming.device[i] = put_device(&out->devices, device_column, &source->data.devices, i);
        join_runs(joining, &renaming);
        for (size_t row = 0; row < source->data.results.rows; row++)
            join_row(joining, &renaming, row);
        join_spans(joining, &renaming);
        find_highest(joining);
    }
    free(device_column);
    free(renaming.column);
    free(renaming.device);
    free(renaming.run);
    return failed ? -1 : 0;
}

/* Times of several processes are estimated by what all points of the whole teach. */
static void estimate_anew(struct dataset *out)
{
    bool replicated = false;
    for (size_t row = 0; row < out->results.rows && !replicated; row++)
        replicated = frame_find_real(&out->results, row, "processes") > 1;
    if (replicated)
        summary_fill_all(out);
}

int join_datasets(const struct join_source *source, int count, enum join_prefer prefer,
                  const struct store_pair *pair, int pairs, struct dataset *joined,
                  struct join_counts *counts, struct error *error)
{
    struct joining joining = {.source = source,
                              .prefer = prefer,
                              .out = joined,
                              .counts = counts,
                              .origin = memory_new(1, sizeof *joining.origin),
                              .origin_capacity = 1};
    int failed = 0;
    *joined = contents_new(false);
    *counts = (struct join_counts){0};
    for (int i = 0; i < count && !failed; i++) {
        if (i)
            failed = alike_check(source[0].path, &source[0].data, source[i].path, &source[i].data, error);
        if (!failed)
            failed = join_file(&joining, i, error);
    }
    if (!failed && joining.conflicts)
        failed =
            error_set(error, ERROR_USAGE,
                      "%zu point%s measured more than once with different results, the first: %s; "
                      "--prefer first, last or ok chooses",
                      joining.conflicts, joining.conflicts == 1 ? " was" : "s were", joining.conflict.data);
    if (!failed) {
        struct store_pair *own = memory_new((size_t)pairs + 1, sizeof *own);
        for (int i = 0; i < pairs; i++)
            own[i] = (struct store_pair){pair[i].name, pair[i].value, joining.last_run + 1};
        put_environment(joined, own, pairs);
        free(own);
        free(joined->job);
        free(joined->job_path);
        joined->job = memory_text(source[0].data.job);
        joined->job_path = memory_text(source[0].data.job_path);
        joined->planned = source[0].data.planned;
        contents_pack_samples(joined);
        estimate_anew(joined);
    }
    text_free(&joining.conflict);
    row_index_free(&joining.index);
    free(joining.origin);
    return failed ? -1 : 0;
}
