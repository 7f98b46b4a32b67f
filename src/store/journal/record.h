/* record.h - the payloads of the journal's records: writing and reading them. They can be read without
 * FILE.h5, by every build with the same JOURNAL_MAGIC, and for any family:
 *
 *   START    first, twice: lineage and sequence number of the file that the journal continues, run, job,
 *            environment; then of /devices and /results the columns: type, role, name, unit and meaning
 *   DEVICE   a row of /devices: its number, and the cells that are not missing, each with the number of its
 *            column
 *   RESULT   a row of /results, the same after its sequence number; then samples. A later one of the same key
 *            replaces it
 *
 * Release 0.5 had rows of /timeline, too, which are skipped. */
#pragma once

#include "store/dataset/dataset.h"
#include "store/journal/journal.h"

enum record_type { RECORD_START = 1, RECORD_DEVICE, RECORD_RESULT, RECORD_END };

/* The table of a record, from DEVICE on. */
static inline struct frame *record_table(struct dataset *dataset, enum record_type type)
{
    return type == RECORD_DEVICE ? &dataset->devices : &dataset->results;
}

/* START, twice: no row could be read if it were damaged. */
void record_put_start(struct journal *journal, struct dataset *dataset);
/* A row. `number`: of a result its sequence number, else `row`. */
void record_put_row(struct journal *journal, enum record_type type, struct dataset *dataset, size_t row,
                    uint64_t number);

/* ---- replay.c. A record has a right CRC here: a malformed one is of another program; it is skipped, and
 * counted as damage. ---- */

/* Apply a journal to what was read from FILE.h5 (nothing, when mark.lineage is 0): a row replaces the row of
 * its key, or is added. False when the journal continues another file, or a newer state of it, than the one
 * in `dataset`. */
bool replay_journal(struct journal_reader *reader, struct dataset *dataset);
