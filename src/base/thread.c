#include "base/thread.h"

#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

int thread_start(pthread_t *thread, void *(*work)(void *argument), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(thread, NULL, work, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

struct share {
    pthread_t thread;
    void (*work)(void *context, size_t first, size_t end);
    void *context;
    size_t first, end;
    bool started;
};

static void *run_share(void *argument)
{
    const struct share *share = argument;
    share->work(share->context, share->first, share->end);
    return NULL;
}

void thread_share(size_t count, void (*work)(void *context, size_t first, size_t end), void *context)
{
    enum { SHARES_MAX = 8, LEAST = 512 }; /* so few are done before a thread has started */
    struct share share[SHARES_MAX] = {0};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t shares = processors < 1 ? 1 : processors > SHARES_MAX ? SHARES_MAX : (size_t)processors;
    if (shares > count / LEAST)
        shares = count / LEAST ? count / LEAST : 1;
    for (size_t i = 0; i < shares; i++) {
        share[i] = (struct share){
            .work = work, .context = context, .first = count * i / shares, .end = count * (i + 1) / shares};
        share[i].started = i + 1 < shares && thread_start(&share[i].thread, run_share, &share[i]) == 0;
        if (!share[i].started)
            run_share(&share[i]);
    }
    for (size_t i = 0; i < shares; i++)
        if (share[i].started)
            pthread_join(share[i].thread, NULL);
}
