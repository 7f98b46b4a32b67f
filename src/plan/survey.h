/* survey.h - totals of a job's points, without running them. */
#pragma once

#include <stddef.h>

#include "plan/grid.h"

struct survey_reason {
    char text[256];
    size_t points;
};

struct survey_kernel {
    const struct family *family;
    size_t points;
    size_t unsupported;           /* unsupported points */
    struct survey_reason *reason; /* owned; the most frequent first */
    size_t reasons, reason_capacity;
    size_t other_reasons;   /* points with reasons beyond the limit */
    size_t codes;           /* distinct kernels to compile */
    uint64_t largest_bytes; /* all buffers of the point that needs most memory */
    struct point largest;
    double seconds; /* expected on one rank */
};

struct survey {
    struct survey_kernel *kernel; /* owned; in the order of the grid */
    int kernels;
    struct point *code; /* owned; one point for each distinct kernel to compile */
    size_t codes, code_capacity;
};

/* Survey all points for a device `target`. `native`: the architecture that replaces ARCH_NATIVE when counting kernels.
 * survey_free releases the result. */
struct survey survey_take(const struct grid *grid, const struct timing *timing, const struct target *target,
                          arch native);
void survey_free(struct survey *survey);
