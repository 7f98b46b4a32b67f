/* store.h - the results file. The only code that knows HDF5; the writer is rank 0 alone.
 *
 * FILE.h5 is always whole: results go to FILE.h5.journal as they come (length and CRC on each record), and
 * now and then a complete new HDF5 file is written beside FILE.h5, synced and renamed over it. Readers fold
 * the journal's rows in; a clean end leaves no journal. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/device.h"
#include "core/frame.h"
#include "core/result.h"
#include "protocol/timeline.h"

struct store_pair {
    char *name, *value;
    int run; /* which run of the command wrote it: the column `run` of /results; the writer sets it */
};

/* What of a journal could not be used, although it is no torn end. */
struct journal_damage {
    int places;    /* where bytes are damaged, and whole records that make no sense */
    size_t bytes;  /* that were passed over */
    uint64_t rows; /* that are lost, as far as the numbers of those around them tell */
};

/* Everything in a results file, in memory. dataset_free releases it. */
struct dataset {
    struct frame results; /* one row per point (and per canary repetition), columns as /columns has them */
    struct frame devices;
    struct sample *samples; /* rows of `results` point into it by sample_offset and sample_count */
    size_t sample_count, sample_capacity;
    uint32_t next_process; /* one more than the highest process of the samples that were read */
    struct spill *spill;   /* NULL, or where the samples are */
    struct span *spans;    /* of /timeline, in the order in which they came; each lane's in that of time */
    size_t span_count, span_capacity;
    struct spill *span_spill;       /* NULL, or where they are */
    double span_zero;               /* of a run that writes: its start, in s of clock_now */
    char *job;                      /* the job text */
    char *job_path;                 /* the path it was read from */
    uint64_t planned;               /* points in the job's grid */
    struct store_pair *environment; /* of all runs that wrote the file, the latest first */
    int environment_count;
    bool running;        /* a journal is there: a run is going on, or died */
    bool writer;         /* ... and a living process holds it, as far as this node can tell */
    size_t journal_rows; /* rows that came from the journal */
    struct journal_damage journal_damage;
};

/* Read FILE.h5 and its journal, if any: a torn last record is left out; rows that both have count once.
 * ERROR_USAGE when there is no such file, ERROR_ENVIRONMENT when it cannot be opened or is no results file. */
int dataset_read(const char *path, struct dataset *dataset, struct error *error);
void dataset_free(struct dataset *dataset);

/* What dataset_verify finds. */
enum store_checksum { CHECKSUM_RIGHT, CHECKSUM_WRONG, CHECKSUM_MISSING };
enum { STORE_TABLES_MAX = 8 };
struct store_verification {
    struct store_table {
        const char *name;
        size_t rows;
        enum store_checksum checksum;
    } table[STORE_TABLES_MAX];
    int tables, wrong, missing;
};

/* The same as dataset_read, which checks that everything is there, of its type and in range; and compares every table
 * with its checksum. */
int dataset_verify(const char *path, struct dataset *dataset, struct store_verification *verification,
                   struct error *error);

/* Where the journal of a results file lies: beside the file itself, also when `path` is a link to it. Owned by the
 * caller. */
char *store_journal_path(const char *path);

/* The value of an environment name in the latest run that has it, or NULL. */
const char *dataset_environment(const struct dataset *dataset, const char *name);

/* ---- Writing ---- */
struct store; /* opaque */

struct store_head {
    const char *job, *job_path;
    uint64_t planned;
    const struct store_pair *environment; /* of this run */
    int environment_count;
    const struct space *const
        *spaces;               /* the kernels of the job: their axes become columns; NULL-terminated */
    const char (*counter)[96]; /* columns of counters: core/metric.h's, or CUPTI's names */
    int counter_count;
};

/* Lock FILE.h5 and, with `resume`, read what it and its journal hold: nothing is written yet. Without `resume` an
 * existing FILE.h5 is an error that tells of --resume. A second writer of the same file, by whatever name, is
 * refused. Errors are ERROR_ENVIRONMENT. */
int store_load(const char *path, bool resume, struct store **store, struct error *error);

/* The same with `resume`, by a thread: store_load_end, which is always called, waits for it and releases `loading`. HDF5 is
 * that thread's until then. */
struct loading; /* opaque */
struct loading *store_load_start(const char *path);
int store_load_end(struct loading *loading, struct store **store, struct error *error);

/* What is in the file, as far as it is in memory. Rows that were found there may not be: store_find_row has one brought
 * in. */
const struct dataset *store_data(const struct store *store);

/* After store_load: wait until all that was found has been checked. Until then nothing is written over. */
int store_await_check(struct store *store, struct error *error);

/* After store_load: write the file as this run goes on with it. FILE.h5 exists and is whole when this returns. On
 * failure, too, store_close. */
int store_begin(struct store *store, const struct store_head *head, struct error *error);

