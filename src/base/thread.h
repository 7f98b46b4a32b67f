/* thread.h - a thread with all signals blocked, so that the main thread receives them. */
#pragma once

#include <pthread.h>

/* 0, or an error number if no thread can be created. The caller joins it. */
int thread_start(pthread_t *thread, void *(*work)(void *argument), void *argument);
