#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/spill.h"
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

/* ---- Salvage ---- */

static bool salvaging;
static struct text salvaged; /* of all files so far */

void dataset_salvage(void)
{
    salvaging = true;
}

const char *dataset_salvaged(void)
{
    return salvaged.data;
}

/* A merged file keeps the mark of its parts in its environment. */
static void note_salvaged(const char *path, const struct dataset *dataset)
{
    const char *before = dataset_environment(dataset, STORE_SALVAGED), *separator = salvaged.data ? "; " : "";
    if (dataset->salvaged)
        text_add(&salvaged, "%s%s: wrong checksum of %s", separator, path, dataset->salvaged);
    else if (before)
        text_add(&salvaged, "%s%s: made of %s", separator, path, before);
}

/* ---- Reading ---- */

enum { LOAD_DONE, LOAD_NOTHING, LOAD_GAP }; /* or -1 with an error */

/* Once. `owner`: this process holds the journal. The journal is read before the file: store.h says why. */
static int load_once(const char *path, const char *journal_path, const struct dataset_reading *how,
                     bool owner, struct dataset *dataset, struct mark *mark, struct row_index *index,
                     struct error *error)
{
    struct journal_reader journal;
    bool news;
    if (journal_read(journal_path, owner, &journal, error) != 0)
        return -1;
    *dataset = dataset_new(how->spilled);
    dataset->samples_dropped = how->no_samples && !journal.exists; /* replay needs them for times */
    if (how->by_column && !journal.exists)                         /* a journal's records are rows */
        frame_by_column(&dataset->results);
    *mark = (struct mark){0};
    dataset->running = journal.exists;
    dataset->writer = journal.writer;
    int done = hdf5_read(path, how, dataset, mark, index, error);
    if (done == LOAD_DONE || (done == LOAD_NOTHING && journal.exists)) {
        mark->in_file = mark->sequence;
        done = replay_journal(&journal, dataset, mark, index, &news) == REPLAY_DONE ? LOAD_DONE : LOAD_GAP;
        mark->journal_whole = news ? journal.whole : 0;
    }
    journal_reader_free(&journal);
    if (done != LOAD_DONE) {
        dataset_free(dataset);
        row_index_free(index);
    }
    return done;
}

int dataset_load(const char *path, const struct dataset_reading *how, bool owner, struct dataset *dataset,
                 struct mark *mark, struct row_index *index, struct error *error)
{
    enum { ATTEMPTS = 20 }; /* a network file system may show the new journal with the old file for a while */
    char *journal_path = store_journal_path(path);
    int done = LOAD_GAP;
    for (int i = 0; i < ATTEMPTS && done == LOAD_GAP; i++) {
        if (i)
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        if (how->verification)
            *how->verification = (struct store_verification){0};
        done = load_once(path, journal_path, how, owner, dataset, mark, index, error);
    }
    if (done == LOAD_GAP)
        done = error_set(error, ERROR_ENVIRONMENT,
                         "%s does not match %s: put the right file beside it, or move the journal away",
                         journal_path, path);
    free(journal_path);
    return done;
}

int dataset_read_as(const char *path, const struct dataset_reading *how, struct dataset *dataset,
                    struct error *error)
{
    struct mark mark;
    struct row_index index = {0};
    struct dataset_reading own = *how;
    own.salvage |= salvaging;
    int read = dataset_load(path, &own, false, dataset, &mark, &index, error);
    row_index_free(&index);
    if (read == LOAD_NOTHING)
        return error_set(error, ERROR_USAGE, "%s: no such file", path);
    if (read == LOAD_DONE && dataset->results.columns == 0) {
        bool writer = dataset->writer, damaged = dataset->journal_damage.places > 0;
        dataset_free(dataset);
        if (damaged)
            return error_set(error, ERROR_ENVIRONMENT,
                             "%s: there is only a journal, and it is damaged where it names the columns: no "
                             "row can be read",
                             path);
        return error_set(
            error, ERROR_ENVIRONMENT, "%s: %s", path,
            writer ? "a run has just started to write it; it has no results yet"
                   : "the run that wrote it ended before its first result; run it again with --resume");
    }
    if (read == LOAD_DONE) {
        if (how->by_column)
            frame_by_column(&dataset->results);
        note_salvaged(path, dataset);
        if (dataset->lost_timeline && !how->verification)
            fprintf(stderr, "warpsweep: note: the timeline of %s is left out: %s\n", path,
                    dataset->lost_timeline);
    }
    return read;
}

size_t store_bytes(const char *path)
{
    struct stat file;
    char *journal = store_journal_path(path);
    size_t bytes = stat(path, &file) == 0 ? (size_t)file.st_size : 0;
    bytes += stat(journal, &file) == 0 ? (size_t)file.st_size : 0;
    free(journal);
    return bytes;
}

int dataset_read_columns(const char *path, bool samples, struct dataset *dataset, struct error *error)
{
    const struct dataset_reading how = {
        .spilled = store_bytes(path) > STORE_LARGE, .by_column = true, .no_samples = !samples};
    int read = dataset_read_as(path, &how, dataset, error);
    const struct spill *spill[] = {read ? NULL : dataset->results.spill, read ? NULL : dataset->spill};
    if ((spill[0] && spill_is_memory(spill[0])) || (spill[1] && spill_is_memory(spill[1])))
        fprintf(stderr,
                "warpsweep: note: no room for temporary files: %s is kept in memory (TMPDIR can name another "
                "folder)\n",
                path);
    return read;
}

int dataset_read(const char *path, struct dataset *dataset, struct error *error)
{
    return dataset_read_as(path, &(struct dataset_reading){0}, dataset, error);
}
