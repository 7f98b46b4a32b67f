/* clock.h - monotonic time in seconds, sleeping, and how this process' clock relates to other machines'
 * clocks. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Seconds of CLOCK_MONOTONIC: comparable within one boot of one machine only. */
static inline double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sleep the whole time, whatever signals arrive. */
static inline void clock_sleep(double seconds)
{
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

/* The date in UTC: 2026-01-31T12:00:00Z. */
void clock_date(char *out, size_t size);

/* When the kernel started this process, in seconds of clock_now. Rounded down to a clock tick (10 ms), so
 * that a span that starts here misses nothing. The current time without /proc. */
double clock_process_start(void);
