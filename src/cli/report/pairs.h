/* pairs.h - the before and after of the textbooks: which points they are, and what the source says.
 *
 * A table compares cases: points that differ in what their conditions name and agree in every other axis.
 * Axes that neither the table nor a case names, and that are not free, are at the kernel's standard values.
 * The source's figures are illustrative: they are printed as such, beside what was measured. */
#ifndef CLI_REPORT_PAIRS_H
#define CLI_REPORT_PAIRS_H

#define PAIR_CASES_MAX      6
#define PAIR_CONDITIONS_MAX 4
#define PAIR_QUANTITIES_MAX 8

/* What the source says: a value, or a range when `high` is not 0. All 0 with `given` 0: nothing. */
struct pair_figure {
    double low, high;
    int given;
};

/* (column + plus) / per, times `factor`, in `unit`. plus and per may be NULL. */
struct pair_quantity {
    const char *label, *unit;
    const char *column, *plus, *per;
    double factor;
    struct pair_figure source[PAIR_CASES_MAX];
    const char *remark; /* on how the source counts, or NULL */
};

struct pair_case {
    const char *label;
    const char *where[PAIR_CONDITIONS_MAX + 1];
};

struct pair {
    const char *table; /* the source's number, or the kernel's name */
    const char *title, *kernel;
    const char *where[PAIR_CONDITIONS_MAX + 1];
    const char *free[PAIR_CONDITIONS_MAX + 1];         /* axes with a table for each of their values */
    const char *source_where[PAIR_CONDITIONS_MAX + 1]; /* the only points the source has figures for */
    struct pair_case cases[PAIR_CASES_MAX + 1];        /* end with a case without a label */
    struct pair_quantity quantity[PAIR_QUANTITIES_MAX + 1];
    const char *job; /* the job file that measures it */
};

extern const struct pair pairs[]; /* ends with a row without a table */

#endif
