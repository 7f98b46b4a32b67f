/* thread.h - a thread that no signal is delivered to: signals are the main thread's affair. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* 0, or an error number: there can be no further thread. The caller joins it. */
int thread_start(pthread_t *thread, void *(*work)(void *argument), void *argument);

#endif
