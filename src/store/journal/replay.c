#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/memory.h"
#include "store/dataset/invariants.h"
#include "store/dataset/summary.h"
#include "store/journal/record.h"

enum {
    COLUMNS_MAX = 4096,     /* of a table; HDF5 allows fewer */
    TEXT_MAX = 4096,        /* bytes of a cell; the longest that is written has some 1100 */
    JOB_PATH_MAX = 1 << 14, /* bytes; also of a text of the environment */
};

struct replay_state {
    struct dataset *dataset;
    struct mark *mark;
    struct row_index *index;
    uint64_t file_sequence; /* FILE.h5 has the rows up to here */
    struct column *column;  /* owned: the journal's columns */
    int *target;            /* owned: what they are in dataset->results */
    uint32_t columns;
    struct index_columns keys; /* of dataset->results */
    struct row_check check;    /* the same */
    bool headed;               /* a HEAD was read */
    uint64_t last;             /* sequence number of the row before */
    uint64_t missing;          /* rows that the numbers skip */
    int refused;               /* whole records with impossible contents */
};

/* ---- Values ---- */

/* A text of any length, owned by the caller; printable if `clean`. */
static char *get_text(struct wire_reader *reader, bool clean)
{
    uint32_t count;
    const void *bytes = wire_get_bytes(reader, &count);
    char *text = memory_new((size_t)count + 1, 1);
    if (count)
        memcpy(text, bytes, count);
    if (!clean)
        return text;
    char *printable = clean_copy(text);
    free(text);
    return printable;
}

/* A short text, printable. */
static void get_clean(struct wire_reader *reader, char *out, size_t size)
{
    char raw[256] = "";
    wire_get_text(reader, raw, sizeof raw);
    clean_text(raw, out, size);
}

static struct column get_column(struct wire_reader *reader)
{
    struct column column = {0};
    uint32_t type = wire_get_u32(reader);
    if (type > COLUMN_TEXT)
        reader->bad = true;
    else
        column.type = (enum column_type)type;
    get_clean(reader, column.name, sizeof column.name);
    get_clean(reader, column.unit, sizeof column.unit);
    get_clean(reader, column.meaning, sizeof column.meaning);
    return column;
}

static void get_cell(struct wire_reader *reader, enum column_type type, struct frame *frame, size_t row,
                     int column)
{
    switch (type) {
    case COLUMN_INTEGER:
        frame_put_integer(frame, row, column, (int64_t)wire_get_u64(reader));
        break;
    case COLUMN_REAL:
        frame_put_real(frame, row, column, wire_get_real(reader));
        break;
    case COLUMN_TEXT: {
        uint32_t count;
        const char *text = wire_get_bytes(reader, &count);
        const char *kept = frame_text_foreign(frame, text ? text : "", count);
        frame_row(frame, row)[column].text = kept;
        reader->bad |= strlen(kept) > TEXT_MAX;
        break;
    }
    }
}

/* ---- Head, columns, devices, spans ---- */

static enum replay replay_head(struct replay_state *state, struct wire_reader *reader)
{
    struct dataset *dataset = state->dataset;
    struct mark *mark = state->mark;
    uint64_t lineage = wire_get_u64(reader), base = wire_get_u64(reader);
    uint32_t run = wire_get_u32(reader);
    if (reader->bad || base > mark->sequence || (mark->lineage && mark->lineage != lineage))
        return REPLAY_GAP;
    if (!lineage || run > RUNS_MAX) {
        state->refused++;
        return REPLAY_DONE;
    }
    if (!state->headed) /* a later HEAD is of a run that continued the journal */
        state->last = base;
    state->headed = true;
    char *job = get_text(reader, false), *job_path = get_text(reader, true);
    uint64_t planned = wire_get_u64(reader);
    uint32_t count = wire_get_u32(reader);
    struct store_pair *pair = NULL;
    size_t capacity = 0, pairs = 0;
    for (; pairs < count && !reader->bad; pairs++) {
        pair = memory_grow(pair, pairs, &capacity, sizeof *pair);
        pair[pairs].run = (int)wire_get_u32(reader);
        pair[pairs].name = get_text(reader, true);
        pair[pairs].value = get_text(reader, true);
        reader->bad |= strlen(pair[pairs].name) > JOB_PATH_MAX || strlen(pair[pairs].value) > JOB_PATH_MAX;
    }
    reader->bad |= strlen(job_path) > JOB_PATH_MAX;
    mark->lineage = lineage;
    if (reader->bad || (int)run < mark->run) {
        /* The run before the one that wrote FILE.h5, which was killed before it replaced the journal. */
        free(job);
        free(job_path);
        dataset_free_pairs(pair, (int)pairs);
        return REPLAY_DONE;
    }
    mark->run = (int)run;
    free(dataset->job);
    free(dataset->job_path);
    dataset_free_pairs(dataset->environment, dataset->environment_count);
    dataset->job = job;
    dataset->job_path = job_path;
    dataset->planned = planned;
    dataset->environment = pair;
    dataset->environment_count = (int)pairs;
    return REPLAY_DONE;
}

