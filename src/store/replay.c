#include "store/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/memory.h"
#include "store/contents.h"

enum {
    COLUMNS_MOST = 4096,    /* of a table; HDF5 describes fewer */
    REST_RECORDS = 1 << 14, /* after which what is spilled is left to its file */
};

struct replay_state {
    struct dataset *dataset;
    struct mark *mark;
    struct row_index *index;
    uint64_t file_sequence; /* rows up to here are in FILE.h5 */
    struct {
        int target; /* column in dataset->results */
        enum column_type type;
    } * column; /* owned: the journal's columns */
    uint32_t columns;
    bool headed;
    uint64_t last;    /* sequence number of the row before */
    uint64_t missing; /* rows that the numbers skip */
    int refused;      /* records that are whole and make no sense */
};

/* A text of any length, owned by the caller. */
static char *get_text(struct wire_reader *reader)
{
    uint32_t count;
    const void *bytes = wire_get_bytes(reader, &count);
    char *text = memory_new((size_t)count + 1, 1);
    if (count)
        memcpy(text, bytes, count);
    return text;
}

/* A short text that may be printed. */
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

/* Read a cell of type `type` into a column that is as wide or wider. */
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
        frame_row(frame, row)[column].text = frame_text_foreign(frame, text ? text : "", count);
        break;
    }
    }
}

/* The same, made fit to print. */
static char *get_clean_text(struct wire_reader *reader)
{
    char *raw = get_text(reader);
    size_t size = 4 * strlen(raw) + 1;
    char *clean = memory_new(size, 1);
    clean_text(raw, clean, size);
    free(raw);
    return clean;
}

static enum replay replay_head(struct replay_state *state, struct wire_reader *reader)
{
    struct dataset *dataset = state->dataset;
    struct mark *mark = state->mark;
    uint64_t lineage = wire_get_u64(reader), base = wire_get_u64(reader);
    uint32_t run = wire_get_u32(reader);
    if (reader->bad || base > mark->sequence || (mark->lineage && mark->lineage != lineage))
        return REPLAY_GAP;
    state->headed = true;
    state->last = base;
    char *job = get_text(reader), *job_path = get_clean_text(reader);
    uint64_t planned = wire_get_u64(reader);
    uint32_t count = wire_get_u32(reader);
    struct store_pair *pair = NULL;
    size_t capacity = 0, pairs = 0;
    for (; pairs < count && !reader->bad; pairs++) {
        pair = memory_grow(pair, pairs, &capacity, sizeof *pair);
        pair[pairs].run = (int)wire_get_u32(reader);
        pair[pairs].name = get_clean_text(reader);
        pair[pairs].value = get_clean_text(reader);
    }
    mark->lineage = lineage;
    if (reader->bad || (int)run < mark->run) {
        /* Left by a run before the one that wrote FILE.h5, which a kill kept from starting the journal anew:
         * FILE.h5 has all of it. */
        free(job);
        free(job_path);
        contents_free_pairs(pair, (int)pairs);
        return REPLAY_DONE;
    }
    mark->run = (int)run;
    free(dataset->job);
    free(dataset->job_path);
    contents_free_pairs(dataset->environment, dataset->environment_count);
    dataset->job = job;
    dataset->job_path = job_path;
    dataset->planned = planned;
    dataset->environment = pair;
    dataset->environment_count = (int)pairs;
    return REPLAY_DONE;
}

/* Roles stand behind the columns; an earlier release's record ends before them. */
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
    struct column *columns = NULL;
    if (count > COLUMNS_MOST) {
        state->refused++;
        return REPLAY_DONE;
    }
    size_t capacity = 0;
    while (got < count) {
        struct column column = get_column(reader);
        if (reader->bad)
            break; /* rows that name a column beyond are passed over */
        columns = memory_grow(columns, got, &capacity, sizeof *columns);
        columns[got++] = column;
    }
    if (!reader->bad)
        get_roles(reader, columns, got);
    free(state->column);
    state->column = memory_new(got + 1, sizeof *state->column);
    state->columns = got;
    for (uint32_t i = 0; i < got; i++) {
        const struct column *column = &columns[i];
        state->column[i].type = column->type;
        state->column[i].target = frame_join_column(&state->dataset->results, column->name, column->type,
                                                    column->role, column->unit, column->meaning);
    }
    free(columns);
    char why[256];
    return contents_check_columns(state->dataset, why, sizeof why) == 0 ? REPLAY_DONE : REPLAY_GAP;
}

