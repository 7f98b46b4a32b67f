/* join.h - several results files of one job as one: the shares that the tasks of an array measured, or what was
 * measured before and after an accident.
 *
 * Rows keep all their columns, samples, and the device and run that they came from: /devices and /environment of
 * the whole have those of every file, runs and processes are numbered through, repetitions of canaries too. */
#ifndef STORE_JOIN_H
#define STORE_JOIN_H

#include "store/store.h"

/* Which of several different results of a point is kept. Equal ones always are one. */
enum join_prefer {
    JOIN_REFUSE, /* none: that is an error */
    JOIN_FIRST,  /* that of the first file that has one */
    JOIN_LAST,
    JOIN_OK, /* the first that is ok, else the first that is unsupported, else the first */
};

struct join_source {
    const char *path;
    struct dataset data;
};

/* What became of the points. */
struct join_counts {
    size_t points;   /* in the result */
    size_t equal;    /* found again as they were */
    size_t replaced; /* had other results, of which one was chosen */
};

/* Put `count` files (at least one) together in `joined`, which dataset_free releases, also on failure. `pair` gets a
 * run number of its own, above all others: how the file came to be. ERROR_USAGE when the files were not measured
 * alike (store/alike.h), or have different results of a point and `prefer` does not choose. */
int join_datasets(const struct join_source *source, int count, enum join_prefer prefer,
                  const struct store_pair *pair, int pairs, struct dataset *joined,
                  struct join_counts *counts, struct error *error);

#endif
