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

/* What is read, and where it stays. */
struct load {
    struct dataset *dataset;
    struct mark *mark;
    struct row_index *index;
    struct store_verification *verification; /* or NULL */
    struct unread **unread;                  /* NULL: all is to be in memory */
    struct late *late;                       /* likewise */
};

enum { LOAD_DONE, LOAD_NOTHING, LOAD_GAP, LOAD_WHOLE };

static void forget(const struct load *load)
{
    if (load->unread) {
        unread_free(*load->unread);
        *load->unread = NULL;
        late_free(load->late);
    }
    dataset_free(load->dataset);
    row_index_free(load->index);
}

/* Fold the journal in. */
static int fold(const struct load *load, struct journal_image *image, bool apart)
{
    bool news;
    load->mark->in_file = load->mark->sequence;
    if (apart)
        load->late->rows = unread_rows(*load->unread);
    enum replay done =
        replay_journal(image, load->dataset, load->mark, load->index, apart ? load->late : NULL, &news);
    if (done != REPLAY_DONE)
        return done == REPLAY_GAP ? LOAD_GAP : LOAD_WHOLE;
    load->mark->journal_whole = news ? image->whole : 0;
    contents_pack_samples(load->dataset);
    return LOAD_DONE;
}

/* Once: an enumerator, or -1 with an error. `apart`: rows and samples may stay in the file; LOAD_WHOLE when that does not
 * do. LOAD_GAP when the journal does not continue the file.
 *
 * The journal is read first, then the file. A checkpoint renames the new file before it starts the journal
 * anew, so whatever this misses of the journal because it was started anew meanwhile is in the file that is
 * opened afterwards; and rows that are in both count once, by their sequence numbers. */
static int load_once(const char *path, const char *journal_path, const struct load *load, bool apart,
                     struct error *error)
{
    struct journal_image image;
    struct dataset *dataset = load->dataset;
    bool spilled = load->unread != NULL;
    if (journal_load(journal_path, spilled, &image, error) != 0)
        return -1;
    *dataset = contents_new(spilled);
    *load->mark = (struct mark){0};
    dataset->running = image.exists;
    dataset->writer = image.writer;
    apart = apart && dataset->spill && dataset->results.spill;
    int read = apart ? unread_open(path, dataset, load->mark, load->index, load->unread, error)
                     : hdf5_read(path, dataset, load->mark, load->index, load->verification, error);
    if (read == 0 || (read == 1 && image.exists))
        read = fold(load, &image, apart && read == 0);
    journal_image_free(&image);
    if (read != 0)
        forget(load);
    return read;
}

static int load_some_time(const char *path, const struct load *load, struct error *error)
{
    /* Network file systems may show a renamed file late: the new journal beside the old file. */
    enum { ATTEMPTS = 20 };
    char *journal_path = store_journal_path(path);
    int read = LOAD_GAP;
    for (int i = 0; i < ATTEMPTS && read == LOAD_GAP; i++) {
        if (i)
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        read = load_once(path, journal_path, load, load->unread != NULL, error);
        if (read == LOAD_WHOLE)
            read = load_once(path, journal_path, load, false, error);
    }
    if (read == LOAD_GAP)
        read = error_set(
            error, ERROR_ENVIRONMENT,
            "%s is not the continuation of %s: put the right file beside it, or move the journal away",
            journal_path, path);
    free(journal_path);
    return read;
}

int dataset_load(const char *path, struct dataset *dataset, struct mark *mark, struct row_index *index,
                 struct unread **unread, struct late *late, struct error *error)
{
    *unread = NULL;
    return load_some_time(
        path,
        &(struct load){.dataset = dataset, .mark = mark, .index = index, .unread = unread, .late = late},
        error);
}

int dataset_verify(const char *path, struct dataset *dataset, struct store_verification *verification,
                   struct error *error)
{
    struct mark mark;
    struct row_index index = {0};
    if (verification)
        *verification = (struct store_verification){0};
    int read = load_some_time(
        path,
        &(struct load){.dataset = dataset, .mark = &mark, .index = &index, .verification = verification},
        error);
    row_index_free(&index);
    if (read == LOAD_NOTHING)
        return error_set(error, ERROR_USAGE, "%s: no such file", path);
    if (read == LOAD_DONE && dataset->results.columns == 0) {
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
