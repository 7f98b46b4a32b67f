/* store.h - the results file: what is on disk, how a run writes it, and what is left after a crash.
 *
 * ---- The promise ----
 * At any moment, and after a crash at any moment, FILE.h5 is a complete HDF5 file. A result is on disk at
 * most half a second after store_append took it. A crash loses at most what came in that half second, and no
 * row appears twice.
 *
 * ---- Files ----
 *   FILE.h5            HDF5: the tables /results, /samples, /devices, /columns, /job, /environment,
 *                      /timeline, each with a CRC-32 (docs/results-file.md). Never changed in place: replaced
 *                      as a whole.
 *   FILE.h5.journal    the records that FILE.h5 lacks. It exists while a run writes, and after a crash. The
 *                      lock on it makes its holder the only writer.
 *   FILE.h5.tmp-*      files that are not complete yet. Nobody reads them; the next writer deletes them.
 *   FILE.h5.journal.damaged   a copy of a journal that had damage when a run was resumed.
 * All of them are beside the real file, also when the path that was given is a link to it.
 *
 * The journal is a sequence of records (journal/journal.h), each with its length and a CRC-32. Its head names
 * the file that it continues, by two numbers that are also attributes of FILE.h5:
 *   lineage    random, drawn when the file is first made. A journal of another lineage is refused.
 *   sequence   every row ever added or changed has the next number. FILE.h5 has the highest number that it
 *              contains; the reader skips the journal's records up to there. So rows that are in both count
 *              once.
 * The head also has the columns and the environment: rows can be read when there is no FILE.h5 at all.
 * Columns are known by their names, so that any release reads any other's files.
 *
 * ---- The writer ----
 * Only rank 0 writes. It keeps a dataset (dataset/dataset.h) with everything that the next FILE.h5 will
 * contain, in memory.
 *
 *   store_append   puts the row into the dataset and a record of it into the journal's buffer, in memory.
 *   store_tick     gives the buffer to the kernel, starts fdatasync in a thread when 0.4 s have passed since
 *                  the last, and makes a checkpoint when 2 s have passed since the last, and 50 times its
 *                  duration (2 % of the run).
 *   checkpoint     syncs the journal, writes all tables as FILE.h5.tmp-*, calls fsync and renames it to
 *                  FILE.h5. Then the journal is emptied, and starts anew. Meanwhile the caller waits, 0.2 s
 *                  for 10,000 rows of 30 samples: results that come then are on disk within half a second up
 *                  to some 25,000 rows.
 *   store_close    writes the last checkpoint and deletes the journal.
 *
 * The new file is built in memory before any of it is written, because HDF5 cannot recover from a full disk.
 * A full disk fails one write; the old FILE.h5 and the journal stay.
 *
 * ---- Recovery ----
 * Reading (load.c) is the same for a reader and for a run that is resumed:
 *   1. Read the journal's bytes. They end with a record that is cut off if the writer was killed, or is
 *      writing.
 *   2. Read FILE.h5: check formats, types, ranges and references. A file that fails a check is refused before
 *      anything is written.
 *   3. Replay the journal: add rows, replace rows of the same key.
 * The journal is first because a checkpoint renames FILE.h5 first: what the reader misses of a journal that
 * is emptied meanwhile is in the FILE.h5 that it opens next. A network file system may show the new journal
 * with the old file; its sequence number tells, and the reader tries again for a second.
 *
 *   killed                                 is on disk                       is read as
 *   ----------------------------------     ----------------------------
 *                                          ------------------------------------------
 *   before the first FILE.h5 an empty journal nothing; --resume starts from the beginning while a record is
 *   written a cut-off record at the end the rows before it while a checkpoint writes its file FILE.h5.tmp-*
 *   old file and old journal before the journal is emptied new file, old journal new file; old records are
 *   skipped while the last file is written old file, journal as in a checkpoint before the journal is deleted
 *   complete file, journal complete file
 *
 * Damage in the middle of a journal costs the records that it hits: the reader finds the next whole one by
 * its CRC.
 *
 * A resumed run starts a new journal before it measures, and writes a new FILE.h5 unless there was no journal
 * and job and columns are those of the file. Of a journal that has damage it keeps a copy.
 *
 * ---- What is where ----
 *   store_opening.c  load, begin, close, save     load.c       FILE.h5 and its journal as one dataset
 *   store.c          rows: adding, asking         schema.c     columns, and results as rows
 *   checkpoint.c     checkpoints and syncs        writer.h     what these share
 *   dataset/         the tables in memory         hdf5/        ... as an HDF5 file; the only code that calls
 * HDF5 journal/         records, and their replay    merge/       several files as one */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/privacy.h"
#include "core/device.h"
#include "store/dataset/dataset.h"
#include "store/hdf5/file.h"

/* ---- Reading ---- */

/* Read FILE.h5 and its journal, if any. ERROR_USAGE when there is no such file, ERROR_ENVIRONMENT when it
 * cannot be opened or is not a results file. dataset_free releases it. */
int dataset_read(const char *path, struct dataset *dataset, struct error *error);

/* The same, where wrong checksums are no error: `verification` gets those of every table. */
int dataset_verify(const char *path, struct store_verification *verification, struct dataset *dataset,
                   struct error *error);

/* The path of a results file's journal. Owned by the caller. */
char *store_journal_path(const char *path);