static void replay_device(struct replay_state *state, struct wire_reader *reader)
{
    enum { LOST_MOST = 4096 };
    struct frame *devices = &state->dataset->devices;
    uint32_t row = wire_get_u32(reader), count = wire_get_u32(reader);
    if (reader->bad || row < devices->rows)
        return; /* FILE.h5 has it already */
    if (row - devices->rows > LOST_MOST) {
        state->refused++;
        return;
    }
    /* Devices whose records are damaged keep their place: rows name devices by it. */
    while (devices->rows <= row)
        frame_add_row(devices);
    for (uint32_t i = 0; i < count && !reader->bad; i++) {
        struct column column = get_column(reader);
        if (reader->bad)
            break;
        int there = frame_find(devices, column.name);
        if (there >= 0 ? devices->column[there].type != column.type : devices->columns >= COLUMNS_MOST) {
            state->refused++;
            break;
        }
        int target = frame_join_column(devices, column.name, column.type, ROLE_ENVIRONMENT, column.unit,
                                       column.meaning);
        get_cell(reader, column.type, devices, row, target);
    }
}

#define SAMPLE_BYTES 24 /* two reals, process and device */

static bool is_device(const struct dataset *dataset, int64_t device)
{
    return device < 0 || (uint64_t)device < dataset->devices.rows;
}

/* Read the samples of `row`, the newest, to the end of dataset->samples. How many there are is told by the record, not
 * by the row's own cells. */
static void replay_samples(struct dataset *dataset, size_t row, struct wire_reader *reader)
{
    struct frame *results = &dataset->results;
    uint32_t count = wire_get_u32(reader);
    size_t left = reader->length - reader->at, start = dataset->sample_count;
    bool labelled = left / SAMPLE_BYTES == count; /* not in a journal of release 0.1 */
    if (reader->bad || count > left / 16) {
        reader->bad = true;
        return;
    }
    frame_put_integer(results, row, frame_find(results, "sample_offset"), (int64_t)start);
    frame_put_integer(results, row, frame_find(results, "sample_count"), count);
    contents_reserve_samples(dataset, count);
    for (uint32_t i = 0; i < count; i++) {
        struct sample *sample = &dataset->samples[dataset->sample_count++];
        sample->seconds = wire_get_real(reader);
        sample->sm_clock = wire_get_real(reader);
        sample->process = labelled ? wire_get_u32(reader) : 0;
        sample->device = labelled ? (int32_t)wire_get_u32(reader) : -1;
        contents_note_process(dataset, sample->process);
        reader->bad |= !is_device(dataset, sample->device) || !isfinite(sample->seconds);
    }
    if (reader->bad)
        dataset->sample_count = start;
}

/* `count` cells of a row that is there: each is a column's number and a value of its type. */
static void replay_cells(struct replay_state *state, size_t row, uint32_t count, struct wire_reader *reader)
{
    struct frame *results = &state->dataset->results;
    for (uint32_t i = 0; i < count && !reader->bad; i++) {
        uint32_t column = wire_get_u32(reader);
        if (reader->bad || column >= state->columns)
            reader->bad = true;
        else
            get_cell(reader, state->column[column].type, results, row, state->column[column].target);
    }
    if (!is_device(state->dataset, frame_row(results, row)[frame_find(results, "device")].integer))
        reader->bad = true;
}

/* Read the cells and samples of the newest row. */
static void replay_contents(struct replay_state *state, size_t row, struct wire_reader *reader)
{
    replay_cells(state, row, wire_get_u32(reader), reader);
    if (!reader->bad)
        replay_samples(state->dataset, row, reader);
}

/* Rows and amendments are numbered one after the other: what is skipped was lost. */
static void take_sequence(struct replay_state *state, uint64_t sequence)
{
    if (sequence > state->last + 1)
        state->missing += sequence - state->last - 1;
    state->last = sequence;
}

/* The beginning of a row's or an amendment's record, whose last number before its cells has been read. False: it makes no
 * sense, or FILE.h5 has it already. */
static bool is_new(struct replay_state *state, uint64_t sequence, const struct wire_reader *reader)
{
    if (reader->bad || !state->columns) {
        state->refused++;
        return false;
    }
    take_sequence(state, sequence);
    return sequence > state->file_sequence;
}

/* A row or an amendment has been folded in. */
static void fold_sequence(struct replay_state *state, uint64_t sequence)
{
    if (sequence > state->mark->sequence)
        state->mark->sequence = sequence;
}

