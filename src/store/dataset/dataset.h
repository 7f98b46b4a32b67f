/* dataset.h - a results file in memory: the tables of FILE.h5 with what its journal adds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/key_set.h"
#include "core/device.h"
#include "core/frame.h"
#include "core/result.h"
#include "protocol/timeline.h"

/* ---- Index: finds a row of /results by its key: the point's id, and for a canary also the repetition and
 * the device */

struct row_key {
    uint64_t id;
    int64_t repeat;
    int64_t device; /* -1 when repeat is 0: a point is the same on every device */
};

/* Start from {0}. */
struct row_index {
    struct row_key *key; /* of each row */
    size_t rows, capacity;
    struct keys numbers; /* row + 1, by a hash of the key; the row's key decides */
};

#define ROW_NONE SIZE_MAX

struct row_key row_key_of(uint64_t id, int64_t repeat, int64_t device);

/* The row of a key, or ROW_NONE. */
size_t row_index_find(const struct row_index *index, struct row_key key);
/* Add the next row. Returns the row that has its key already, which is found from now on as before, or
 * ROW_NONE. */
size_t row_index_add(struct row_index *index, struct row_key key);
void row_index_free(struct row_index *index);

/* ---- The dataset ---- */

/* Names of pairs that say what the file lacks (src/verdict) begin so. They do not make one run another. */
#define ENVIRONMENT_VERDICT "verdict"
/* The pair in which a run notes how many points the file has beyond those of its job, or of its share. */
#define ENVIRONMENT_OTHERS "other_points"
/* The points of its share, if they are not those of share_count. */
#define ENVIRONMENT_POINTS "share_points"

struct store_pair {
    char *name, *value;
    int run; /* which run of the command wrote it: column `run` of /results; set by the writer */
};

/* Damage in a journal, apart from a record that is cut off at its end. */
struct journal_damage {
    int places;    /* damaged bytes, and whole records with impossible contents */
    size_t bytes;  /* skipped */
    uint64_t rows; /* lost, by the sequence numbers around the damage */
};

enum timeline_column {
#define X(name, type, role, unit, meaning) TIMELINE_##name,
    TIMELINE_COLUMNS(X)
#undef X
};

/* Which state of a results file this is. */
struct mark {
    uint64_t lineage;  /* random, drawn when the file was first made; 0: there is no file */
    uint64_t sequence; /* of the last row in the file and in the journal that was read */
    int run;           /* runs that wrote it */
};

enum { DATASET_COLUMNS_MAX = 4096 }; /* of a table; HDF5 allows fewer */

/* Start from dataset_new; dataset_free releases it. */
struct dataset {
    struct mark mark;
    struct frame results;   /* one row per point (and per canary repetition), columns as in /columns */
    struct row_index index; /* of the rows of `results` */
    struct {
        int fixed[FIXED_COUNT], real[REAL_COUNT];
    } columns; /* known ones in `results`, by dataset_find_columns; -1: missing */
    struct frame devices;
    struct sample *samples; /* rows of `results` refer to them by sample_offset and sample_count */
    size_t sample_count, sample_capacity;
    uint32_t next_process;          /* one more than the highest process number of the samples */
    struct frame timeline;          /* phases; each lane's in the order of time */
    struct frame sources;           /* of users' families: columns name and text */
    char *job;                      /* the job text */
    char *job_path;                 /* the path it was read from */
    uint64_t planned;               /* points in the job's grid */
    struct store_pair *environment; /* of all runs that wrote the file, the latest first */
    int environment_count;
    char *foreign; /* owned: names of objects and attributes of the file that warpsweep does not write; NULL:
                      none */
    char *lost_timeline; /* owned: why the file's /timeline was left out; NULL: it was not */
    bool running;        /* there is a journal: a run is writing, or was killed */
    bool cut_off; /* the latest run has not ended, and there is no journal: its latest rows are missing */
    bool writer;  /* a living process holds the journal, as far as this node can tell */
    size_t journal_rows; /* rows that came from the journal */
    size_t refused;      /* rows and devices of which numbers that cannot be were left out (admission.h) */
    struct journal_damage journal_damage;
};