/* ---- Opening and closing ---- */
struct store; /* opaque */

struct store_head {
    const struct privacy *privacy; /* what rows and notes do not say; NULL: all is written */
    const char *job, *job_path;    /* hidden by the caller, as the environment */
    uint64_t planned;
    const struct store_pair *environment; /* of this run */
    int environment_count;
    const struct frame *sources;       /* of users' families; NULL: none */
    const struct space *const *spaces; /* of the job's kernels: their axes become columns; NULL-terminated */
    const char (*counter)[96];         /* columns of counters: of core/metric.h, or CUPTI's names */
    int counter_count;
};

/* Lock FILE.h5 and, with `resume`, read it and its journal: nothing is written yet. Without `resume` an
 * existing FILE.h5 is an error that names --resume. A second writer of the same file, by whatever name, is
 * refused. Errors are ERROR_ENVIRONMENT. */
int store_load(const char *path, bool resume, struct store **store, struct error *error);

/* After store_load: write the file with the columns that this run needs. On failure,
 * too, call store_close. */
int store_begin(struct store *store, const struct store_head *head, struct error *error);

/* Both; on failure there is nothing to close. */
int store_open(const char *path, bool resume, const struct store_head *head, struct store **store,
               struct error *error);

/* Complete the medians of several processes: before questions about the whole file. store_close does it,
 * too. */
void store_settle(struct store *store);

/* Whether FILE.h5 is still as it was before this run, and store_close will leave it so. */
bool store_is_untouched(const struct store *store);

/* Write the final file, remove the journal, release everything (also on failure; then the journal stays). If
 * store_begin was not called, or failed, all files stay as they were. */
int store_close(struct store *store, struct error *error);
/* The same; `kept` gets what the final file contains, if one was written. */
int store_close_keep(struct store *store, struct dataset *kept, struct error *error);

/* Write `dataset` as a new results file. An existing file or journal is an error. */
int store_save(const char *path, struct dataset *dataset, struct error *error);

/* ---- Questions ---- */

/* All that the next FILE.h5 will contain. */
const struct dataset *store_data(const struct store *store);

/* The row of a point (repeat 0), from memory. A status of a newer release counts as no row. */
struct store_point {
    enum status status;
    int64_t run, device, attempts; /* columns of /results; -1: missing */
    enum counters_state counters;  /* COUNTERS_NONE: not ok, or a release before 0.3 wrote the row */
    uint32_t processes;            /* that measured it; 0: not ok */
};
bool store_find(const struct store *store, uint64_t id, struct store_point *point);

/* Some counter of this run has a value for the point. */
bool store_is_counted(const struct store *store, uint64_t id);

/* The row of store_data(store)->results with the point (repeat 0), or SIZE_MAX. Valid until the next row is
 * added. */
size_t store_find_row(const struct store *store, uint64_t id);

/* Bytes that this run has written: journal and checkpoints. */
uint64_t store_written(const struct store *store);

/* The highest repetition in the file: new ones start after it. */
uint32_t store_highest_repeat(const struct store *store);

/* ---- Writing ---- */

/* Add a device, or find it: equal in everything that is not measured. A device that was there keeps its
 * peaks, and `device` gets them, so that all rows of a device are compared with the same peaks. Returns its
 * row in /devices. */
int store_device(struct store *store, struct device *device);

/* ---- What comes in passes admit_row (dataset/admission.h). Of a result that is not ok the file has neither
 * samples nor times. A result with times that cannot be fails, here and in the file. Records are in the
 * journal's buffer when these return, and on disk after store_tick has synced. A full disk is an error.
 * ---- */

/* Add a row; it replaces a row of the same id and repeat (a retried point). `point` gives the axes. */
int store_append(struct store *store, const struct point *point, struct result *result, struct error *error);

/* Add the samples of another process or device to the row of a point that is ok. Its times and intervals are
 * computed from all of them before FILE.h5 is written, and by whoever reads the journal. Other fields of the
 * result are ignored. A result that is not ok, or cannot be, counts as a process that failed. */
int store_merge(struct store *store, struct result *result, struct error *error);

/* Another process of a point that is ok has failed, `why`: the row says so, and how many have. */
int store_fail_process(struct store *store, uint64_t id, const char *why, struct error *error);

/* Put the counters of a point, or of a canary's repetition on a device, into its row, or the reason why they
 * are missing. Nothing is done when there is no such row that is ok. */
int store_count(struct store *store, uint64_t id, int32_t repeat, int32_t device,
                const struct counted *counted, struct error *error);

/* Forget the phases of this run; add one. They are not in the journal, and cause no checkpoint: after a crash
 * the file has those of the last one. */
void store_clear_phases(struct store *store);
void store_phase(struct store *store, const struct phase_row *of);

/* Add to this run's environment. In the file from the next checkpoint on. */
void store_note(struct store *store, const char *name, const char *value);

/* Seconds for which the journal's disk has not answered; 0: nothing waits for it. */
double store_waits(const struct store *store);

/* Whether store_tick would make a checkpoint now. */
bool store_is_due(const struct store *store);

/* Call often: see above. */
int store_tick(struct store *store, struct error *error);

/* Write a complete FILE.h5 now and start a new journal, unless no row came since the last. */
int store_checkpoint(struct store *store, struct error *error);
