#include "store/unread.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/hdf5_read.h"
#include "store/hdf5_results.h"
#include "store/hdf5_samples.h"

struct unread {
    struct hdf5_source source;
    struct hdf5_cause cause;
    struct error error;
    char *path;
    size_t rows, samples;
    struct dataset view;          /* the thread's own: shallow, but for the results' columns */
    const struct column *columns; /* the dataset's, which stay as they are */
    int (*step)(struct unread *unread);
    pthread_t thread;
    bool threaded; /* not yet joined */
    atomic_bool done, stop;
    int failed;
};

static int check(struct unread *u)
{
    return hdf5_samples_read(&u->source, &u->view, false, &u->stop);
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
    return hdf5_samples_read(&u->source, &u->view, true, &u->stop);
}

static void *work(void *argument)
{
    struct unread *u = argument;
    hdf5_listen(&u->cause);
    u->failed = u->step(u);
    hdf5_unlisten();
    atomic_store(&u->done, true);
    return NULL;
}

/* Signals are the main thread's affair. Where there can be no thread, the work is done at once. */
static void start(struct unread *u, const struct dataset *dataset, int (*step)(struct unread *unread))
{
    sigset_t all, before;
    size_t columns = (size_t)dataset->results.columns * sizeof *dataset->results.column;
    free(u->view.results.column);
    u->view = *dataset;
    u->view.results.rows = 0;
    u->view.results.column = memory_new(1, columns);
    memcpy(u->view.results.column, dataset->results.column, columns);
    u->columns = dataset->results.column;
    u->view.sample_count = u->samples;
    u->step = step;
    atomic_store(&u->done, false);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    u->threaded = pthread_create(&u->thread, NULL, work, u) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!u->threaded)
        work(u);
}

static void join(struct unread *u)
{
    if (u->threaded)
        pthread_join(u->thread, NULL);
    u->threaded = false;
}

int unread_open(const char *path, struct dataset *dataset, struct mark *mark, struct row_index *index,
                struct unread **unread, struct error *error)
{
    struct unread *u = memory_new(1, sizeof *u);
    *unread = NULL;
    u->path = memory_text(path);
    u->source = (struct hdf5_source){.path = u->path, .cause = &u->cause, .error = &u->error, .file = -1};
    int read = hdf5_open(&u->source);
    if (!read)
        read = hdf5_index(&u->source, dataset, mark, index);
    hdf5_unlisten();
    if (read) {
        if (read < 0)
            *error = u->error;
        unread_free(u);
        return read;
    }
    u->rows = dataset->results.rows;
    u->samples = dataset->sample_count;
    start(u, dataset, check);
    *unread = u;
    return 0;
}

size_t unread_rows(const struct unread *u)
{
    return u->rows;
}

void unread_fetch(struct unread *u, const struct dataset *dataset)
{
    join(u);
    if (!u->failed)
        start(u, dataset, fetch);
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
    hdf5_close(&u->source);
    free(u->view.results.column);
    free(u->path);
    free(u);
}
