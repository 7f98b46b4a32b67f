/* unread.h - a results file whose rows are checked and indexed, but not in memory: a run that goes on with a file needs
 * them when it writes the next one, and not at all when nothing is left to do. The file stays open: that it is replaced
 * meanwhile does no harm. What takes long is done by a thread, which alone calls HDF5 until it has ended. */
#ifndef STORE_UNREAD_H
#define STORE_UNREAD_H

#include "store/record.h"
#include "store/row_index.h"
#include "store/store.h"

struct unread; /* opaque */

/* As hdf5_read, but for the cells of /results and for /samples: `dataset`, which is spilled, has their numbers, and the
 * results' columns. A thread begins to check the samples. unread_free releases *unread, which is NULL but for 0. */
int unread_open(const char *path, struct dataset *dataset, struct mark *mark, struct row_index *index,
                struct unread **unread, struct error *error);

/* The rows that are not there. */
size_t unread_rows(const struct unread *unread);

/* Begin to bring rows and samples into `dataset`, once they have been checked; there is room for them. Its owner may add
 * others behind them meanwhile. */
void unread_fetch(struct unread *unread, const struct dataset *dataset);

/* Whether what was begun last, checking or fetching, has ended. */
bool unread_is_done(const struct unread *unread);

/* Wait for it. Once they have been checked, the dataset knows the samples' processes. -1, as often as it is asked, when the
 * file is damaged, or has changed since. */
int unread_await(struct unread *unread, struct dataset *dataset, struct error *error);

/* Stop and close; NULL is fine. */
void unread_free(struct unread *unread);

#endif
