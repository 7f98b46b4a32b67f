/* junit.h - a results file as JUnit XML for CI systems: one test case per point. */
#pragma once

#include <stdio.h>

#include "base/error.h"

#define JUNIT_BEGINS "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"

/* Write the file `results` to `out`: failed points as failures, crashed and timed-out ones as errors, unsupported ones as
 * skipped. Times are seconds of the worker. 0, or -1 with the error. */
int junit_write(FILE *out, const char *results, struct error *error);
