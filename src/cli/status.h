/* status.h - what `status` says of a results file, as text or as JSON (docs/status.md). */
#pragma once

#include "verdict/verdict.h"

struct status_kernel {
    const char *name;
    size_t points[STATUS_COUNT];
};

#define STATUS_FAILURES_SHOWN 5

struct status_report {
    const char *path;
    const struct dataset *dataset;
    struct verdict verdict;
    struct status_kernel *kernel; /* owned */
    int kernels;
    size_t *device_rows;                   /* owned: rows of each device */
    size_t failure[STATUS_FAILURES_SHOWN]; /* the first rows that failed, repetitions of canaries included */
    size_t failures;                       /* rows that failed; there may be more than are shown */
    const char *state;                     /* closed, running, or not_closed: killed, or on another node */
    double written;                        /* s since the journal was last written; NaN: there is none */
    double remaining; /* s that all devices together need for what is left; NaN: unknown */
};

void status_print_text(const struct status_report *report);
void status_print_json(const struct status_report *report);
