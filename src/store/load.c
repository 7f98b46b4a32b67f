#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/io.h"
#include "base/text.h"
#include "store/journal/record.h"
#include "store/writer.h"

char *store_journal_path(const char *path)
{
    struct text text = {0};
    char *real = io_real_path(path);
    text_add(&text, "%s.journal", real);
    free(real);
    return text.data;
}

enum { LOAD_DONE, LOAD_NOTHING, LOAD_GAP }; /* or -1 with an error */

/* Until release 0.5, rows of products on tensor cores had the dtype f32 where tf32 was multiplied. Their ids
 * stay as they are. */
static void rename_tf32(struct frame *results)
{
    int dtype = frame_find_as(results, COLUMN(dtype), COLUMN_TEXT),
        kernel = frame_find_as(results, COLUMN(kernel), COLUMN_TEXT);
    for (size_t row = 0; dtype >= 0 && kernel >= 0 && row < results->rows; row++) {
        const union cell *cell = frame_row(results, row);
        if ((!strcmp(cell[kernel].text, "mma_rate") || !strcmp(cell[kernel].text, "tensor_matmul")) &&
            !strcmp(cell[dtype].text, "f32"))
            frame_put_text(results, row, dtype, "tf32");
    }
}

/* What readers derive is older than the rows that a run adds, and wrong where a process was added. The
 * intervals of predicted times do not follow from samples: they stay. */
static void drop_derived(struct dataset *dataset)
{
    if (dataset_environment(dataset, "prediction"))
        return;
    frame_drop_columns(&dataset->results, column_is_derived);
    dataset_find_columns(dataset);
}

/* Whether the latest run has noted no verdict. Releases before 0.7 note neither that nor a title. */
static bool has_no_end(const struct dataset *dataset)
{
    bool begun = false;
    for (int i = 0; i < dataset->environment_count; i++) {
        const struct store_pair *pair = &dataset->environment[i];
        if (pair->run == dataset->mark.run && !strcmp(pair->name, ENVIRONMENT_VERDICT))
            return false;
        begun |= pair->run == dataset->mark.run && !strcmp(pair->name, "title");
    }
    return begun && !dataset_environment(dataset, "prediction");
}

/* Once. The journal is read before the file: store.h says why. */
static int load_once(const char *path, const char *journal_path, struct store_verification *verification,
                     struct dataset *dataset, struct error *error)
{
    struct journal_reader journal;
    if (journal_read(journal_path, &journal, error) != 0)
        return -1;
    *dataset = dataset_new();
    dataset->running = journal.exists;
    dataset->writer = journal.writer;
    int done = hdf5_read(path, verification, dataset, error);
    if (done == LOAD_DONE || (done == LOAD_NOTHING && journal.exists))
        done = replay_journal(&journal, dataset) ? LOAD_DONE : LOAD_GAP;
    dataset->cut_off = !journal.exists && has_no_end(dataset);
    drop_derived(dataset);
    rename_tf32(&dataset->results);
    journal_reader_free(&journal);
    if (done != LOAD_DONE)
        dataset_free(dataset);
    return done;
}

int dataset_load(const char *path, struct store_verification *verification, struct dataset *dataset,
                 struct error *error)
{
    enum { ATTEMPTS = 20 }; /* a network file system may show the new journal with the old file for a while */
    char *journal_path = store_journal_path(path);
    int done = LOAD_GAP;
    for (int i = 0; i < ATTEMPTS && done == LOAD_GAP; i++) {
        if (i)
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        done = load_once(path, journal_path, verification, dataset, error);
    }
    if (done == LOAD_GAP)
        done = error_set(error, ERROR_ENVIRONMENT,
                         "%s does not match %s: put the right file beside it, or move the journal away",
                         journal_path, path);
    free(journal_path);
    return done;
}

/* There is a journal alone, without a row or a column. */
static int nothing_yet(const char *path, const struct dataset *dataset, struct error *error)
{
    if (dataset->journal_damage.places)
        return error_set(error, ERROR_ENVIRONMENT,
                         "%s: there is only a journal, and it is damaged where it names the columns: no "
                         "row can be read",
                         path);
    return error_set(error, ERROR_ENVIRONMENT, "%s: %s", path,
                     dataset->writer
                         ? "a run has just started to write it; it has no results yet"
                         : "the run that wrote it ended before its first result; run it again with --resume");
}

int dataset_verify(const char *path, struct store_verification *verification, struct dataset *dataset,
                   struct error *error)
{
    int read = dataset_load(path, verification, dataset, error);
    if (read == LOAD_NOTHING)
        return error_set(error, ERROR_USAGE, "%s: no such file", path);
    if (read == LOAD_DONE && !dataset->results.columns) {
        read = nothing_yet(path, dataset, error);
        dataset_free(dataset);
    }
    if (read == LOAD_DONE && dataset->lost_timeline && !verification)
        fprintf(stderr, "warpsweep: note: the timeline of %s is left out: %s\n", path,
                dataset->lost_timeline);
    return read;
}

int dataset_read(const char *path, struct dataset *dataset, struct error *error)
{
    return dataset_verify(path, NULL, dataset, error);
}
