/* store_merge.h - several results files of one job as one: the shares of an array's tasks, or what was
 * measured before and after an accident.
 *
 * Rows keep their columns and samples, and the device and run that they came from: the merged /devices and
 * /environment have those of every file. Runs, processes and repetitions of canaries get new numbers, all
 * different. */
#pragma once

#include "store/dataset/dataset.h"

/* Which of several different results of a point to keep. Of equal ones there is one, always. */
enum merge_prefer {
    MERGE_REFUSE, /* none: an error */
    MERGE_FIRST,  /* of the first file that has one */
    MERGE_LAST,
    MERGE_OK, /* the first that is ok, else the first that is unsupported, else the first */
};

struct merge_source {
    const char *path;
    struct dataset data; /* after merging without rows and samples */
};

struct merge_counts {
    size_t points;   /* in the result */
    size_t equal;    /* equal results that were in a file before */
    size_t replaced; /* different results, of which one was chosen */
};

struct accepted;

/* Merge `count` files (at least one) into `merged`, which dataset_free releases, also on failure. `pair` gets
 * a run number of its own, above all others: how the file came to be. ERROR_USAGE when the files are
 * incompatible, or have different results of a point and `prefer` does not choose. */
int merge_datasets(struct merge_source *source, int count, enum merge_prefer prefer,
                   const struct accepted *accepted, const struct store_pair *pair, int pairs,
                   struct dataset *merged, struct merge_counts *counts, struct error *error);

/* ---- compatibility.c ---- */

/* What affects what is measured. */
struct compared {
    const char *name; /* in /environment */
    const char *what; /* in messages; of a variable `name` itself */
    const char *way;  /* how a resumed run gets the file's: an option, which takes its value, or words; NULL:
                         it need not */
    bool loaded;      /* by a worker, or a variable: its difference can be accepted */
};

enum { ACCEPTED_MAX = 32 };

/* Names of /environment that may differ, by --accept; {0}: none. */
struct accepted {
    const char *name[ACCEPTED_MAX];
    int count;
};

/* Add a name, which the caller keeps. ERROR_USAGE if a difference in it cannot be accepted. */
int accepted_add(struct accepted *accepted, const char *name, struct error *error);
bool accepted_has(const struct accepted *accepted, const char *name);

/* The pair `accepted` of /environment: the names, with blanks between. */
void accepted_describe(const struct accepted *accepted, struct text *text);

/* Call `differ` for each pair of `there` and `now` that affects what is measured, differs and is not
 * accepted, by the first of its name, the latest, with both values. Of a pair that one side lacks nothing is
 * known, unless it is of a variable among that side's `variables`, which was not set. */
typedef void compatibility_differ(void *context, const struct compared *what, const char *there,
                                  const char *now);
void compatibility_compare(const struct store_pair *there, int theres, const struct store_pair *now, int nows,
                           const struct accepted *accepted, compatibility_differ *differ, void *context);

/* 0 when points of both files may be in one file: same job (to the byte), and as far as both say it, by their
 * latest runs, same seed, back end, versions and counters; same measuring rules and code of kernels (or,
 * where a file does not have these, the same build of warpsweep); same products (name, multiprocessors,
 * memory within 1 %). Else -1 (ERROR_USAGE) with the products, or, if they are the same, with every other
 * difference, `other` against `first`. A file without devices is compatible with any. */
int compatibility_check(const char *first_path, const struct dataset *first, const char *other_path,
                        const struct dataset *other, const struct accepted *accepted, struct error *error);
