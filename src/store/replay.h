/* replay.h - a journal's records (store/record.h), read. Their CRC was right, so what is malformed in them is another
 * release's, or somebody else's: it is passed over, and counted. */
#ifndef STORE_REPLAY_H
#define STORE_REPLAY_H

#include "store/journal_image.h"
#include "store/late.h"
#include "store/record.h"
#include "store/row_index.h"
#include "store/store.h"

enum replay {
    REPLAY_DONE,
    REPLAY_GAP,   /* the journal continues another or a newer file than the one in `dataset` */
    REPLAY_WHOLE, /* with `late`: the rows have to be there for this journal */
};

/* Fold a journal's records into what was read from FILE.h5 (nothing, when mark->lineage is 0): rows that are
 * new there are added, rows of the same key replaced. `index` is that of dataset->results and follows. `late`, or NULL:
 * late->rows of the results are not there, and it gets what becomes of them; that is for journals as they are written, not
 * for one that is damaged or names columns that the results lack. *news: the journal says something that was not there. */
enum replay replay_journal(struct journal_image *image, struct dataset *dataset, struct mark *mark,
                           struct row_index *index, struct late *late, bool *news);

#endif
