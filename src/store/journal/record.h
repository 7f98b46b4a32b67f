/* record.h - the payloads of the journal's records: writing and reading them. They can be read without FILE.h5 and its
 * columns, by any release and for any family:
 *
 *   HEAD     first (releases before 0.6 wrote others where a resumed run continued the journal): lineage and sequence
 *            number of the file that it continues, run, job, environment
 *   COLUMNS  after it: type, name, unit and meaning of the cells of the rows that follow; then their roles as words,
 *            which releases before 0.2 neither wrote nor read
 *   DEVICE   a row of /devices: (type, name, unit, meaning, value) of each column
 *   ROW      sequence number, the cells that are not missing, samples
 *   SPANS    row of /timeline of the first; spans, in order
 *   AMEND    sequence number, key of an existing row, new values of some of its cells: counters come after times */
#pragma once

#include "store/dataset/dataset.h"
#include "store/dataset/row_index.h"
#include "store/journal/journal.h"
#include "store/journal/reader.h"

enum record_type { RECORD_HEAD = 1, RECORD_COLUMNS, RECORD_DEVICE, RECORD_ROW, RECORD_AMEND, RECORD_SPANS };

/* HEAD and COLUMNS, both twice: no row could be read if one of them were damaged. */
void record_put_start(struct journal *journal, const struct dataset *dataset, const struct mark *mark);
void record_put_device(struct journal *journal, const struct frame *devices, size_t row);
void record_put_row(struct journal *journal, const struct dataset *dataset, size_t row, uint64_t sequence);
/* `count` cells of `row`, those of the columns `changed`. */
void record_put_amendment(struct journal *journal, const struct frame *results, size_t row,
                          struct row_key key, const int *changed, int count, uint64_t sequence);
/* The span that becomes row `place` of the timeline. */
void record_put_span(struct journal *journal, size_t place, const struct span *span);

/* ---- replay.c. A record has a right CRC here: a malformed one is of another release or program; it is skipped, and counted
 * as damage. ---- */

enum replay {
    REPLAY_DONE,
    REPLAY_GAP, /* the journal continues another file, or a newer state of it, than the one in `dataset` */
};

/* Apply a journal to what was read from FILE.h5 (nothing, when mark->lineage is 0): a row replaces the row of its key, or is
 * added. `index` is that of dataset->results and follows. */
enum replay replay_journal(struct journal_reader *reader, struct dataset *dataset, struct mark *mark,
                           struct row_index *index);
