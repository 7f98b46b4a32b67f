/* summary.h - the messages at the end of a run, and its exit code. `counts`: points per status. */
#pragma once

#include "coordinator/measuring.h"

/* Print the command that resumes a stopped run. */
void summary_resume(struct coordinator_context *context, size_t planned, const uint64_t counts[STATUS_COUNT]);

/* Print the outcome of the run and its faults. It began at `start`, s of clock_now. */
void summary_say(struct coordinator_context *context, const struct measuring *measuring, double start,
                 const uint64_t counts[STATUS_COUNT]);

int summary_exit_code(const struct coordinator_context *context, const struct measuring *measuring,
                      bool unfinished, const uint64_t counts[STATUS_COUNT]);

/* Count the points of the file on disk, after the final file could not be written. */
void summary_count_on_disk(const char *path, uint64_t counts[STATUS_COUNT]);
