/* replay_rows.h - the part of store/replay.h that is about rows: those that a journal adds, and amendments. */
#ifndef STORE_REPLAY_ROWS_H
#define STORE_REPLAY_ROWS_H

#include "protocol/wire.h"
#include "store/late.h"
#include "store/record.h"

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
    struct index_columns keys;       /* of dataset->results */
    int sample_offset, sample_count; /* likewise */
    struct late *late;               /* of rows that are not there; NULL: all are */
    bool headed;
    bool whole;       /* this journal cannot be folded in while rows are not there */
    bool news;        /* something came that was not there */
    uint64_t last;    /* sequence number of the row before */
    uint64_t missing; /* rows that the numbers skip */
    int refused;      /* records that are whole and make no sense */
};

/* Find the columns of the results that rows are read by. */
void replay_note_columns(struct replay_state *state);

/* Read a cell of type `type` into a column that is as wide or wider. */
void replay_cell(struct wire_reader *reader, enum column_type type, struct frame *frame, size_t row,
                 int column);

/* Whether /devices has it, or none is named. */
bool replay_is_device(const struct dataset *dataset, int64_t device);

void replay_row(struct replay_state *state, struct wire_reader *reader);
/* Counters that came after the row. They are read into a copy of it, which takes its place when it makes sense. */
void replay_amendment(struct replay_state *state, struct wire_reader *reader);

#endif