/* Find the known columns of /results: again when some were added. */
void dataset_find_columns(struct dataset *dataset);

/* The key of a row of /results. */
struct row_key dataset_key(const struct dataset *dataset, const union cell *cell);

/* The last row of /results is complete: it replaces the row of its key, or is added to the index. Returns
 * where it is. */
size_t dataset_settle_row(struct dataset *dataset);

/* Empty texts and frames. */
struct dataset dataset_new(void);
void dataset_free(struct dataset *dataset);
void dataset_free_pairs(struct store_pair *pair, int count);

/* Release rows, samples and phases; the rest stays. */
void dataset_drop_rows(struct dataset *dataset);

/* Whether a row of /results is a point's own, and not a canary's repetition of it. */
bool dataset_is_point(const struct dataset *dataset, size_t row);

/* The status of a row of /results; of a word that this release does not know, STATUS_FAILED. */
enum status dataset_status(const struct dataset *dataset, size_t row);

/* The row of /devices of the device that measured a row of /results; -1: unknown. */
int64_t dataset_device_of(const struct dataset *dataset, size_t row);

/* The value of an environment name in the latest run that has it, or NULL. */
const char *dataset_environment(const struct dataset *dataset, const char *name);
/* The number that the latest run has noted under this name, or `standard`. */
uint64_t dataset_noted(const struct dataset *dataset, const char *name, uint64_t standard);
/* Put copies of `count` pairs before those that are there. */
void dataset_add_environment(struct dataset *dataset, const struct store_pair *pair, int count);

/* Whether one of the first `rows` rows of sources has that name. */
bool dataset_has_source(const struct frame *sources, size_t rows, const char *name);

/* Add the sources whose names are new. Those of one name are the same in all runs of a file, as their
 * families' hashes are. */
void dataset_add_sources(struct dataset *dataset, const struct frame *sources);

/* Row `row` of /devices. */
struct device dataset_device(const struct dataset *dataset, size_t row);
/* Some device is of that product. */
bool dataset_has_product(const struct dataset *dataset, const struct device *device);

/* ---- Adding ---- */

/* Add the columns of /results and /devices that /columns describes, before these are read: a column in which
 * no row has a value is not in its table. */
void dataset_expect(struct dataset *dataset, const struct frame *columns);

/* Take roles, units and meanings of the columns of /results and /devices from /columns; files of releases
 * before 0.2 have no roles, there they follow from the names. */
void dataset_describe(struct dataset *dataset, const struct frame *columns);

/* The samples from `offset` on. NULL in a dataset without any: adding to a null pointer is undefined, even
 * 0. */
static inline const struct sample *dataset_samples(const struct dataset *dataset, int64_t offset)
{
    return dataset->samples ? dataset->samples + offset : NULL;
}

/* Make room for `more` samples at the end. */
void dataset_reserve_samples(struct dataset *dataset, size_t more);
/* Add samples at the end. */
void dataset_add_samples(struct dataset *dataset, const struct sample *sample, size_t count);
/* Put the samples in the order of their rows, without those that no row has any more. */
void dataset_pack_samples(struct dataset *dataset);
void dataset_add_phase(struct dataset *dataset, const struct phase_row *of);
/* The timeline is damaged, `why`: forget it. */
void dataset_leave_out_timeline(struct dataset *dataset, const char *why);

/* Compute the medians of time and clock of each row that is ok and has samples of more processes than they
 * count (dataset_summary.c): means of logarithms over the processes of a device, then over devices. */
void summary_fill(struct dataset *dataset);

/* Set what a row says of clock-event reasons. */
void summary_put_throttle(struct dataset *dataset, size_t row, uint64_t reasons);

/* The same, after numbers that cannot be are left out of all rows: releases until 0.5 have taken samples of
 * 0 s. */
void summary_settle(struct dataset *dataset);
