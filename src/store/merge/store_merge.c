#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "store/dataset/admission.h"
#include "store/merge/store_merge.h"

struct merging {
    enum merge_prefer prefer;
    struct dataset *out;
    const int *ours;     /* known columns of out->results */
    const char **origin; /* path of the file of each of its rows; owned */
    size_t origin_capacity;
    struct merge_counts *counts;
    size_t conflicts;
    struct text conflict;  /* the first one, for the message */
    int last_run;          /* of all files before this one */
    uint32_t next_process; /* the same */
    int64_t last_repeat;   /* the same */

    /* The file that is being added, and what its columns, devices and runs are called in the merged one. */
    const struct merge_source *source;
    int *column, *device; /* owned */
    struct run_name {
        int from, to;
    } * run;              /* owned */
    int runs, known_runs; /* runs up to `known_runs` were in files before this one */
    uint32_t add_process; /* to its process numbers */
    int64_t add_repeat;   /* to its repetitions of canaries */
};

/* ---- Columns and devices ---- */

/* Columns of `from` in `to`, which gets those that it lacks. The caller frees. */
static int *join_columns(struct frame *to, const struct frame *from)
{
    int *column = memory_new((size_t)from->columns + 1, sizeof *column);
    for (int i = 0; i < from->columns; i++) {
        const struct column *c = &from->column[i];
        column[i] = frame_join_column(to, c->name, c->type, c->role, c->unit, c->meaning);
    }
    return column;
}

/* A new row with the cells of another frame's. */
static union cell *add_row(struct frame *to, const int *column, const struct frame *from, size_t from_row)
{
    size_t row = to->rows;
    frame_add_row(to);
    for (int i = 0; i < from->columns; i++)
        frame_put(to, row, column[i], &from->column[i], frame_row(from, from_row)[i]);
    return frame_row(to, row);
}

/* The row of /devices that is equal in every column, added when there is none. */
static int put_device(struct frame *to, const int *column, const struct frame *from, size_t from_row)
{
    size_t last = to->rows;
    const union cell *cell = add_row(to, column, from, from_row);
    for (size_t row = 0; row < last; row++) {
        bool same = true;
        for (int i = 0; i < to->columns && same; i++)
            same = frame_same_cell(&to->column[i], frame_row(to, row)[i], cell[i]);
        if (same) {
            to->rows--;
            return (int)row;
        }
    }
    return (int)last;
}

static int device_name(const struct merging *m, int64_t device)
{
    bool known = device >= 0 && (size_t)device < m->source->data.devices.rows;
    return known ? m->device[device] : -1;
}

/* ---- Runs ---- */

static const struct store_pair *next_of_run(const struct dataset *dataset, int run, int *at)
{
    while (*at < dataset->environment_count &&
           (dataset->environment[*at].run != run ||
            !strncmp(dataset->environment[*at].name, ENVIRONMENT_VERDICT, strlen(ENVIRONMENT_VERDICT))))
        ++*at;
    return *at < dataset->environment_count ? &dataset->environment[(*at)++] : NULL;
}

/* Runs with equal environments are the same run, in copies of a file. */
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

/* NULL for a run that has no environment. */
static struct run_name *run_name(const struct merging *m, int64_t run)
{
    for (int i = 0; i < m->runs; i++)
        if (m->run[i].from == run)
            return &m->run[i];
    return NULL;
}

/* Number the runs of the file after those that are there; a run that is there keeps its number. */
static void add_runs(struct merging *m)
{
    const struct dataset *from = &m->source->data;
    struct store_pair *pair = memory_new((size_t)from->environment_count + 1, sizeof *pair);
    int pairs = 0;
    m->runs = 0;
    m->known_runs = m->last_run;
    m->run = memory_new((size_t)from->environment_count + 1, sizeof *m->run);
    for (int i = from->environment_count; i-- > 0;) /* the earliest first */
        if (from->environment[i].run > 0 && !run_name(m, from->environment[i].run))
            m->run[m->runs++].from = from->environment[i].run;
    for (int i = 0; i < m->runs; i++) {
        int known = 1;
        while (known <= m->known_runs && !same_run(m->out, known, from, m->run[i].from))
            known++;
        m->run[i].to = known <= m->known_runs ? known : ++m->last_run;
    }
    for (int i = 0; i < from->environment_count; i++) {
        const struct run_name *run = run_name(m, from->environment[i].run);
        if (run && run->to > m->known_runs)
            pair[pairs++] =
                (struct store_pair){from->environment[i].name, from->environment[i].value, run->to};
    }
    dataset_add_environment(m->out, pair, pairs);
    free(pair);
}

/* ---- Rows ---- */

