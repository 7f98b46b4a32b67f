/* birth.h - when this process began, and how its clock stands to that of other machines. */
#ifndef BASE_BIRTH_H
#define BASE_BIRTH_H

#include <stdint.h>

/* When the kernel started this process, in seconds of clock_now, to a clock tick (10 ms; never too late, so that what
 * is counted from it leaves nothing out). Now, where /proc does not tell. */
double birth_of_process(void);

/* What CLOCK_REALTIME is ahead of clock_now, in nanoseconds: for comparing times of several machines, which is as good
 * as they agree on the time of day. */
int64_t birth_clock_offset(void);

#endif