/* Both: create FILE.h5, or with `resume` go on with what FILE.h5 and its journal hold (or start when there is
 * neither). Without `resume` an existing FILE.h5 is an error that tells of --resume. A second writer of the
 * same file is refused. FILE.h5 exists and is whole when this returns. Errors are ERROR_ENVIRONMENT. */
int store_open(const char *path, bool resume, const struct store_head *head, struct store **store,
               struct error *error);

/* What resume found for a point: whether a row (repeat 0) with this id is there, and its status. What takes a const store
 * can be asked of every point: it does not go to the row, which may be out of memory, or still be in the file only. What
 * takes a store that is not waits for the row, and knows nothing where it cannot be had: store_tick tells why. */
bool store_find(const struct store *store, uint64_t id, enum status *status);

/* The same, and more. */
struct store_point {
    enum status status;
    int64_t run, device, attempts; /* columns of /results; -1 when they are missing */
};
bool store_find_point(const struct store *store, uint64_t id, struct store_point *point);

/* Whether some of this run's counters has a value there. */
bool store_is_counted(struct store *store, uint64_t id);

/* The runs that have rows which are ok, each once; how many. The list is the caller's to free. */
size_t store_ok_runs(const struct store *store, int64_t **run);

/* The row of store_data(store)->results that holds a point (repeat 0), or SIZE_MAX. Good until the next row comes. */
size_t store_find_row(struct store *store, uint64_t id);

/* The highest repetition in the file, so that new ones do not take the place of old ones. */
uint32_t store_highest_repeat(const struct store *store);

/* "crashed on device 2 of node7: the worker was killed ...", as the row of a point that is not ok has it; "" when
 * there is none. */
void store_describe(struct store *store, uint64_t id, char *text, size_t size);

/* How many worker processes have measured a point that is ok, 0 when none has. */
uint32_t store_processes(const struct store *store, uint64_t id);

/* The device that a point was measured on; "" where that is not known. */
void store_device_uuid(const struct store *store, uint64_t id, char *uuid, size_t size);

/* A number that no process has which measured for this file before. */
uint32_t store_next_process(const struct store *store);

/* Add a device, or find it: equal in everything that is not measured. A device that is found keeps the peaks of the run
 * that added it, and `device` gets them, so that all its rows are held against the same ones. Returns its row in
 * /devices. */
int store_device(struct store *store, struct device *device);

/* Add a row. A row of the same id and repeat (a retried point) replaces the earlier one. `point` gives the
 * axes. In the journal's buffer when this returns; on disk after store_tick has synced. Disk-full is an
 * error. */
int store_append(struct store *store, const struct point *point, const struct result *result,
                 struct error *error);

/* Add the samples of another process, or device, to the row of a point that is there already: its times and
 * intervals then are of all of them. What else the result says is dropped; when the row has no samples (the
 * first process failed), or there is no row, nothing happens and false is returned. */
bool store_merge(struct store *store, const struct result *result, struct error *error);

/* The counters of a point, or of a canary's repetition on a device, have come, or will not: amend its row. A
 * row that is not there (any more) is left alone. In the journal's buffer when this returns. */
int store_count(struct store *store, uint64_t id, int32_t repeat, int32_t device,
                const struct counted *counted, struct error *error);

/* How it stands with the counters of a point that is ok. COUNTERS_NONE for any other, and where a release before 0.3
 * wrote the row. */
enum counters_state store_counters(const struct store *store, uint64_t id);

/* The share of L2's lines that were dirty when a point that is ok was timed; NaN: hot, or any other. */
double store_l2_dirty(struct store *store, uint64_t id);

/* Add a span, of this run, to the timeline. In the journal's buffer when this returns. Spans alone make no checkpoint,
 * and of a run that writes nothing else none is kept. */
void store_span(struct store *store, const struct span *span);

/* When the run started, in seconds of clock_now: spans that go on are written up to the file's end. */
void store_span_start(struct store *store, double start);

/* Checkpoints that were begun, and that were ended: of two numbers the same means that none was in between. */
unsigned store_checkpoint_steps(const struct store *store);

/* Call often: fdatasyncs the journal when 0.5 s have passed since the last, and writes a checkpoint when its
 * cost stays under 2 % of the run. */
int store_tick(struct store *store, struct error *error);

/* Add to this run's environment what came to be known while it went on. In the file from the next checkpoint
 * on. */
void store_note(struct store *store, const char *name, const char *value);

/* Rows of repeat 0 by status, for progress and the exit code. */
void store_counts(const struct store *store, uint64_t counts[STATUS_COUNT]);

/* Write a complete FILE.h5 now and start the journal anew. Nothing to do when no row came since the last. */
int store_checkpoint(struct store *store, struct error *error);

/* Write `dataset`, of `runs` runs, as a new results file. One that is there already, or its journal, is an error;
 * so is a run that writes it. */
int store_save(const char *path, const struct dataset *dataset, int runs, struct error *error);

/* Write the final file, remove the journal, release everything (also on failure, where the journal stays). Where
 * store_begin was not called, or failed, everything stays as it was found. */
int store_close(struct store *store, struct error *error);

#endif
