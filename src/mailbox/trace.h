/* trace.h - the log of --verbose: lines on stderr, each with the rank and the seconds since the run started
 * there. */
#pragma once

#include <stdbool.h>

struct trace {
    bool on;
    int rank;
    double start; /* seconds, of base/clock.h */
};

/* Prints "warpsweep: rank 3: 12.345 s: ..." if the log is on. */
void trace_say(const struct trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));
