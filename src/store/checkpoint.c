#include "store/checkpoint.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "store/hdf5_write.h"

struct checkpoint {
    pthread_t thread;
    char *path;
    struct dataset data; /* shallow, but for what may move: devices and the list of the environment */
    struct mark mark;
    struct successor journal;
    int failed;
    struct error error;
    atomic_bool done;
};

static void *work(void *argument)
{
    struct checkpoint *c = argument;
    c->failed = hdf5_write(c->path, &c->data, &c->mark, &c->error) != 0 ||
                journal_follow(&c->journal, &c->error) != 0;
    atomic_store(&c->done, true);
    return NULL;
}

/* Of equal rows; its texts are the other frame's, which outlives it. */
static struct frame copy_frame(const struct frame *from)
{
    struct frame copy = frame_new();
    frame_append(&copy, from);
    return copy;
}

static void release(struct checkpoint *c)
{
    frame_free(&c->data.devices);
    free(c->data.environment);
    free(c->path);
    free(c);
}

struct checkpoint *checkpoint_start(const char *path, const struct dataset *dataset, const struct mark *mark,
                                    struct journal *journal, struct error *error)
{
    struct checkpoint *c = memory_new(1, sizeof *c);
    size_t pairs = (size_t)dataset->environment_count * sizeof *dataset->environment;
    c->path = memory_text(path);
    c->data = *dataset;
    c->data.devices = copy_frame(&dataset->devices);
    c->data.environment = memory_new(1, pairs);
    if (pairs)
        memcpy(c->data.environment, dataset->environment, pairs);
    c->mark = *mark;
    struct journal head = {.fd = -1};
    journal_put_magic(&head);
    record_put_start(&head, dataset, mark);
    int failed = journal_succeed(journal, &head.pending, &c->journal, error);
    wire_free(&head.pending);
    if (!failed) {
        int code = thread_start(&c->thread, work, c);
        if (!code)
            return c;
        error_set(error, ERROR_ENVIRONMENT, "cannot start a thread: %s", strerror(code));
        journal_forsake(&c->journal);
    }
    release(c);
    return NULL;
}

size_t checkpoint_rows(const struct checkpoint *c)
{
    return c->data.results.rows;
}

bool checkpoint_is_done(const struct checkpoint *c)
{
    return atomic_load(&c->done);
}

int checkpoint_end(struct checkpoint *c, struct journal *journal, struct error *error)
{
    pthread_join(c->thread, NULL);
    int failed = c->failed;
    if (failed) {
        *error = c->error;
        journal_forsake(&c->journal);
    } else {
        failed = journal_become(journal, &c->journal, error);
    }
    release(c);
    return failed ? -1 : 0;
}
