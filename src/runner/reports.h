/* reports.h - messages from a runner to the coordinator. */
#pragma once

#include "runner/runner_state.h"

/* The outcome of starting the worker: the greeting if it has a device, else NULL and the reason. */
void report_hello(struct runner *runner, enum hello hello, const struct greeting *greeting, const char *why);

/* `device` NULL: `why` is the reason. */
void report_device(struct runner *runner, const struct device *device, const char *why);
void report_compiled(struct runner *runner);
void report_ready(struct runner *runner, bool sees_token);

/* Queue one result, or the counters of one point. They are sent after FLUSH_SECONDS, or by report_results. */
#define FLUSH_SECONDS 0.05
void report_result(struct runner *runner, const struct result *result);
void report_counted(struct runner *runner, const struct counted *counted);
bool report_is_due(const struct runner *runner);

/* Send what is queued; `idle` also asks for the next batch. */
void report_results(struct runner *runner, bool idle);

/* Send the seconds by phase so far; `last`: the run is over. */
#define SPANS_SECONDS 0.1
void report_spans(struct runner *runner, bool last);

/* Report why counters are missing. */
void report_note(struct runner *runner, const char *note);

/* This rank has no worker and cannot start one. */
void report_lost(struct runner *runner, const char *why);
