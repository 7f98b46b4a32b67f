#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "core/limits.h"
#include "store/dataset/admission.h"
#include "store/dataset/invariants.h"
#include "store/journal/record.h"

enum {
    TEXT_MAX = 4096,        /* bytes of a cell; the longest that is written has some 1100 */
    JOB_PATH_MAX = 1 << 14, /* bytes; also of a text of the environment */
    LOST_DEVICES_MAX = 4096,
};

struct replay_state {
    struct dataset *dataset;
    uint64_t file_sequence; /* FILE.h5 has the rows up to here */
    struct journal_table {
        uint32_t columns; /* 0: not known */
        enum column_type type[DATASET_COLUMNS_MAX];
        int target[DATASET_COLUMNS_MAX]; /* what they are in the dataset's table */
    } table[RECORD_END];
    bool started;     /* a START was read */
    uint64_t last;    /* sequence number of the row before */
    uint64_t missing; /* rows that the numbers skip */
    int refused;      /* whole records with impossible contents */
};

/* ---- START ---- */

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
    reader->bad |= strlen(printable) > JOB_PATH_MAX;
    return printable;
}

/* A short text, printable. */
static void get_clean(struct wire_reader *reader, char *out, size_t size)
{
    char raw[256] = "";
    wire_get_text(reader, raw, sizeof raw);
    clean_text(raw, out, size);
}

static void get_columns(struct replay_state *state, enum record_type type, struct wire_reader *reader)
{
    static const char *const names[RECORD_END] = {[RECORD_DEVICE] = "devices", [RECORD_RESULT] = "results"};
    struct journal_table *table = &state->table[type];
    struct frame *frame = record_table(state->dataset, type);
    uint32_t count = wire_get_u32(reader);
    for (uint32_t i = 0; i < count && !reader->bad; i++) {
        struct column column;
        char role[32];
        uint32_t kind = wire_get_u32(reader);
        wire_get_text(reader, role, sizeof role);
        get_clean(reader, column.name, sizeof column.name);
        get_clean(reader, column.unit, sizeof column.unit);
        get_clean(reader, column.meaning, sizeof column.meaning);
        int wanted = invariants_type_of(names[type], column.name);
        reader->bad |= kind > COLUMN_TEXT || !*column.name || (wanted >= 0 && (int)kind != wanted) ||
                       i >= DATASET_COLUMNS_MAX || frame->columns > DATASET_COLUMNS_MAX;
        if (reader->bad)
            break;
        table->type[i] = (enum column_type)kind;
        table->target[i] = frame_join_column(frame, column.name, table->type[i], column_role_named(role),
                                             column.unit, column.meaning);
        table->columns = i + 1;
    }
}

/* Job and environment, unless the run is one before that which wrote FILE.h5: it was killed before it
 * replaced the journal. */
static void get_job(struct replay_state *state, int run, struct wire_reader *reader)
{
    struct dataset *dataset = state->dataset;
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
    }
    if (reader->bad || run < dataset->mark.run) {
        free(job);
        free(job_path);
        dataset_free_pairs(pair, (int)pairs);
        return;
    }
    dataset->mark.run = run;
    free(dataset->job);
    free(dataset->job_path);
    dataset_free_pairs(dataset->environment, dataset->environment_count);
    dataset->job = job;
    dataset->job_path = job_path;
    dataset->planned = planned;
    dataset->environment = pair;
    dataset->environment_count = (int)pairs;
}

static bool replay_start(struct replay_state *state, struct wire_reader *reader)
{
    struct mark *mark = &state->dataset->mark;
    uint64_t lineage = wire_get_u64(reader), base = wire_get_u64(reader);
    uint32_t run = wire_get_u32(reader);
    if (reader->bad || base > mark->sequence || (mark->lineage && mark->lineage != lineage))
        return false;
    if (!lineage || run > RUNS_MAX) {
        state->refused++;
        return true;
    }
    get_job(state, (int)run, reader);
    for (enum record_type type = RECORD_DEVICE; type < RECORD_END; type++)
        get_columns(state, type, reader);
    if (reader->bad)
        state->refused++; /* and all rows that would have columns behind the bad one */
    if (!state->started)
        state->last = base;
    state->started = true;
    mark->lineage = lineage;
    if (invariants_columns(&state->dataset->results, NULL) != 0)
        return false;
    dataset_find_columns(state->dataset);
    return true;
}

/* ---- Rows ---- */

