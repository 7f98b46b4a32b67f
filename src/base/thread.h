/* thread.h - a thread with all signals blocked, so that the main thread receives them. */
#pragma once

#include <pthread.h>
#include <stddef.h>

/* 0, or an error number if no thread can be created. The caller joins it. */
int thread_start(pthread_t *thread, void *(*work)(void *argument), void *argument);

/* Call `work` for ranges that together are 0 to `count` - 1, in a thread per processor; returns when all are done. */
void thread_share(size_t count, void (*work)(void *context, size_t first, size_t end), void *context);
