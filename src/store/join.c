#include "store/join.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/alike.h"
#include "store/contents.h"
#include "store/renaming.h"
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
    struct row_columns column, theirs; /* of out->results, of the file that is joined */
    struct row_index index;            /* of out->results */
    int *origin;                       /* source of each of its rows, owned */
    size_t origin_capacity;
    int last_run;
    uint32_t next_process;
    int64_t last_repeat;
    struct join_counts *counts;
    size_t conflicts;
    struct text conflict; /* the first one, for the message */
};

static struct row_columns columns_of(const struct frame *results)
{
    return (struct row_columns){.repeat = frame_find(results, COLUMN(repeat)),
                                .run = frame_find(results, COLUMN(run)),
                                .status = frame_find(results, COLUMN(status)),
                                .device = frame_find(results, COLUMN(device)),
                                .count = frame_find(results, COLUMN(sample_count)),
                                .offset = frame_find(results, COLUMN(sample_offset))};
}

/* ---- Rows ---- */

/* Add a row with its samples, everything as the whole calls it. */
static size_t add_row(struct joining *joining, const struct renaming *renaming, size_t from_row)
{
    struct dataset *out = joining->out;
    const struct dataset *from = renaming->from;
    const struct row_columns theirs = joining->theirs, ours = joining->column;
    const union cell *source = frame_row(&from->results, from_row);
    size_t row = out->results.rows, samples = (size_t)source[theirs.count].integer;
    frame_add_row(&out->results);
    renaming_copy_cells(&out->results, row, renaming->column, &from->results, from_row);
    union cell *cell = frame_row(&out->results, row);
    if (cell[ours.device].integer >= 0)
        cell[ours.device].integer = renaming_device(renaming, cell[ours.device].integer);
    if (cell[ours.repeat].integer > 0)
        cell[ours.repeat].integer += renaming->repeat;
    if (ours.run >= 0) {
        const struct run_name *run = renaming_run(renaming, cell[ours.run].integer);
        cell[ours.run].integer = run ? run->to : FRAME_NO_INTEGER;
    }
    cell[ours.offset].integer = (int64_t)out->sample_count;
    contents_reserve_samples(out, samples);
    for (size_t i = 0; i < samples; i++) {
        struct sample sample = from->samples[(size_t)source[theirs.offset].integer + i];
        sample.process += renaming->process;
        sample.device = renaming_device(renaming, sample.device);
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
        if (!frame_same_cell(column, a[i], b[i]))
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
    text_add(&joining->conflict, "%s %s is %s in %s and %s in %s",
             frame_find_text(results, row, COLUMN(kernel)), frame_find_text(results, row, COLUMN(id)),
             frame_find_text(results, there, COLUMN(status)), joining->source[joining->origin[there]].path,
             frame_find_text(results, row, COLUMN(status)), joining->source[renaming->number].path);
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
        const struct run_name *run = renaming_run(renaming, span.run);
        if (!run || run->to <= renaming->known_runs)
            continue;
        span.run = (uint16_t)run->to;
        span.device = renaming_device(renaming, span.device);
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
    int failed = renaming_begin(&renaming, out, &joining->last_run);
    if (failed) {
        error_set(error, ERROR_USAGE, "%s has a column of another type than the files before it",
                  source->path);
    } else {
        joining->column = columns_of(&out->results);
        joining->theirs = columns_of(&source->data.results);
        for (size_t row = 0; row < source->data.results.rows; row++)
            join_row(joining, &renaming, row);
        join_spans(joining, &renaming);
        find_highest(joining);
    }
    renaming_end(&renaming);
    return failed;
}

/* Times of several processes are estimated by what all points of the whole teach. */
static void estimate_anew(struct dataset *out)
{
    bool replicated = false;
    for (size_t row = 0; row < out->results.rows && !replicated; row++)
        replicated = frame_find_real(&out->results, row, COLUMN(processes)) > 1;
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
        renaming_put_environment(joined, own, pairs);
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
