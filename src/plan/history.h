/* history.h - how long points took in earlier runs on a kind of device, for the forecasts of `run` and `check`.
 *
 * A text file per back end and device name in the folder `history` of the cache. It affects the order of work and
 * forecasts, never a measurement. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/point.h"
#include "protocol/config.h"

struct history; /* opaque */

/* The path of a history in the cache folder `folder`. The caller frees it. */
char *history_path(const char *folder, const char *backend, const char *device);

/* Read a history. It is empty if the file does not exist or this release cannot read it. */
struct history *history_read(const char *path);
void history_free(struct history *history);

/* Add the measured time of a point. */
void history_add(struct history *history, const struct point *point, const struct timing *timing,
                 double seconds);

/* Seconds that the point took last time with this timing; NaN: unknown. */
double history_recall(const struct history *history, const struct point *point, const struct timing *timing);

/* The same of counting the point: its share of the time that its batch took. */
void history_add_counted(struct history *history, const struct point *point, const struct timing *timing,
                         double seconds);
double history_recall_counted(const struct history *history, const struct point *point,
                              const struct timing *timing);

/* An estimate from points of similar work, of its kernel if possible. NaN: the history has none. */
double history_guess(const struct history *history, const struct point *point, const struct timing *timing);

/* Add a run: `fixed` seconds besides measuring, and `work` seconds of points measured in `rank_seconds` (ranks times wall
 * time). The difference between the two is counting, waiting and starting workers. */
void history_add_run(struct history *history, double fixed, double work, double rank_seconds);

/* Add that counting took `seconds` for points whose timing took `timed`. `exclusive`: points that run alone on their node.
 * history_counting is the ratio of the two over earlier runs; NaN: unknown. */
void history_add_counting(struct history *history, int counters, bool exclusive, double timed,
                          double seconds);
double history_counting(const struct history *history, int counters, bool exclusive);

/* Seconds that a run of one rank takes for points of `work` seconds. */
double history_wall(const struct history *history, double work);

/* Rank seconds per second of work in earlier runs; 1 without any. */
double history_overhead(const struct history *history);
bool history_has_runs(const struct history *history);

bool history_is_empty(const struct history *history);

/* Write the file, with at most the last 200,000 points. */
int history_write(const struct history *history, const char *path, const char *backend, const char *device,
                  struct error *error);

/* Back end and device from the head of a history file. False: it is not a history. */
bool history_head(const char *path, char *backend, size_t backend_size, char *device, size_t device_size);
