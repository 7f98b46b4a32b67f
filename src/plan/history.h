/* history.h - how long points took before, on a kind of device: what a run, and `check`, expect of the next one.
 *
 * One small text file for each back end and device name, in the folder `history` of the cache. Nothing that is measured
 * hangs on it: the order of work and forecasts do. */
#ifndef PLAN_HISTORY_H
#define PLAN_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/point.h"
#include "protocol/config.h"

struct history; /* opaque */

/* HISTORY of a cache folder; made of `folder`, back end and the device's name. Owned by the caller. */
char *history_path(const char *folder, const char *backend, const char *device);

/* What the file holds. One that is not there, or no history that this release can read, is an empty one. */
struct history *history_read(const char *path);
void history_free(struct history *history);

/* A point took so many seconds. */
void history_add(struct history *history, const struct point *point, const struct timing *timing,
                 double seconds);

/* Seconds that it took when it was measured last, with this timing; NaN: it was not. */
double history_recall(const struct history *history, const struct point *point, const struct timing *timing);

/* Counting it, with others of its batch, took so many seconds of each. When it was counted last, NaN: it was not. */
void history_add_counted(struct history *history, const struct point *point, const struct timing *timing,
                         double seconds);
double history_recall_counted(const struct history *history, const struct point *point,
                              const struct timing *timing);

/* What points of its kernel and of like work took, or of other kernels. NaN: nothing is known of any. */
double history_guess(const struct history *history, const struct point *point, const struct timing *timing);

/* A run took `fixed` seconds besides measuring, and measured points of `work` seconds in `rank_seconds` (its ranks times
 * how long that took): what is beyond `work` is counting, waiting and starting workers. */
void history_add_run(struct history *history, double fixed, double work, double rank_seconds);

/* Counting so many counters of points (that have their node to themselves, or do not) took `seconds` where timing them had
 * taken `timed`. Then: seconds of counting for one of timing, in runs so far; NaN: none has counted so. */
void history_add_counting(struct history *history, int counters, bool exclusive, double timed,
                          double seconds);
double history_counting(const struct history *history, int counters, bool exclusive);

/* Seconds that a run of one rank takes with points of so much work. */
double history_wall(const struct history *history, double work);

/* Rank seconds for a second of work, in runs so far; 1 before the first. */
double history_overhead(const struct history *history);
bool history_has_runs(const struct history *history);

bool history_is_empty(const struct history *history);

/* Write it anew; of very many points those that were measured last. */
int history_write(const struct history *history, const char *path, const char *backend, const char *device,
                  struct error *error);

/* Back end and device of a history's file, as its head has them. False: it is none. */
bool history_head(const char *path, char *backend, size_t backend_size, char *device, size_t device_size);

#endif
