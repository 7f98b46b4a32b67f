/* dataset.h - FILE.h5 and its journal as one. */
#ifndef STORE_DATASET_H
#define STORE_DATASET_H

#include "store/late.h"
#include "store/record.h"
#include "store/store.h"
#include "store/unread.h"

/* As dataset_read, and where the file stands with the journal's rows. `index` (start from {0}) is that of the
 * results. *unread: rows and samples of the file stay there, and `late` (start from {0}) has what the journal says of them;
 * NULL where the journal is damaged, or does not fit the file's columns. 1 when there is neither a file nor a journal. */
int dataset_load(const char *path, struct dataset *dataset, struct mark *mark, struct row_index *index,
                 struct unread **unread, struct late *late, struct error *error);

#endif