static void replay_row(struct replay_state *state, struct wire_reader *reader)
{
    struct dataset *dataset = state->dataset;
    struct frame *results = &dataset->results;
    uint64_t sequence = wire_get_u64(reader);
    if (!is_new(state, sequence, reader))
        return;
    size_t row = results->rows;
    frame_add_row(results);
    replay_contents(state, row, reader);
    if (reader->bad) {
        results->rows--;
        state->refused++;
        return;
    }
    const struct index_columns columns = index_columns_of(results);
    struct row_key key = row_key_read(&columns, frame_row(results, row));
    struct row_facts facts = row_facts_read(&columns, frame_row(results, row));
    size_t there = row_index_find(state->index, key);
    if (there == ROW_NONE) {
        row_index_add(state->index, key, facts);
    } else {
        state->index->facts[there] = facts;
        memcpy(frame_row(results, there), frame_row(results, row),
               (size_t)results->columns * sizeof(union cell));
        results->rows--;
    }
    fold_sequence(state, sequence);
    dataset->journal_rows++;
}

/* What an amendment leaves alone: which row it is, and where its samples are. */
static bool is_kept(const struct frame *results, size_t a, size_t b)
{
    static const char *const kept[] = {"id", "repeat", "device", "status", "sample_count", "sample_offset"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        int column = frame_find(results, kept[i]);
        if (frame_row(results, a)[column].integer !=
            frame_row(results, b)[column].integer) /* texts: interned */
            return false;
    }
    return true;
}

/* Counters that came after the row. They are read into a copy of it, which takes its place when it makes sense. */
static void replay_amendment(struct replay_state *state, struct wire_reader *reader)
{
    struct frame *results = &state->dataset->results;
    uint64_t sequence = wire_get_u64(reader), id = wire_get_u64(reader);
    int64_t repeat = (int64_t)wire_get_u64(reader), device = (int64_t)wire_get_u64(reader);
    uint32_t count = wire_get_u32(reader);
    if (!is_new(state, sequence, reader))
        return;
    size_t there = row_index_find(state->index, row_key_of(id, repeat, device)), copy = results->rows;
    if (there == ROW_NONE) /* the row was in a record that is damaged */
        return;
    frame_add_row(results);
    memcpy(frame_row(results, copy), frame_row(results, there),
           (size_t)results->columns * sizeof(union cell));
    replay_cells(state, copy, count, reader);
    if (reader->bad || !is_kept(results, there, copy)) {
        state->refused++;
    } else {
        const struct index_columns columns = index_columns_of(results);
        memcpy(frame_row(results, there), frame_row(results, copy),
               (size_t)results->columns * sizeof(union cell));
        state->index->facts[there] = row_facts_read(&columns, frame_row(results, copy));
    }
    results->rows--;
    fold_sequence(state, sequence);
}

/* Spans that FILE.h5 has already are known by their place: it is for ever the same. One that ends with the file, and so
 * has no end in the journal, is that of a run whose end was cut off. */
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
        if (reader->bad || what >> 8 >= PHASE_COUNT || span.lane >= LANE_COUNT || span.rank < 0 ||
            !isfinite(span.start) || span.end < span.start || !is_device(state->dataset, span.device)) {
            state->refused++;
            return;
        }
        if (place >= state->dataset->span_count && isfinite(span.end))
            contents_add_span(state->dataset, &span);
    }
}

/* One record, whose CRC was right. */
static enum replay replay(struct replay_state *state, uint32_t type, struct wire_reader *reader)
{
    if (type == RECORD_HEAD)
        return replay_head(state, reader);
    if (!state->headed) {
        state->refused += type <= RECORD_SPANS; /* of which file they are is not known */
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
    return REPLAY_DONE; /* other types are a newer release's */
}

enum replay replay_journal(struct journal_image *image, struct dataset *dataset, struct mark *mark,
                           struct row_index *index)
{
    struct replay_state state = {
        .dataset = dataset, .mark = mark, .index = index, .file_sequence = mark->sequence};
    enum replay done = REPLAY_DONE;
    uint32_t type;
    struct wire_reader reader;
    for (size_t records = 0; done == REPLAY_DONE && journal_next(image, &type, &reader); records++) {
        done = replay(&state, type, &reader);
        if (records % REST_RECORDS == 0)
            contents_rest(dataset);
    }
    free(state.column);
    dataset->journal_damage = (struct journal_damage){.places = image->gaps + state.refused,
                                                      .bytes = image->skipped,
                                                      .rows = image->gaps ? state.missing : 0};
    return done;
}
