/* comparison.h - points measured twice: in two files, or in one file with two values of a column. */
#ifndef ANALYSIS_COMPARISON_H
#define ANALYSIS_COMPARISON_H

#include "analysis/entry.h"
#include "base/text.h"
#include "results/view.h"
#include "statistics/verdict.h"

/* Whose times are divided by whose: "after.h5" by "before.h5", "store" by "load". */
struct comparison_section {
    char *a, *b; /* owned */
};

/* A point on both sides; an entry without a dataset: only the other side has it. */
struct comparison_pair {
    size_t section;
    struct entry a, b;
};

/* comparison_free releases it. The arrays have one element a pair. */
struct comparison {
    struct comparison_section *section;
    size_t sections;
    struct comparison_pair *pair;
    struct levels_estimate *a, *b; /* the pairs' estimates */
    struct verdict_ratio *ratio;
    size_t pairs, capacity;
    const char *by; /* the column that sections are values of; NULL: two files */
    struct verdict_rule rule;
    bool predicted_a, predicted_b; /* a side whose estimates are no measurements (prediction.h) */
    bool shares;                   /* shares of roofs mean the same on both sides */
    struct text assumed;           /* what the verdicts rest on, a line each */
};

/* The points of two files. `names` are those of the sides. */
void comparison_of_files(const struct view *a, const struct view *b, char *const names[2],
                         struct comparison *comparison);

/* The points of one file that are equal but for the column `by`: an axis, or a property of devices (with or
 * without "device." before it). Each kernel's values are held against `baseline`; NULL: against the first of
 * the kernel's. ERROR_USAGE for a column or value that there is not. */
int comparison_by(const struct view *view, const char *by, const char *baseline,
                  struct comparison *comparison, struct error *error);

/* Pairs whose times do not mean the same: of different states of L2, back ends or timers. ERROR_USAGE with
 * what is mixed; with `allow`, this is added to what is assumed, and 0 returned. */
int comparison_check(struct comparison *comparison, bool allow, struct error *error);

/* Ratios and verdicts of all pairs, by a smallest difference that matters (0.01), and what they assume. */
void comparison_judge(struct comparison *comparison, double threshold);

void comparison_free(struct comparison *comparison);

/* ---- For those who make one ---- */

/* The section of that name, made when it is new. */
size_t comparison_section(struct comparison *comparison, const char *a, const char *b);

/* Takes the entries over. */
void comparison_add(struct comparison *comparison, size_t section, struct entry a, struct entry b);

#endif
