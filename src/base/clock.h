/* clock.h - seconds that only go forward, for measuring spans (they mean nothing across a reboot or machines),
 * and waiting for some of them. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <errno.h>
#include <time.h>

static inline double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Signals do not cut it short. */
static inline void clock_sleep(double seconds)
{
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

#endif