/* Add a row with its samples, under their names in the merged file. */
static size_t add_result(struct merging *m, size_t from_row)
{
    struct dataset *out = m->out;
    const struct dataset *from = &m->source->data;
    const union cell *source = frame_row(&from->results, from_row);
    size_t samples = (size_t)source[from->columns.fixed[FIXED_sample_count]].integer;
    union cell *cell = add_row(&out->results, m->column, &from->results, from_row);
    if (cell[m->ours[FIXED_device]].integer >= 0)
        cell[m->ours[FIXED_device]].integer = device_name(m, cell[m->ours[FIXED_device]].integer);
    if (cell[m->ours[FIXED_repeat]].integer > 0)
        cell[m->ours[FIXED_repeat]].integer += m->add_repeat;
    if (m->ours[FIXED_run] >= 0) {
        const struct run_name *run = run_name(m, cell[m->ours[FIXED_run]].integer);
        cell[m->ours[FIXED_run]].integer = run ? run->to : FRAME_NO_INTEGER;
    }
    cell[m->ours[FIXED_sample_offset]].integer = (int64_t)out->sample_count;
    dataset_reserve_samples(out, samples);
    for (size_t i = 0; i < samples; i++) {
        struct sample sample =
            from->samples[(size_t)source[from->columns.fixed[FIXED_sample_offset]].integer + i];
        sample.process += m->add_process;
        sample.device = device_name(m, sample.device);
        dataset_add_samples(out, &sample, 1);
    }
    return out->results.rows - 1;
}

/* Remove the last row. */
static void drop_row(struct merging *m)
{
    struct frame *results = &m->out->results;
    results->rows--;
    m->out->sample_count = (size_t)frame_row(results, results->rows)[m->ours[FIXED_sample_offset]].integer;
}

static bool same_samples(const struct merging *m, const union cell *a, const union cell *b)
{
    const struct sample *x = dataset_samples(m->out, a[m->ours[FIXED_sample_offset]].integer);
    const struct sample *y = dataset_samples(m->out, b[m->ours[FIXED_sample_offset]].integer);
    bool same = a[m->ours[FIXED_sample_count]].integer == b[m->ours[FIXED_sample_count]].integer;
    for (int64_t i = 0; i < a[m->ours[FIXED_sample_count]].integer && same; i++)
        same = x[i].seconds == y[i].seconds && x[i].device == y[i].device &&
               (x[i].sm_clock == y[i].sm_clock || (isnan(x[i].sm_clock) && isnan(y[i].sm_clock)));
    return same;
}

/* Two rows are one measurement, in copies of a file. Times and rates of several processes may differ although
 * the samples are equal: they are estimated with the help of the file's other points. */
static bool same_result(const struct merging *m, size_t one, size_t other)
{
    const struct frame *results = &m->out->results;
    const union cell *a = frame_row(results, one), *b = frame_row(results, other);
    if (!same_samples(m, a, b))
        return false;
    for (int i = 0; i < results->columns; i++) {
        const struct column *column = &results->column[i];
        bool estimated = a[m->ours[FIXED_sample_count]].integer > 0 && column->type == COLUMN_REAL &&
                         (column->role == ROLE_TIME || column->role == ROLE_RATE);
        if (i != m->ours[FIXED_run] && i != m->ours[FIXED_sample_offset] && i != m->ours[FIXED_repeat] &&
            !estimated && !frame_same_cell(column, a[i], b[i]))
            return false;
    }
    return true;
}

static int rank_of_status(const char *status)
{
    if (status_is_ok(status))
        return 0;
    return strcmp(status, status_words[STATUS_UNSUPPORTED]) == 0 ? 1 : 2;
}

/* The last row has the key of row `old`. */
static void resolve(struct merging *m, size_t old, size_t last)
{
    struct frame *results = &m->out->results;
    union cell *older = frame_row(results, old), *newer = frame_row(results, last);
    const char *was = older[m->ours[FIXED_status]].text, *is = newer[m->ours[FIXED_status]].text;
    if (same_result(m, old, last)) {
        m->counts->equal++;
        drop_row(m);
        return;
    }
    if (m->prefer == MERGE_REFUSE && m->conflicts++ == 0)
        text_add(&m->conflict, "%s %s is %s in %s and %s in %s",
                 frame_find_text(results, last, COLUMN(kernel)), frame_find_text(results, last, COLUMN(id)),
                 was, m->origin[old], is, m->source->path);
    m->counts->replaced++;
    if (m->prefer == MERGE_LAST || (m->prefer == MERGE_OK && rank_of_status(is) < rank_of_status(was))) {
        memcpy(older, newer, (size_t)results->columns * sizeof *older);
        m->origin[old] = m->source->path;
        results->rows--; /* its samples stay */
    } else {
        drop_row(m);
    }
}

/* The last row is a canary's repetition of a run that was in a file before, and so was the row. */
static bool is_known_repeat(const struct merging *m, struct row_key key, size_t last)
{
    if (frame_row(&m->out->results, last)[m->ours[FIXED_run]].integer > m->known_runs)
        return false;
    for (size_t row = 0; row < m->out->index.rows; row++) {
        struct row_key there = m->out->index.key[row];
        if (there.repeat > 0 && there.id == key.id && there.device == key.device && same_result(m, row, last))
            return true;
    }
    return false;
}

