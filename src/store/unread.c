#include "store/unread.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "store/hdf5_read.h"
#include "store/hdf5_results.h"
#include "store/hdf5_samples.h"

struct unread {
    hid_t file;
    char *path;
    uint64_t bytes;
    size_t rows, samples;
    struct hdf5_source source; /* the thread's own */
    struct hdf5_cause cause;
    struct error error;
    struct dataset view;          /* likewise: shallow, but for the results' columns */
    const struct column *columns; /* the dataset's, which stay as they are */
    int (*step)(struct unread *unread);
    pthread_t thread;
    bool threaded; /* not yet joined */
    atomic_bool done, stop;
    int failed;
};

static int check(struct unread *u)
{
    return hdf5_samples_check(&u->source, &u->view, &u->stop);
}

static int fetch(struct unread *u)
{
    size_t samples;
    if (hdf5_results_add(&u->source, &u->view, u->columns, u->rows) != 0 ||
        hdf5_samples_count(&u->source, &samples) != 0)
        return -1;
    if (samples != u->samples)
        return hdf5_misfit(&u->source, "/samples has changed since it was opened");
    u->view.sample_count = 0;
    return hdf5_samples_read(&u->source, &u->view, &u->stop);
}

static void *work(void *argument)
{
    struct unread *u = argument;
    hdf5_hold(&u->cause);
    u->failed = u->step(u);
    hdf5_release();
    atomic_store(&u->done, true);
    return NULL;
}

/* False where there can be no thread. */
static bool start_thread(struct unread *u)
{
    u->threaded = thread_start(&u->thread, work, u) == 0;
    return u->threaded;
}

/* Take the dataset's state for the thread's own. */
static void prepare(struct unread *u, const struct dataset *dataset, int (*step)(struct unread *unread))
{
    size_t columns = (size_t)dataset->results.columns * sizeof *dataset->results.column;
    free(u->view.results.column);
    u->view = *dataset;
    u->view.results.rows = 0;
    u->view.results.column = memory_new(1, columns);
    if (columns)
        memcpy(u->view.results.column, dataset->results.column, columns);
    u->columns = dataset->results.column;
    u->view.sample_count = u->samples;
    u->step = step;
    atomic_store(&u->done, false);
}

static void join(struct unread *u)
{
    if (u->threaded)
        pthread_join(u->thread, NULL);
    u->threaded = false;
}

/* Rows are read here while the thread reads samples. */
static int read_both(struct unread *u, struct hdf5_source *source, struct dataset *dataset, struct mark *mark,
                     struct row_index *index)
{
    int read = hdf5_open(source);
    u->file = source->file;
    u->bytes = source->bytes;
    if (read)
        return read;
    if (hdf5_index_devices(source, dataset, mark) != 0)
        return -1;
    u->samples = dataset->sample_count;
    u->source = (struct hdf5_source){
        .file = u->file, .path = u->path, .bytes = u->bytes, .cause = &u->cause, .error = &u->error};
    prepare(u, dataset, check);
    bool beside = start_thread(u);
    if (hdf5_index_rows(source, dataset, index) != 0)
        return -1;
    u->rows = dataset->results.rows;
    if (!beside) {
        u->failed = check(u);
        atomic_store(&u->done, true);
    }
    return 0;
}

int unread_open(const char *path, struct dataset *dataset, struct mark *mark, struct row_index *index,
                struct unread **unread, struct error *error)
{
    struct unread *u = memory_new(1, sizeof *u);
    struct hdf5_cause cause = {0};
    *unread = NULL;
    u->path = memory_text(path);
    u->file = -1;
    struct hdf5_source source = {.path = u->path, .cause = &cause, .error = error, .file = -1};
    hdf5_hold(&cause);
    int read = read_both(u, &source, dataset, mark, index);
    hdf5_release();
    if (read)
        unread_free(u);
    else
        *unread = u;
    return read;
}

size_t unread_rows(const struct unread *u)
{
    return u->rows;
}

void unread_fetch(struct unread *u, const struct dataset *dataset)
{
    join(u);
    if (u->failed)
        return;
    prepare(u, dataset, fetch);
    if (!start_thread(u))
        work(u);
}

bool unread_is_done(const struct unread *u)
{
    return atomic_load(&u->done);
}

int unread_await(struct unread *u, struct dataset *dataset, struct error *error)
{
    join(u);
    if (u->failed)
        *error = u->error;
    else if (u->view.next_process > dataset->next_process)
        dataset->next_process = u->view.next_process;
    return u->failed ? -1 : 0;
}

void unread_free(struct unread *u)
{
    if (!u)
        return;
    atomic_store(&u->stop, true);
    join(u);
    if (u->file >= 0)
        H5Fclose(u->file);
    free(u->view.results.column);
    free(u->path);
    free(u);
}
