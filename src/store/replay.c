#include "store/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/memory.h"
#include "store/contents.h"
#include "store/replay_rows.h"

enum {
    COLUMNS_MOST = 4096,    /* of a table; HDF5 describes fewer */
    REST_RECORDS = 1 << 14, /* after which what is spilled is left to its file */
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
    if (!state->headed) /* another run goes on, from where the file stands */
        state->last = base;
    state->headed = true;
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

/* Whether rows that are not there would change with the column. */
static bool changes_rows(const struct frame *results, const struct column *column)
{
    int there = frame_find(results, column->name);
    return there < 0 || column->type > results->column[there].type;
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
        if (state->late && changes_rows(&state->dataset->results, column)) {
            state->whole = true;
            break;
        }
        state->column[i].type = column->type;
        state->column[i].target = frame_join_column(&state->dataset->results, column->name, column->type,
                                                    column->role, column->unit, column->meaning);
    }
    free(columns);
    char why[256];
    if (contents_check_columns(state->dataset, why, sizeof why) != 0)
        return REPLAY_GAP;
    replay_note_columns(state);
    return REPLAY_DONE;
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
    state->news = true;
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
        replay_cell(reader, column.type, devices, row, target);
    }
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
            !isfinite(span.start) || span.end < span.start ||
            !replay_is_device(state->dataset, span.device)) {
            state->refused++;
            return;
        }
        if (place >= state->dataset->span_count && isfinite(span.end)) {
            contents_add_span(state->dataset, &span);
            state->news = true;
        }
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
                           struct row_index *index, struct late *late, bool *news)
{
    struct replay_state state = {
        .dataset = dataset, .mark = mark, .index = index, .file_sequence = mark->sequence, .late = late};
    enum replay done = REPLAY_DONE;
    uint32_t type;
    struct wire_reader reader;
    for (size_t records = 0; done == REPLAY_DONE && journal_next(image, &type, &reader); records++) {
        done = replay(&state, type, &reader);
        if (late && (state.whole || state.refused || image->gaps))
            done = REPLAY_WHOLE; /* what is damaged is judged by rows that are there */
        if (records % REST_RECORDS == 0)
            contents_rest(dataset);
    }
    free(state.column);
    if (late && image->gaps)
        done = REPLAY_WHOLE;
    *news = state.news;
    dataset->journal_damage = (struct journal_damage){.places = image->gaps + state.refused,
                                                      .bytes = image->skipped,
                                                      .rows = image->gaps ? state.missing : 0};
    return done;
}
