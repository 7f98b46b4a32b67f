#include "store/replay_rows.h"

#include <math.h>
#include <string.h>

#include "store/contents.h"

void replay_cell(struct wire_reader *reader, enum column_type type, struct frame *frame, size_t row,
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

void replay_note_columns(struct replay_state *state)
{
    const struct frame *results = &state->dataset->results;
    state->keys = index_columns_of(results);
    state->sample_offset = frame_find(results, COLUMN(sample_offset));
    state->sample_count = frame_find(results, COLUMN(sample_count));
}

bool replay_is_device(const struct dataset *dataset, int64_t device)
{
    return device < 0 || (uint64_t)device < dataset->devices.rows;
}

#define SAMPLE_BYTES 24 /* two reals, process and device */

/* Read the samples of `row`, the newest, to the end of dataset->samples. How many there are is told by the record, not
 * by the row's own cells. */
static void replay_samples(const struct replay_state *state, size_t row, struct wire_reader *reader)
{
    struct dataset *dataset = state->dataset;
    struct frame *results = &dataset->results;
    uint32_t count = wire_get_u32(reader);
    size_t left = reader->length - reader->at, start = dataset->sample_count;
    bool labelled = left / SAMPLE_BYTES == count; /* not in a journal of release 0.1 */
    if (reader->bad || count > left / 16) {
        reader->bad = true;
        return;
    }
    frame_put_integer(results, row, state->sample_offset, (int64_t)start);
    frame_put_integer(results, row, state->sample_count, count);
    contents_reserve_samples(dataset, count);
    for (uint32_t i = 0; i < count; i++) {
        struct sample *sample = &dataset->samples[dataset->sample_count++];
        sample->seconds = wire_get_real(reader);
        sample->sm_clock = wire_get_real(reader);
        sample->process = labelled ? wire_get_u32(reader) : 0;
        sample->device = labelled ? (int32_t)wire_get_u32(reader) : -1;
        contents_note_process(dataset, sample->process);
        reader->bad |= !replay_is_device(dataset, sample->device) || !isfinite(sample->seconds);
    }
    if (reader->bad)
        dataset->sample_count = start;
}

/* A cell's column among the journal's; bad when there is none of that number. */
static uint32_t get_column(const struct replay_state *state, struct wire_reader *reader)
{
    uint32_t column = wire_get_u32(reader);
    reader->bad = reader->bad || column >= state->columns;
    return column;
}

/* `count` cells of a row that is there: each is a column's number and a value of its type. */
static void replay_cells(const struct replay_state *state, size_t row, uint32_t count,
                         struct wire_reader *reader)
{
    struct frame *results = &state->dataset->results;
    for (uint32_t i = 0; i < count && !reader->bad; i++) {
        uint32_t column = get_column(state, reader);
        if (!reader->bad)
            replay_cell(reader, state->column[column].type, results, row, state->column[column].target);
    }
    if (!replay_is_device(state->dataset, frame_row(results, row)[state->keys.device].integer))
        reader->bad = true;
}

/* Read the cells and samples of the newest row. */
static void replay_contents(const struct replay_state *state, size_t row, struct wire_reader *reader)
{
    replay_cells(state, row, wire_get_u32(reader), reader);
    if (!reader->bad)
        replay_samples(state, row, reader);
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
    state->news = true;
    if (sequence > state->mark->sequence)
        state->mark->sequence = sequence;
}

static bool is_there(const struct replay_state *state, size_t row)
{
    return !state->late || row >= state->late->rows;
}

/* The newest row stands for `of`, which is not there and is one of no status any more. */
static void replace_later(struct replay_state *state, size_t row, size_t of, struct row_facts facts)
{
    versions_add(&state->late->versions, state->index, row, of, facts);
    state->index->facts[of].status = STATUS_COUNT;
}

void replay_row(struct replay_state *state, struct wire_reader *reader)
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
    struct row_key key = row_key_read(&state->keys, frame_row(results, row));
    struct row_facts facts = row_facts_read(&state->keys, frame_row(results, row));
    size_t there = row_index_find(state->index, key);
    if (there == ROW_NONE && state->late) {
        versions_index(&state->late->versions, state->index, key, facts);
    } else if (there == ROW_NONE) {
        row_index_add(state->index, key, facts);
    } else if (!is_there(state, there)) {
        replace_later(state, row, there, facts);
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
static const char *const kept[] = {COLUMN(id),     COLUMN(repeat),       COLUMN(device),
                                   COLUMN(status), COLUMN(sample_count), COLUMN(sample_offset)};

static bool is_kept(const struct frame *results, size_t a, size_t b)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        int column = frame_find(results, kept[i]);
        if (frame_row(results, a)[column].integer !=
            frame_row(results, b)[column].integer) /* texts: interned */
            return false;
    }
    return true;
}

/* A row that is there: the cells are read into a copy, the newest row, which takes its place when it makes sense. */
static void amend(struct replay_state *state, size_t there, uint32_t count, struct wire_reader *reader)
{
    struct frame *results = &state->dataset->results;
    size_t copy = results->rows;
    frame_add_row(results);
    memcpy(frame_row(results, copy), frame_row(results, there),
           (size_t)results->columns * sizeof(union cell));
    replay_cells(state, copy, count, reader);
    if (reader->bad || !is_kept(results, there, copy)) {
        state->refused++;
    } else {
        memcpy(frame_row(results, there), frame_row(results, copy),
               (size_t)results->columns * sizeof(union cell));
        state->index->facts[there] = row_facts_read(&state->keys, frame_row(results, copy));
    }
    results->rows--;
}

/* A row that is not there: its cells are kept for later. Whether those that an amendment leaves alone are what they were
 * is asked of a row that is there. */
static void amend_later(struct replay_state *state, size_t there, uint32_t count, struct wire_reader *reader)
{
    struct frame *results = &state->dataset->results;
    size_t scratch = results->rows;
    frame_add_row(results);
    for (uint32_t i = 0; i < count && !reader->bad; i++) {
        uint32_t column = get_column(state, reader);
        if (reader->bad)
            break;
        int target = state->column[column].target;
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            state->whole = state->whole || !strcmp(results->column[target].name, kept[k]);
        replay_cell(reader, state->column[column].type, results, scratch, target);
        const union cell *cell = frame_row(results, scratch);
        late_put(state->late, there, target, cell[target]);
        row_facts_take(&state->index->facts[there], &state->keys, target, cell);
    }
    results->rows--;
    state->refused += reader->bad; /* so that the rows are brought in for this journal */
}

void replay_amendment(struct replay_state *state, struct wire_reader *reader)
{
    uint64_t sequence = wire_get_u64(reader), id = wire_get_u64(reader);
    int64_t repeat = (int64_t)wire_get_u64(reader), device = (int64_t)wire_get_u64(reader);
    uint32_t count = wire_get_u32(reader);
    if (!is_new(state, sequence, reader))
        return;
    size_t there = row_index_find(state->index, row_key_of(id, repeat, device));
    if (there == ROW_NONE) /* the row was in a record that is damaged */
        return;
    if (is_there(state, there))
        amend(state, there, count, reader);
    else
        amend_later(state, there, count, reader);
    fold_sequence(state, sequence);
}
