/* thread.h - a thread with all signals blocked, so that the main thread receives them. */
#pragma once

#include <pthread.h>
#include <signal.h>

/* 0, or an error number if no thread can be created. The caller joins it. */
static inline int thread_start(pthread_t *thread, void *(*work)(void *argument), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(thread, NULL, work, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}
