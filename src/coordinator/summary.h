/* summary.h - what is said at a run's end, and its exit code. `counts`: points of each status. */
#ifndef COORDINATOR_SUMMARY_H
#define COORDINATOR_SUMMARY_H

#include "coordinator/measuring.h"

/* It was stopped: the command that goes on with it. */
void summary_resume(struct coordinator_context *context, size_t planned, const uint64_t counts[STATUS_COUNT]);

/* What came of the run, and what it had to get round; it began at `start`, s of clock_now. */
void summary_say(struct coordinator_context *context, const struct measuring *measuring, double start,
                 const uint64_t counts[STATUS_COUNT]);

int summary_exit_code(const struct coordinator_context *context, const struct measuring *measuring,
                      bool unfinished, const uint64_t counts[STATUS_COUNT]);

/* The final file could not be written: what there is on disk, and nothing else, is what was kept. */
void summary_count_on_disk(const char *path, uint64_t counts[STATUS_COUNT]);

#endif