/* Roles follow the columns; the record of a release before 0.2 ends without them. */
static void get_roles(struct wire_reader *reader, struct column *columns, uint32_t count)
{
    bool told = reader->at < reader->length;
    for (uint32_t i = 0; i < count; i++) {
        char word[32];
        wire_get_text(reader, word, sizeof word);
        columns[i].role =
            told ? column_role_named(word) : column_role_guess(columns[i].name, columns[i].type);
    }
}

static enum replay replay_columns(struct replay_state *state, struct wire_reader *reader)
{
    uint32_t count = wire_get_u32(reader), got = 0;
    if (count > COLUMNS_MAX) {
        state->refused++;
        return REPLAY_DONE;
    }
    state->column = memory_resize(state->column, (size_t)count + 1, sizeof *state->column);
    state->target = memory_resize(state->target, (size_t)count + 1, sizeof *state->target);
    for (; got < count; got++) {
        state->column[got] = get_column(reader);
        if (reader->bad)
            break; /* rows that name a later column are skipped */
    }
    if (!reader->bad)
        get_roles(reader, state->column, got);
    state->columns = 0;
    for (uint32_t i = 0; i < got; i++) {
        int type = invariants_type_of(state->column[i].name);
        if (!*state->column[i].name || (type >= 0 && (int)state->column[i].type != type)) {
            state->refused++; /* and all rows that would have these columns */
            return REPLAY_DONE;
        }
    }
    state->columns = got;
    for (uint32_t i = 0; i < got; i++) {
        const struct column *column = &state->column[i];
        state->target[i] = frame_join_column(&state->dataset->results, column->name, column->type,
                                             column->role, column->unit, column->meaning);
    }
    if (invariants_columns(&state->dataset->results, NULL) != 0)
        return REPLAY_GAP;
    state->keys = index_columns_of(&state->dataset->results);
    state->check = row_check_new(state->dataset);
    return REPLAY_DONE;
}

static void replay_device(struct replay_state *state, struct wire_reader *reader)
{
    enum { LOST_MAX = 4096 };
    struct frame *devices = &state->dataset->devices;
    uint32_t row = wire_get_u32(reader), count = wire_get_u32(reader);
    if (reader->bad || row < devices->rows)
        return; /* FILE.h5 has it already */
    if (row - devices->rows > LOST_MAX) {
        state->refused++;
        return;
    }
    /* Devices with damaged records keep their number: rows name devices by it. */
    while (devices->rows <= row)
        frame_add_row(devices);
    for (uint32_t i = 0; i < count && !reader->bad; i++) {
        struct column column = get_column(reader);
        if (reader->bad)
            break;
        int there = frame_find(devices, column.name), type = invariants_device_type_of(column.name);
        if (there >= 0)
            type = (int)devices->column[there].type;
        reader->bad = !*column.name || (type >= 0 && (int)column.type != type) ||
                      (there < 0 && devices->columns >= COLUMNS_MAX);
        if (reader->bad)
            break;
        int target = frame_join_column(devices, column.name, column.type, ROLE_ENVIRONMENT, column.unit,
                                       column.meaning);
        get_cell(reader, column.type, devices, row, target);
    }
    if (!reader->bad && invariants_device(state->dataset, row, NULL) == 0)
        return;
    for (int i = 0; i < devices->columns; i++)
        frame_row(devices, row)[i] = frame_missing(devices->column[i].type);
    state->refused++;
}

