/* laws.h - what the access model says of a family in one formula, and how exactly a file's counters keep it.
 *
 * A law names the physical quantity that a family's axes stand for, such as the bytes between neighbouring accesses. It is
 * computed from the axes of a point and compared with its hardware counters: no constant of it is fitted to measurements. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "results/merge.h"

struct law {
    const char *name;
    const char *kernels;  /* the families, separated by spaces */
    const char *quantity; /* what is counted: "DRAM bytes read for an access" */
    const char *formula;  /* "min(distance, 64)" */
    const char *x;        /* the variable of the formula, and its unit: "distance", "bytes" */
    const char *unit;
    const char *figure;  /* of analysis/, which shows it; "" if none does */
    const char *meaning; /* what follows from it, as a sentence */
    double tolerance; /* relative: counters of DRAM contain what else goes on, those of requests are exact */
};

/* The laws, in the order in which they are told. */
extern const struct law laws[];
size_t laws_count(void);
const struct law *law_find(const char *name); /* NULL: there is none */

/* A point under a law: the variable, what the formula says, what was counted. False: the law says nothing of the row, or its
 * counters are missing. */
struct law_point {
    double x, expected, counted;
};
bool law_apply(const struct law *law, const struct dataset *dataset, size_t row, struct law_point *point);

/* Rows of one device: of a group of merged files, or, if `group` is NULL, all. */
struct law_rows {
    const struct dataset *dataset;
    const char *group; /* the label */
};
struct law_rows law_rows_of(const struct merged *merged, int group);

/* How rows keep a law. */
struct law_kept {
    size_t points, within; /* within the law's tolerance */
    double low, high;      /* of x */
    double most;           /* largest relative deviation */
    double busy_low,
        busy_high; /* percent of its peak that DRAM was at, the column dram_throughput; NaN: not counted */
};
struct law_kept law_check(const struct law *law, const struct law_rows *rows);

/* Whether it holds: for at least nine of ten of at least three points. */
bool law_holds(const struct law_kept *kept);

/* "copy: ", what follows if the law holds on all of them, and "DRAM bytes read for an access = min(distance, 64), for distance 1 to 1096 bytes: at 92 of 92 points on H100 (largest deviation
 * 0.18 %) and at 92 of 92 on H200 (0.065 %)". `label`: what the groups are called. False: no group has three
 * points for it. */
bool law_tell(const struct law *law, const struct merged *merged, const char *const *label, struct text *out);

/* Where the rows of two devices differ: each law that one keeps and the other does not, with range and exactness of both sides. It begins with the
 * number of laws that both keep. False: no law has three points on both sides. */
bool law_tell_differences(const struct law_rows rows[2], const char *const label[2], struct text *out);
