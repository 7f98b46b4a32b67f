#include "store/journal/record.h"

static void put_columns(struct wire *wire, const struct frame *frame)
{
    wire_put_u32(wire, (uint32_t)frame->columns);
    for (int i = 0; i < frame->columns; i++) {
        const struct column *column = &frame->column[i];
        wire_put_u32(wire, column->type);
        wire_put_text(wire, column_role_words[column->role]);
        wire_put_text(wire, column->name);
        wire_put_text(wire, column->unit);
        wire_put_text(wire, column->meaning);
    }
}

static void put_start(struct journal *journal, struct dataset *dataset)
{
    struct wire *wire = journal_begin(journal, RECORD_START);
    wire_put_u64(wire, dataset->mark.lineage);
    wire_put_u64(wire, dataset->mark.sequence);
    wire_put_u32(wire, (uint32_t)dataset->mark.run);
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
    for (enum record_type type = RECORD_DEVICE; type < RECORD_END; type++)
        put_columns(wire, record_table(dataset, type));
    wire_put_u32(wire, 0); /* of /timeline, which release 0.5 reads */
    journal_end(journal);
}

void record_put_start(struct journal *journal, struct dataset *dataset)
{
    put_start(journal, dataset);
    put_start(journal, dataset);
}

static void put_cells(struct wire *wire, const struct frame *frame, const union cell *cell)
{
    int present = 0;
    for (int i = 0; i < frame->columns; i++)
        present += !frame_is_missing(&frame->column[i], cell[i]);
    wire_put_u32(wire, (uint32_t)present);
    for (int i = 0; i < frame->columns; i++) {
        if (frame_is_missing(&frame->column[i], cell[i]))
            continue;
        wire_put_u32(wire, (uint32_t)i);
        if (frame->column[i].type == COLUMN_TEXT)
            wire_put_text(wire, cell[i].text);
        else
            wire_put_u64(wire, (uint64_t)cell[i].integer); /* or the bits of the real */
    }
}

static void put_samples(struct wire *wire, const struct dataset *dataset, const union cell *cell)
{
    int64_t offset = cell[dataset->columns.fixed[FIXED_sample_offset]].integer,
            count = cell[dataset->columns.fixed[FIXED_sample_count]].integer;
    const struct sample *sample = dataset_samples(dataset, offset);
    wire_put_u32(wire, (uint32_t)count);
    for (int64_t i = 0; i < count; i++) {
#define X(name, role, unit, always, meaning) wire_put_real(wire, sample[i].name);
        SAMPLE_REALS(X)
#undef X
        wire_put_u32(wire, sample[i].process);
        wire_put_u32(wire, (uint32_t)sample[i].device);
    }
}

void record_put_row(struct journal *journal, enum record_type type, struct dataset *dataset, size_t row,
                    uint64_t number)
{
    const struct frame *frame = record_table(dataset, type);
    struct wire *wire = journal_begin(journal, type);
    wire_put_u64(wire, number);
    put_cells(wire, frame, frame_row(frame, row));
    if (type == RECORD_RESULT)
        put_samples(wire, dataset, frame_row(frame, row));
    journal_end(journal);
}