/* A span's row in /timeline never changes: by it, spans that FILE.h5 has are known. A span without an end was still open
 * when its run was killed. */
static void replay_spans(struct replay_state *state, struct wire_reader *reader)
{
    uint64_t place = wire_get_u64(reader);
    for (uint32_t count = wire_get_u32(reader); count > 0; count--, place++) {
        struct span span = {.run = (uint16_t)wire_get_u32(reader)};
        span.rank = (int32_t)wire_get_u32(reader);
        uint32_t what = wire_get_u32(reader);
        span.device = (int32_t)wire_get_u32(reader);
        span.point = wire_get_u64(reader);
        span.parts = wire_get_u32(reader);
        span.start = wire_get_real(reader);
        span.end = wire_get_real(reader);
        span.lane = what & 0xff;
        span.phase = (uint8_t)(what >> 8);
        if (reader->bad || what >> 16 || !invariants_span(state->dataset, &span)) {
            state->refused++;
            return;
        }
        if (place >= state->dataset->timeline.rows && isfinite(span.end))
            dataset_add_span(state->dataset, &span);
    }
}

/* ---- Rows ---- */

#define SAMPLE_BYTES 24 /* two reals, process and device */

/* Add the samples of `row`, the last one. The record says how many there are, not the row's cells. */
static void replay_samples(const struct replay_state *state, size_t row, struct wire_reader *reader)
{
    struct dataset *dataset = state->dataset;
    struct frame *results = &dataset->results;
    uint32_t count = wire_get_u32(reader);
    size_t left = reader->length - reader->at, start = dataset->sample_count;
    bool labelled = left / SAMPLE_BYTES == count; /* release 0.1 wrote neither process nor device */
    if (reader->bad || count > left / 16) {
        reader->bad = true;
        return;
    }
    frame_put_integer(results, row, state->keys.sample_offset, (int64_t)start);
    frame_put_integer(results, row, state->keys.sample_count, count);
    for (uint32_t i = 0; i < count; i++) {
        struct sample sample = {.seconds = wire_get_real(reader), .device = -1};
        sample.sm_clock = wire_get_real(reader);
        if (labelled) {
            sample.process = wire_get_u32(reader);
            sample.device = (int32_t)wire_get_u32(reader);
        }
        reader->bad |= invariants_samples(dataset, &sample, dataset->sample_count, 1, NULL) != 0;
        if (!reader->bad) /* its process counts */
            dataset_add_samples(dataset, &sample, 1);
    }
    if (reader->bad)
        dataset->sample_count = start;
}

/* Each of the `count` cells is a number of a column and a value of its type. */
static void replay_cells(const struct replay_state *state, size_t row, uint32_t count,
                         struct wire_reader *reader)
{
    struct frame *results = &state->dataset->results;
    for (uint32_t i = 0; i < count && !reader->bad; i++) {
        uint32_t column = wire_get_u32(reader);
        reader->bad = reader->bad || column >= state->columns;
        if (!reader->bad)
            get_cell(reader, state->column[column].type, results, row, state->target[column]);
    }
}

/* Row `row`, the last one, is one that a file may contain. */
static bool is_possible(struct replay_state *state, size_t row)
{
    return row_check_values(&state->check, frame_row(&state->dataset->results, row), row, NULL) == 0;
}

/* The start of a row's or an amendment's record has been read. False: it is malformed, or FILE.h5 has it already. Sequence
 * numbers that are skipped were lost with a damaged record. */
static bool is_new(struct replay_state *state, uint64_t sequence, const struct wire_reader *reader)
{
    if (reader->bad || !state->columns || sequence > SEQUENCE_MAX) {
        state->refused++;
        return false;
    }
    if (sequence > state->last + 1)
        state->missing += sequence - state->last - 1;
    state->last = sequence;
    return sequence > state->file_sequence;
}