/* Read the cells of a new row, the last one of its table. */
static void get_row(const struct replay_state *state, enum record_type type, struct wire_reader *reader)
{
    struct frame *frame = record_table(state->dataset, type);
    const struct journal_table *table = &state->table[type];
    size_t row = frame->rows;
    frame_add_row(frame);
    for (uint32_t count = wire_get_u32(reader); count > 0 && !reader->bad; count--) {
        uint32_t column = wire_get_u32(reader), length;
        if (reader->bad || column >= table->columns) {
            reader->bad = true;
            return;
        }
        int target = table->target[column];
        if (table->type[column] == COLUMN_INTEGER) {
            frame_put_integer(frame, row, target, (int64_t)wire_get_u64(reader));
        } else if (table->type[column] == COLUMN_REAL) {
            frame_put_real(frame, row, target, wire_get_real(reader));
        } else {
            const char *text = wire_get_bytes(reader, &length);
            text = frame_text_foreign(frame, text ? text : "", length);
            frame_row(frame, row)[target].text = text;
            reader->bad |= strlen(text) > TEXT_MAX;
        }
    }
}

/* A device whose record is lost, or bad, keeps its number: rows name devices by it. */
static void replay_device(struct replay_state *state, struct wire_reader *reader)
{
    struct frame *devices = &state->dataset->devices;
    uint64_t number = wire_get_u64(reader);
    if (number < devices->rows)
        return; /* FILE.h5 has it already */
    if (reader->bad || number - devices->rows > LOST_DEVICES_MAX) {
        state->refused++;
        return;
    }
    while (devices->rows < number)
        frame_add_row(devices);
    get_row(state, RECORD_DEVICE, reader);
    if (!reader->bad) {
        admit_device(state->dataset, (size_t)number);
        return;
    }
    devices->rows--;
    frame_add_row(devices);
    state->refused++;
}

/* Add the samples of `row`, the last one. The record says how many there are, not the row's cells. */
static void get_samples(const struct replay_state *state, size_t row, struct wire_reader *reader)
{
    enum { SAMPLE_BYTES = sizeof(struct sample) };
    struct dataset *dataset = state->dataset;
    size_t start = dataset->sample_count;
    uint32_t count = wire_get_u32(reader);
    reader->bad |= count > (reader->length - reader->at) / SAMPLE_BYTES;
    if (reader->bad)
        return;
    frame_put_integer(&dataset->results, row, dataset->columns.fixed[FIXED_sample_offset], (int64_t)start);
    frame_put_integer(&dataset->results, row, dataset->columns.fixed[FIXED_sample_count], count);
    for (uint32_t i = 0; i < count; i++) {
        struct sample sample;
#define X(name, role, unit, always, meaning) sample.name = wire_get_real(reader);
        SAMPLE_REALS(X)
#undef X
        sample.process = wire_get_u32(reader);
        sample.device = (int32_t)wire_get_u32(reader);
        reader->bad |= invariants_sample_place(dataset, &sample, i, NULL) != 0;
        if (!reader->bad) /* its process counts */
            dataset_add_samples(dataset, &sample, 1);
    }
    if (reader->bad)
        dataset->sample_count = start;
}

static void replay_result(struct replay_state *state, struct wire_reader *reader)
{
    struct dataset *dataset = state->dataset;
    struct frame *results = &dataset->results;
    uint64_t sequence = wire_get_u64(reader);
    size_t row = results->rows;
    if (reader->bad || !state->table[RECORD_RESULT].columns || sequence > SEQUENCE_MAX) {
        state->refused++;
        return;
    }
    if (sequence > state->last + 1)
        state->missing += sequence - state->last - 1; /* lost with a damaged record */
    state->last = sequence;
    if (sequence <= state->file_sequence)
        return;
    get_row(state, RECORD_RESULT, reader);
    if (!reader->bad)
        get_samples(state, row, reader);
    if (!reader->bad)
        admit_row(dataset, row);
    if (reader->bad || invariants_row(dataset, frame_row(results, row), row, NULL) != 0) {
        results->rows--;
        state->refused++;
        return;
    }
    dataset_settle_row(dataset);
    assert(dataset->index.rows == results->rows);
    if (sequence > dataset->mark.sequence)
        dataset->mark.sequence = sequence;
    dataset->journal_rows++;
}

/* ---- Records ---- */

/* One record, whose CRC was right. False: the journal is of another file. */
static bool replay(struct replay_state *state, uint32_t type, struct wire_reader *reader)
{
    if (type == RECORD_START)
        return replay_start(state, reader);
    if (!state->started)
        state->refused += type < RECORD_END; /* it is not known of which file */
    else if (type == RECORD_DEVICE)
        replay_device(state, reader);
    else if (type == RECORD_RESULT)
        replay_result(state, reader);
    return true; /* other types are of other releases */
}

bool replay_journal(struct journal_reader *journal, struct dataset *dataset)
{
    struct replay_state *state = memory_new(1, sizeof *state);
    bool good = true;
    uint32_t type;
    struct wire_reader reader;
    state->dataset = dataset;
    state->file_sequence = dataset->mark.sequence;
    while (good && journal_next(journal, &type, &reader))
        good = replay(state, type, &reader);
    if (dataset->journal_rows)
        summary_fill(dataset);
    dataset->journal_damage = (struct journal_damage){.places = journal->gaps + state->refused,
                                                      .bytes = journal->skipped,
                                                      .rows = journal->gaps ? state->missing : 0};
    free(state);
    return good;
}
