/* record.h - what the journal's records hold: enough to read them without FILE.h5's schema, with any release
 * and for any family.
 *
 *   HEAD     first, and again where a run goes on with the journal of one that was killed: which file this continues and
 *            from where, the job, the environment
 *   COLUMNS  behind it: type, name, unit and meaning of the cells of the rows that follow; then the roles of all
 *            of them, as words, which releases before 0.2 neither wrote nor read
 *   DEVICE   a row of /devices, as (type, name, unit, meaning, value) of each column
 *   ROW      sequence number, the cells that are not missing, samples
 *   SPANS    which row of /timeline is the first; spans of the timeline, as they came
 *   AMEND    sequence number, key of a row that is there, some of its cells anew: counters come after times
 *
 * Every row ever appended, and every amendment, has the next sequence number, and FILE.h5 says up to which one it holds them. So a
 * kill between the renaming of a new FILE.h5 and the journal's new start doubles nothing, and a reader that
 * sees an old journal beside a new FILE.h5 puts no stale row over a newer one. */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "store/journal.h"
#include "store/row_index.h"
#include "store/store.h"

enum record_type { RECORD_HEAD = 1, RECORD_COLUMNS, RECORD_DEVICE, RECORD_ROW, RECORD_AMEND, RECORD_SPANS };

/* Where a file stands. */
struct mark {
    uint64_t lineage;  /* random, given when the file was first made; 0: there is no file */
    uint64_t sequence; /* of the last row in it, and in the journal that was read */
    int run;           /* runs that wrote it */
    /* Of what was read: */
    uint64_t in_file; /* the sequence of the file alone */
    size_t
        journal_whole; /* bytes that are whole of a journal that says something which is not in the file; else 0 */
};

void record_put_head(struct journal *journal, const struct dataset *dataset, const struct mark *mark);
void record_put_columns(struct journal *journal, const struct frame *results);
/* Both, twice: what a journal starts with. Without them no row could be read, were one of them damaged. */
void record_put_start(struct journal *journal, const struct dataset *dataset, const struct mark *mark);
void record_put_device(struct journal *journal, const struct frame *devices, size_t row);
void record_put_row(struct journal *journal, const struct dataset *dataset, size_t row, uint64_t sequence);

void record_put_amendment(struct journal *journal, const struct frame *results, size_t row,
                          struct row_key key, const int *changed, int count, uint64_t sequence);

/* The spans of the timeline from `first` on. */
void record_put_spans(struct journal *journal, const struct dataset *dataset, size_t first);

#endif
