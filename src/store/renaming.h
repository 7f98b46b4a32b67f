/* renaming.h - what columns, devices and runs of one results file are called in a whole of several (store/join.h). */
#ifndef STORE_RENAMING_H
#define STORE_RENAMING_H

#include "store/store.h"

/* How numbers of one file are called in the whole. */
struct renaming {
    const struct dataset *from;
    int number;           /* of the file */
    int *column, *device; /* owned, by those of `from` */
    struct run_name {
        int from, to;
    } * run;              /* owned */
    int runs, known_runs; /* runs up to `known_runs` of the whole were in files before this one */
    uint32_t process;     /* added to processes */
    int64_t repeat;       /* added to the repetitions of canaries */
};

/* Add the columns, devices and runs of `from` to `out`, but for those that are there already, and learn their new names:
 * runs are numbered after *last_run. -1 when a column is of another type there. renaming_end also after a failure. */
int renaming_begin(struct renaming *renaming, struct dataset *out, int *last_run);
void renaming_end(struct renaming *renaming);

/* The names of a run, NULL when the file tells nothing of it; of a device, -1 for none. */
struct run_name *renaming_run(const struct renaming *renaming, int64_t run);
int renaming_device(const struct renaming *renaming, int64_t device);

/* A row's cells; `column`: those of `from` in `to`. */
void renaming_copy_cells(struct frame *to, size_t row, const int *column, const struct frame *from,
                         size_t from_row);

/* The latest first: `count` pairs before those that are there. */
void renaming_put_environment(struct dataset *dataset, const struct store_pair *pair, int count);

#endif