static void replay_row(struct replay_state *state, struct wire_reader *reader)
{
    struct frame *results = &state->dataset->results;
    uint64_t sequence = wire_get_u64(reader);
    if (!is_new(state, sequence, reader))
        return;
    size_t row = results->rows;
    frame_add_row(results);
    replay_cells(state, row, wire_get_u32(reader), reader);
    if (!reader->bad)
        replay_samples(state, row, reader);
    if (reader->bad || !is_possible(state, row)) {
        results->rows--;
        state->refused++;
        return;
    }
    struct row_key key = row_key_read(&state->keys, frame_row(results, row));
    size_t old = row_index_find(state->index, key);
    if (old == ROW_NONE) {
        row_index_add(state->index, key);
    } else {
        frame_copy_row(results, old, row);
        results->rows--;
    }
    assert(state->index->rows == results->rows);
    if (sequence > state->mark->sequence)
        state->mark->sequence = sequence;
    state->dataset->journal_rows++;
}

/* An amendment must not change which row it is, or where its samples are. */
static bool is_same_row(const struct frame *results, size_t a, size_t b)
{
    static const char *const kept[] = {COLUMN(id),     COLUMN(repeat),       COLUMN(device),
                                       COLUMN(status), COLUMN(sample_count), COLUMN(sample_offset)};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        int column = frame_find(results, kept[i]);
        if (frame_row(results, a)[column].integer !=
            frame_row(results, b)[column].integer) /* texts: interned */
            return false;
    }
    return true;
}

/* The cells are read into a copy of the row, which replaces it if the record is well-formed. */
static void replay_amendment(struct replay_state *state, struct wire_reader *reader)
{
    struct frame *results = &state->dataset->results;
    uint64_t sequence = wire_get_u64(reader), id = wire_get_u64(reader);
    int64_t repeat = (int64_t)wire_get_u64(reader), device = (int64_t)wire_get_u64(reader);
    uint32_t count = wire_get_u32(reader);
    if (!is_new(state, sequence, reader))
        return;
    size_t row = row_index_find(state->index, row_key_of(id, repeat, device)), copy = results->rows;
    if (row == ROW_NONE) /* the row was in a damaged record */
        return;
    frame_add_row(results);
    frame_copy_row(results, copy, row);
    replay_cells(state, copy, count, reader);
    if (reader->bad || !is_same_row(results, row, copy) || !is_possible(state, copy)) {
        state->refused++;
    } else {
        frame_copy_row(results, row, copy);
    }
    results->rows--;
    if (sequence > state->mark->sequence)
        state->mark->sequence = sequence;
}

/* ---- Records ---- */

/* One record, whose CRC was right. */
static enum replay replay(struct replay_state *state, uint32_t type, struct wire_reader *reader)
{
    if (type == RECORD_HEAD)
        return replay_head(state, reader);
    if (!state->headed) {
        state->refused += type <= RECORD_SPANS; /* it is not known of which file */
        return REPLAY_DONE;
    }
    if (type == RECORD_COLUMNS)
        return replay_columns(state, reader);
    if (type == RECORD_DEVICE)
        replay_device(state, reader);
    else if (type == RECORD_ROW)
        replay_row(state, reader);
    else if (type == RECORD_AMEND)
        replay_amendment(state, reader);
    else if (type == RECORD_SPANS)
        replay_spans(state, reader);
    return REPLAY_DONE; /* other types are of newer releases */
}

enum replay replay_journal(struct journal_reader *journal, struct dataset *dataset, struct mark *mark,
                           struct row_index *index)
{
    struct replay_state state = {
        .dataset = dataset, .mark = mark, .index = index, .file_sequence = mark->sequence};
    enum replay done = REPLAY_DONE;
    uint32_t type;
    struct wire_reader reader;
    size_t spans = dataset->timeline.rows;
    while (done == REPLAY_DONE && journal_next(journal, &type, &reader))
        done = replay(&state, type, &reader);
    if (dataset->timeline.rows > spans && invariants_timeline(dataset, NULL) != 0) {
        dataset->timeline.rows = spans;
        state.refused++;
    }
    if (dataset->journal_rows)
        summary_fill_new(dataset);
    row_check_free(&state.check);
    free(state.column);
    free(state.target);
    dataset->journal_damage = (struct journal_damage){.places = journal->gaps + state.refused,
                                                      .bytes = journal->skipped,
                                                      .rows = journal->gaps ? state.missing : 0};
    return done;
}
