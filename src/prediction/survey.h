/* survey.h - what the points of a job come to, without running them. */
#ifndef PREDICTION_SURVEY_H
#define PREDICTION_SURVEY_H

#include <stddef.h>

#include "plan/grid.h"

struct survey_reason {
    char text[256];
    size_t points;
};

/* What was found about one kernel. */
struct survey_kernel {
    const struct family *family;
    size_t points;
    size_t unsupported;           /* points that cannot exist */
    struct survey_reason *reason; /* owned; the most frequent first */
    size_t reasons, reason_capacity;
    size_t other_reasons;   /* points whose reason was one too many to be kept */
    size_t codes;           /* distinct kernels to compile */
    uint64_t largest_bytes; /* of all buffers of the point that needs most */
    struct point largest;
    double seconds; /* expected on one rank */
};

struct survey {
    struct survey_kernel *kernel; /* owned; in the order in which the grid names them */
    int kernels;
    struct point *code; /* owned; one point for each distinct kernel to compile */
    size_t codes, code_capacity;
};

/* Go through all points as a device of `target` would meet them. With `native` not ARCH_NATIVE, points of the
 * native architecture are compiled for that one. survey_free releases what it returns. */
struct survey survey_take(const struct grid *grid, const struct timing *timing, const struct target *target,
                          arch native);
void survey_free(struct survey *survey);

#endif
