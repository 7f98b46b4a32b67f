#include "store/store.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"

struct loading {
    char *path;
    struct store *store;
    struct error error;
    int failed;
    bool threaded;
    pthread_t thread;
};

static void *work(void *argument)
{
    struct loading *loading = argument;
    loading->failed = store_load(loading->path, true, &loading->store, &loading->error);
    return NULL;
}

/* Signals are the main thread's affair. Where there can be no thread, the file is read at once. */
struct loading *store_load_start(const char *path)
{
    sigset_t all, before;
    struct loading *loading = memory_new(1, sizeof *loading);
    loading->path = memory_text(path);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    loading->threaded = pthread_create(&loading->thread, NULL, work, loading) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!loading->threaded)
        work(loading);
    return loading;
}

int store_load_end(struct loading *loading, struct store **store, struct error *error)
{
    if (loading->threaded)
        pthread_join(loading->thread, NULL);
    int failed = loading->failed;
    *store = loading->store;
    if (failed)
        *error = loading->error;
    free(loading->path);
    free(loading);
    return failed;
}
