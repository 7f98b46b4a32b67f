/* grid.h - the points of a job: as an array that takes a few bytes per point, in the order of work, divided
 * among runs, counted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/job.h"

#define GRID_POINTS_MAX (UINT64_C(1) << 24) /* a larger job is an error that states its size */

struct grid; /* opaque */

/* Expand a job, which must outlive the grid. A point of two sweeps is kept once. ERROR_USAGE if there are no
 * points or too many. The caller frees it with grid_free. */
int grid_expand(const struct job *job, struct grid **grid, struct error *error);
void grid_free(struct grid *grid);

size_t grid_count(const struct grid *grid);
struct grid_size {
    size_t points;
    size_t duplicates;         /* points dropped because an earlier sweep has them */
    size_t excluded, unwanted; /* points that `exclude` and `only` leave out */
    size_t pairs;
};
const struct grid_size *grid_size(const struct grid *grid);
struct point grid_point(const struct grid *grid, size_t index);
uint64_t grid_id(const struct grid *grid, size_t index); /* its point_id, cached */

/* The second point of the pair (plan/job.h) of which point `index` is the first, measured as one unit of
 * work; GRID_ALONE: it is the first of none. */
#define GRID_ALONE UINT32_MAX
uint32_t grid_second(const struct grid *grid, size_t index);
bool grid_is_second(const struct grid *grid, size_t index); /* the second of such a pair */
void grid_separate(struct grid *grid, size_t index);        /* its second point is not to be measured */

/* ---- The order of work (order.c): longest expected time first, shuffled among points of similar time */

/* Rough estimates of the seconds that a point takes, from its bytes and flops at rates of current GPUs: in
 * each process, with `timing`, and to verify it once. They affect the order of points, never a result. */
double order_expected_seconds(const struct point *point, const struct timing *timing);

/* What a run of such points takes: sums over them. */
struct expected {
    double seconds, once; /* s: of each process, with loading until the clock is sustained; to verify */
    double energy;        /* s: of loops whose energy is measured, if the run does that */
    size_t points;
    bool imports;      /* a family in Python imports what launches need */
    bool tensor_cores; /* their peaks are measured, too */
    bool slows, quiet; /* points that slow down what comes after them, in processes of their own; others */
};
void expected_add(struct expected *sum, const struct point *point, const struct timing *timing);
void expected_add_all(struct expected *sum, const struct expected *some);
void expected_divide(struct expected *sum, int ranks); /* among so many that measure at the same time */

/* Seconds of a run of such points on one rank, from its start to its end, with so many distinct kernels that
 * are not compiled yet, and so many counters, with or without energies. */
double expected_run(const struct expected *expected, const struct timing *timing, size_t kernels,
                    int counters, bool energy);

/* The same of the whole grid on the host `target`, whose CPUs run the C references: verified, then timed by
 * each process. */
double order_host_seconds(const struct grid *grid, const struct timing *timing, const struct target *target);

/* A permutation of 0 .. grid_count - 1, to be freed by the caller: points by descending power of two of their
 * expected time, each such block shuffled by `seed`, so that drift does not coincide with an axis. */
uint32_t *order_of_work(const struct grid *grid, const struct timing *timing, uint64_t seed);

/* Choose up to `max` canaries: points that `target` supports, repeated on every GPU to show drift. Drawn by
 * `seed` from the whole grid, if possible of distinct kernels and not of the smallest size of a kernel.
 * Writes indices into the grid to `out` and returns how many. */
int order_canaries(const struct grid *grid, const struct target *target, uint64_t seed, int max,
                   uint32_t *out);

/* ---- --share (share.c): several independent runs, each with its own file, divide the points of a job ----
 *
 * Points are dealt out one by one in the order of work, so that shares take about the same time. The order
 * depends only on the job, its timing and the seed, so the runs need not communicate. */

#define SHARES_MAX 100000

/* Share `number` (from 1) of `of`. {0} and {1, 1} are all points. */
struct share {
    uint32_t number, of;
};

/* Parse "3/8". False if it is not a valid share. */
bool share_parse(const char *text, struct share *share);

/* Whether the point at `place` of the order of work is in the share. */
bool share_has(const struct share *share, size_t place);

/* How many of `points` points are in the share. */
size_t share_count(const struct share *share, size_t points);

/* ---- Totals of a job's points, without running them (survey.c) ---- */

struct survey_reason {
    char text[256];
    size_t points;
    bool fails; /* family_failure */
};

struct survey_kernel {
    const struct family *family;
    size_t points;
    size_t unsupported, failing;     /* the former counts the latter, too */
    struct survey_reason *reason;    /* owned; the most frequent first */
    size_t reasons, reason_capacity; /* reasons beyond a limit are only counted in `unsupported` */
    size_t codes;                    /* distinct kernels to compile */
    uint64_t largest_bytes;          /* all buffers of the point that needs most memory */
    struct point largest;
    struct expected expected;
};

struct survey {
    struct survey_kernel *kernel; /* owned; in the order of the grid */
    int kernels;
    size_t failing;     /* points */
    struct point *code; /* owned; one point for each distinct kernel to compile */
    size_t codes, code_capacity;
};

/* Survey all points for a device `target`. `native`: the architecture that replaces ARCH_NATIVE when counting
 * kernels. survey_free releases the result. */
struct survey survey_take(const struct grid *grid, const struct timing *timing, const struct target *target,
                          arch native);
void survey_free(struct survey *survey);