static void merge_row(struct merging *m, size_t from_row)
{
    size_t last = add_result(m, from_row);
    admit_row(m->out, last);
    const union cell *cell = frame_row(&m->out->results, last);
    struct row_key key = dataset_key(m->out, cell);
    size_t old = row_index_find(&m->out->index, key);
    if (key.repeat > 0 && is_known_repeat(m, key, last)) {
        drop_row(m);
    } else if (old != ROW_NONE) {
        resolve(m, old, last);
    } else {
        m->origin = memory_grow(m->origin, last, &m->origin_capacity, sizeof *m->origin);
        m->origin[last] = m->source->path;
        m->counts->points += key.repeat == 0;
        row_index_add(&m->out->index, key);
    }
}

/* ---- Files ---- */

/* Add the timeline of runs that no file before this one has. */
static void merge_timeline(struct merging *m)
{
    struct frame *to = &m->out->timeline;
    const struct frame *from = &m->source->data.timeline;
    int *column = join_columns(to, from);
    for (size_t row = 0; row < from->rows; row++) {
        const struct run_name *run = run_name(m, frame_row(from, row)[TIMELINE_run].integer);
        if (!run || run->to <= m->known_runs)
            continue;
        union cell *cell = add_row(to, column, from, row);
        cell[TIMELINE_run].integer = run->to;
        cell[TIMELINE_device].integer = device_name(m, cell[TIMELINE_device].integer);
    }
    free(column);
}

static void note_highest(struct merging *m)
{
    m->next_process = m->out->next_process;
    for (size_t row = 0; row < m->out->index.rows; row++)
        if (m->out->index.key[row].repeat > m->last_repeat)
            m->last_repeat = m->out->index.key[row].repeat;
}

static int merge_file(struct merging *m, struct error *error)
{
    struct dataset *out = m->out;
    const struct dataset *from = &m->source->data;
    int *device_column = join_columns(&out->devices, &from->devices);
    m->column = join_columns(&out->results, &from->results);
    m->device = memory_new(from->devices.rows + 1, sizeof *m->device);
    m->add_process = m->next_process;
    m->add_repeat = m->last_repeat;
    for (size_t i = 0; i < from->devices.rows; i++)
        m->device[i] = put_device(&out->devices, device_column, &from->devices, i);
    add_runs(m);
    dataset_add_sources(out, &from->sources);
    dataset_find_columns(out);
    for (size_t row = 0; row < from->results.rows; row++)
        merge_row(m, row);
    note_highest(m);
    merge_timeline(m);
    free(device_column);
    free(m->column);
    free(m->device);
    free(m->run);
    if (m->last_repeat > INT32_MAX || m->next_process > INT32_MAX)
        return error_set(error, ERROR_USAGE,
                         "%s: with the files before it, repetitions or processes would have numbers above "
                         "%" PRId32,
                         m->source->path, INT32_MAX);
    return 0;
}

/* Job, environment, and the times of several processes, which are estimated with the help of all points. */
static void complete(struct merging *m, const struct dataset *first, const struct store_pair *pair, int pairs)
{
    struct dataset *out = m->out;
    struct store_pair *own = memory_new((size_t)pairs + 1, sizeof *own);
    for (int i = 0; i < pairs; i++)
        own[i] = (struct store_pair){pair[i].name, pair[i].value, m->last_run + 1};
    dataset_add_environment(out, own, pairs);
    out->mark.run = m->last_run + 1;
    free(own);
    free(out->job);
    free(out->job_path);
    out->job = memory_text(first->job);
    out->job_path = memory_text(first->job_path);
    out->planned = first->planned;
    summary_settle(out);
}

int merge_datasets(struct merge_source *source, int count, enum merge_prefer prefer,
                   const struct accepted *accepted, const struct store_pair *pair, int pairs,
                   struct dataset *merged, struct merge_counts *counts, struct error *error)
{
    struct merging m = {.prefer = prefer,
                        .out = merged,
                        .ours = merged->columns.fixed,
                        .counts = counts,
                        .origin_capacity = 1};
    int failed = 0;
    m.origin = memory_new(1, sizeof *m.origin);
    *merged = dataset_new();
    *counts = (struct merge_counts){0};
    for (int i = 0; i < count && !failed; i++) {
        m.source = &source[i];
        failed = (i && compatibility_check(source[0].path, &source[0].data, source[i].path, &source[i].data,
                                           accepted, error) != 0) ||
                 merge_file(&m, error) != 0;
        dataset_drop_rows(&source[i].data);
    }
    if (!failed && m.conflicts)
        failed = error_set(error, ERROR_USAGE,
                           "%zu point%s measured more than once with different results, the first: %s; "
                           "--prefer first, last or ok chooses",
                           m.conflicts, m.conflicts == 1 ? " was" : "s were", m.conflict.data);
    if (!failed)
        complete(&m, &source[0].data, pair, pairs);
    text_free(&m.conflict);
    free(m.origin);
    return failed ? -1 : 0;
}
