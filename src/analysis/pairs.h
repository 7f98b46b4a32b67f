/* pairs.h - the before and after of the textbook: which points they are, and what the source says.
 *
 * They are data: analysis/pairs.yaml, which says at its top what a pair has. The source's figures are
 * illustrative: they are printed as such, beside what was measured. docs/pairs.md tells what the source is.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "plan/yaml.h"

#define PAIR_CASES_MAX      8
#define PAIR_CONDITIONS_MAX 8
#define PAIR_QUANTITIES_MAX 12

/* The source's figure, a range; low and high are equal for a single number. */
struct pair_figure {
    double low, high;
    bool given;
};

/* (column + plus - minus) / per, times `factor`, in `unit`. plus, minus and per may be NULL. */
struct pair_quantity {
    const char *label, *unit;
    const char *column, *plus, *minus, *per;
    double factor;
    struct pair_figure source[PAIR_CASES_MAX]; /* per case; given for all or for none */
    const char *remark;                        /* on how the source counts, or NULL */
};

struct pair_case {
    const char *label;
    const char *where[PAIR_CONDITIONS_MAX + 1];
};

/* Conditions are "axis=value,value"; lists of texts end with NULL. */
struct pair {
    const char *table; /* "Table 7-1"; NULL: the source has no number for it */
    const char *title, *kernel;
    const char *where[PAIR_CONDITIONS_MAX + 1];
    const char *free[PAIR_CONDITIONS_MAX + 1];              /* axes with one table per value */
    const char *source_where[PAIR_CONDITIONS_MAX + 1];      /* the points that the source has figures for */
    struct pair_case cases[PAIR_CASES_MAX + 1];             /* end with a case without a label */
    struct pair_quantity quantity[PAIR_QUANTITIES_MAX + 1]; /* end with one without a label */
    const char *job;                                        /* the job file that measures it */
};

struct pair_table {
    struct yaml_tree tree; /* the texts */
    const char *source;    /* what it is */
    struct pair *pair;     /* owned */
    int count;
};

/* Read the file. Errors in it are ERROR_USAGE with "path:line:column: message". `path` must outlive the table;
 * pairs_free releases it. */
int pairs_read(const char *path, struct pair_table *table, struct error *error);
int pairs_read_shipped(struct pair_table *table, struct error *error);
void pairs_free(struct pair_table *table);
