#include "store/journal/record.h"

static void put_column(struct wire *wire, const struct column *column)
{
    wire_put_u32(wire, column->type);
    wire_put_text(wire, column->name);
    wire_put_text(wire, column->unit);
    wire_put_text(wire, column->meaning);
}

static void put_cell(struct wire *wire, const struct column *column, union cell cell)
{
    switch (column->type) {
    case COLUMN_INTEGER:
        wire_put_u64(wire, (uint64_t)cell.integer);
        break;
    case COLUMN_REAL:
        wire_put_real(wire, cell.real);
        break;
    case COLUMN_TEXT:
        wire_put_text(wire, cell.text);
        break;
    }
}

static void put_head(struct journal *journal, const struct dataset *dataset, const struct mark *mark)
{
    struct wire *wire = journal_begin(journal, RECORD_HEAD);
    wire_put_u64(wire, mark->lineage);
    wire_put_u64(wire, mark->sequence);
    wire_put_u32(wire, (uint32_t)mark->run);
    wire_put_text(wire, dataset->job);
    wire_put_text(wire, dataset->job_path);
    wire_put_u64(wire, dataset->planned);
    wire_put_u32(wire, (uint32_t)dataset->environment_count);
    for (int i = 0; i < dataset->environment_count; i++) {
        const struct store_pair *pair = &dataset->environment[i];
        wire_put_u32(wire, (uint32_t)pair->run);
        wire_put_text(wire, pair->name);
        wire_put_text(wire, pair->value);
    }
    journal_end(journal);
}

static void put_columns(struct journal *journal, const struct frame *results)
{
    struct wire *wire = journal_begin(journal, RECORD_COLUMNS);
    wire_put_u32(wire, (uint32_t)results->columns);
    for (int i = 0; i < results->columns; i++)
        put_column(wire, &results->column[i]);
    for (int i = 0; i < results->columns; i++)
        wire_put_text(wire, column_role_words[results->column[i].role]);
    journal_end(journal);
}

void record_put_start(struct journal *journal, const struct dataset *dataset, const struct mark *mark)
{
    for (int i = 0; i < 2; i++) {
        put_head(journal, dataset, mark);
        put_columns(journal, &dataset->results);
    }
}

void record_put_device(struct journal *journal, const struct frame *devices, size_t row)
{
    struct wire *wire = journal_begin(journal, RECORD_DEVICE);
    wire_put_u32(wire, (uint32_t)row);
    wire_put_u32(wire, (uint32_t)devices->columns);
    for (int i = 0; i < devices->columns; i++) {
        put_column(wire, &devices->column[i]);
        put_cell(wire, &devices->column[i], frame_row(devices, row)[i]);
    }
    journal_end(journal);
}

void record_put_row(struct journal *journal, const struct dataset *dataset, size_t row, uint64_t sequence)
{
    const struct frame *results = &dataset->results;
    const union cell *cell = frame_row(results, row);
    struct wire *wire = journal_begin(journal, RECORD_ROW);
    wire_put_u64(wire, sequence);
    int present = 0;
    for (int i = 0; i < results->columns; i++)
        present += !frame_is_missing(&results->column[i], cell[i]);
    wire_put_u32(wire, (uint32_t)present);
    for (int i = 0; i < results->columns; i++) {
        if (frame_is_missing(&results->column[i], cell[i]))
            continue;
        wire_put_u32(wire, (uint32_t)i);
        put_cell(wire, &results->column[i], cell[i]);
    }
    int offset = frame_find(results, COLUMN(sample_offset)),
        count = frame_find(results, COLUMN(sample_count));
    const struct sample *sample = dataset_samples(dataset, cell[offset].integer);
    wire_put_u32(wire, (uint32_t)cell[count].integer);
    for (int64_t i = 0; i < cell[count].integer; i++) {
        wire_put_real(wire, sample[i].seconds);
        wire_put_real(wire, sample[i].sm_clock);
        wire_put_u32(wire, sample[i].process);
        wire_put_u32(wire, (uint32_t)sample[i].device);
    }
    journal_end(journal);
}

/* Missing cells are written, too: the row may have had a value. */
void record_put_amendment(struct journal *journal, const struct frame *results, size_t row,
                          struct row_key key, const int *changed, int count, uint64_t sequence)
{
    struct wire *wire = journal_begin(journal, RECORD_AMEND);
    wire_put_u64(wire, sequence);
    wire_put_u64(wire, key.id);
    wire_put_u64(wire, (uint64_t)key.repeat);
    wire_put_u64(wire, (uint64_t)key.device);
    wire_put_u32(wire, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        wire_put_u32(wire, (uint32_t)changed[i]);
        put_cell(wire, &results->column[changed[i]], frame_row(results, row)[changed[i]]);
    }
    journal_end(journal);
}

void record_put_span(struct journal *journal, size_t place, const struct span *span)
{
    struct wire *wire = journal_begin(journal, RECORD_SPANS);
    wire_put_u64(wire, place);
    wire_put_u32(wire, 1);
    wire_put_u32(wire, span->run);
    wire_put_u32(wire, (uint32_t)span->rank);
    wire_put_u32(wire, (uint32_t)span->phase << 8 | span->lane);
    wire_put_u32(wire, (uint32_t)span->device);
    wire_put_u64(wire, span->point);
    wire_put_u32(wire, span->parts);
    wire_put_real(wire, span->start);
    wire_put_real(wire, span->end);
    journal_end(journal);
}
