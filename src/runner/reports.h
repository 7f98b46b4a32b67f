/* reports.h - what a runner tells the coordinator. */
#ifndef RUNNER_REPORTS_H
#define RUNNER_REPORTS_H

#include "runner/runner_state.h"

/* What became of its worker: the greeting of one that has a device, else NULL and why not. */
void report_hello(struct runner *runner, enum hello hello, const struct greeting *greeting, const char *why);

/* `device` may be NULL: `why` then says why. */
void report_device(struct runner *runner, const struct device *device, const char *why);
void report_compiled(struct runner *runner);
void report_ready(struct runner *runner, bool sees_token);

/* One result, or one point's counters: they go up within FLUSH_SECONDS, or with report_results. */
#define FLUSH_SECONDS 0.05
void report_result(struct runner *runner, const struct result *result);
void report_counted(struct runner *runner, const struct counted *counted);
bool report_is_due(const struct runner *runner);

/* What has come together; `idle` also asks for the next batch. */
void report_results(struct runner *runner, bool idle);

/* What the rank was at, up to now; `last`: the run is over, nothing follows. */
#define SPANS_SECONDS 0.1
void report_spans(struct runner *runner, bool last);

/* Something that the user should know, once: why counters are missing. */
void report_note(struct runner *runner, const char *note);

/* This rank can do no more. */
void report_lost(struct runner *runner, const char *why);

#endif
