#include "store/store.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/thread.h"

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

/* Where there can be no thread, the file is read at once. */
struct loading *store_load_start(const char *path)
{
    struct loading *loading = memory_new(1, sizeof *loading);
    loading->path = memory_text(path);
    loading->threaded = thread_start(&loading->thread, work, loading) == 0;
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
