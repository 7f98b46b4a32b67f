#include "store/dataset.h"

#include <stdlib.h>
#include <time.h>

#include "base/io.h"
#include "base/text.h"
#include "store/contents.h"
#include "store/hdf5_read.h"
#include "store/replay.h"

char *store_journal_path(const char *path)
{
    struct text text = {0};
    char *real = io_real_path(path);
    text_add(&text, "%s.journal", real);
    free(real);
    return text.data;
}

/* Once: 0, 1 when there is nothing, -1 with an error, or 2 when the journal does not continue the file.
 *
 * The journal is read first, then the file. A checkpoint renames the new file before it starts the journal
 * anew, so whatever this misses of the journal because it was started anew meanwhile is in the file that is
 * opened afterwards; and rows that are in both count once, by their sequence numbers. */
static int load_once(const char *path, const char *journal_path, struct dataset *dataset, struct mark *mark,
                     struct row_index *index, struct store_verification *verification, struct unread **unread,
                     struct error *error)
{
    struct journal_image image;
    bool spilled = unread != NULL;
    if (journal_load(journal_path, spilled, &image, error) != 0)
        return -1;
    *dataset = contents_new(spilled);
    *mark = (struct mark){0};
    dataset->running = image.exists;
    dataset->writer = image.writer;
    /* Amendments and rows that come again need the rows that are there. */
    bool apart = spilled && !image.length && dataset->spill && dataset->results.spill;
    int read = apart ? unread_open(path, dataset, mark, index, unread, error)
                     : hdf5_read(path, dataset, mark, index, verification, error);
    if (read == 0 || (read == 1 && image.exists)) {
        read = 0;
        if (replay_journal(&image, dataset, mark, index) == REPLAY_GAP)
            read = 2;
        contents_pack_samples(dataset);
    }
    journal_image_free(&image);
    if (read != 0) {
        dataset_free(dataset);
        row_index_free(index);
    }
    return read;
}

static int load_some_time(const char *path, struct dataset *dataset, struct mark *mark,
                          struct row_index *index, struct store_verification *verification,
                          struct unread **unread, struct error *error)
{
    /* Network file systems may show a renamed file late: the new journal beside the old file. */
    enum { ATTEMPTS = 20 };
    char *journal_path = store_journal_path(path);
    int read = 2;
    for (int i = 0; i < ATTEMPTS && read == 2; i++) {
        if (i)
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        read = load_once(path, journal_path, dataset, mark, index, verification, unread, error);
    }
    if (read == 2)
        read = error_set(
            error, ERROR_ENVIRONMENT,
            "%s is not the continuation of %s: put the right file beside it, or move the journal away",
            journal_path, path);
    free(journal_path);
    return read;
}

int dataset_load(const char *path, struct dataset *dataset, struct mark *mark, struct row_index *index,
                 struct unread **unread, struct error *error)
{
    *unread = NULL;
    return load_some_time(path, dataset, mark, index, NULL, unread, error);
}

int dataset_verify(const char *path, struct dataset *dataset, struct store_verification *verification,
                   struct error *error)
{
    struct mark mark;
    struct row_index index = {0};
    if (verification)
        *verification = (struct store_verification){0};
    int read = load_some_time(path, dataset, &mark, &index, verification, NULL, error);
    row_index_free(&index);
    if (read == 1)
        return error_set(error, ERROR_USAGE, "%s: no such file", path);
    if (read == 0 && dataset->results.columns == 0) {
        bool writer = dataset->writer;
        dataset_free(dataset);
        return error_set(
            error, ERROR_ENVIRONMENT, "%s: %s", path,
            writer ? "a run is about to begin it; there is nothing in it yet"
                   : "the run that was to write it ended before it had any result; run it again with "
                     "--resume");
    }
    return read;
}

int dataset_read(const char *path, struct dataset *dataset, struct error *error)
{
    return dataset_verify(path, dataset, NULL, error);
}
