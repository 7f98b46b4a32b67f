/* backend.h - the interface between the worker process and a back end.
 *
 * worker/program/worker_main.c speaks the wire protocol. worker/stages.c takes each point through the stages,
 * which are the same for all back ends, and calls the back end to compile, run, time and count. A back end
 * may exit the process on a failure: the process is isolated, and the runner records the point as failed and
 * starts another worker.
 *
 * To add a back end: a folder beside host/ that defines `backend_NAME`, and a line in protocol/traits.h. */
#pragma once

#include "core/device.h"
#include "core/harnesses.h"
#include "core/result.h"
#include "family/family.h"
#include "protocol/config.h"
#include "protocol/traits.h"

/* Tells the runner the current stage, so that a crash can be attributed. */
typedef void (*stage_report)(void *context, const char *stage);

/* The measurement of one point. */
struct trial {
    const struct config *config;
    const struct family *family;
    const struct point *point;
    struct target target;
    struct setup setup;
    enum cache_mode cache;
    enum harness harness;
    uint64_t seed;                    /* of the inputs */
    const struct point *const *ahead; /* the next points that this process will verify, in order */
    uint32_t ahead_count;
    struct result *result;
    stage_report report;
    void *context; /* of `report` */

    double launch_seconds; /* estimated duration of a launch; set by warm_up */
    uint32_t launches;     /* per sample */
    uint32_t folded;       /* samples that are kept as one (worker/settle.h) */
    uint32_t sets;         /* copies of the buffers that the launches alternate between */
    uint32_t walk;         /* times L2 that launches in the state rotate walk over */
    uint32_t group_max;    /* samples that can be taken together */
    bool threads_allowed;  /* other threads may compute while samples are taken; set by the back end */
    bool powered;          /* samples have the power, too: reading it may delay launches */
    bool comes_second;     /* of a pair: the next sample follows one of the other version */
    bool replicate;        /* another process has verified the point */
};

/* End the point as failed, as unsupported on this device, or as one that another launch may measure.
 * Printf-like. */
#define trial_fail(trial, ...)   result_fail((trial)->result, STATUS_FAILED, __VA_ARGS__)
#define trial_refuse(trial, ...) result_fail((trial)->result, STATUS_UNSUPPORTED, __VA_ARGS__)
#define trial_lack(trial, ...)   result_fail((trial)->result, STATUS_UNAVAILABLE, __VA_ARGS__)

/* Whether the point's devices are among those that this process sees, `visible` in all. Else the point has
 * ended. */
bool trial_sees_devices(struct trial *trial, int visible);

static inline bool trial_is_ok(const struct trial *trial)
{
    return trial->result->status == STATUS_OK;
}

/* What becomes of a point when a function of its call has failed. */
static inline enum status call_status(const struct call *call)
{
    if (call->unavailable)
        return STATUS_UNAVAILABLE;
    return call->unsupported ? STATUS_UNSUPPORTED : STATUS_FAILED;
}

/* A point to be counted. */
struct countable {
    struct point point;
    /* Share of L2's lines that are dirty at the start, as in that column; NaN for a hot L2. */
    double l2_dirty;
};

/* The seed of a point's inputs: the same for all measurements of the point in a run. */
uint64_t trial_seed(const struct config *config, const struct point *point);

/* Point `index` of a request is compiled. `log`: the output of a compiler that failed; NULL: success. */
typedef void (*compiled_report)(void *context, uint32_t index, const char *log);

/* A reading of a device. NaN: NVML does not tell. */
struct meter {
    double time;     /* s, of the reading of `joules` */
    double joules;   /* of the energy counter, since some time */
    double watts;    /* of the power sampler */
    double lag;      /* s of the past that `watts` is the mean of */
    double sm_clock; /* Hz */
    double launches; /* of the loop that have ended */
    uint64_t reasons;
};

struct backend {
    const char *name; /* "cuda", "host", "fake": in --backend and in /devices */
    struct traits traits;

    /* Optional, before `open`: what takes time and leaves the device alone. -1 if there is no device. */
    int (*find)(int local_rank, struct error *error);

    /* Open a device: `local_rank` selects one of the visible devices. -1 if there is none. Measures
     * nothing. */
    int (*open)(int local_rank, struct device *device, struct error *error);

    /* Set how to measure from now on. */
    void (*configure)(const struct config *config);

    /* Optional: measure the device's peaks, or a part of them, into `device`. A back end without a device of
     * its own may measure all of them. */
    void (*characterise)(enum peaks_part part, struct device *device);

    /* Optional: compile the kernels of `count` points into the cache, with config.threads processors, for a
     * device of `capability` (0: none); this process may have opened none. `compiled` is called once for each
     * point, in any order. */
    void (*compile)(const struct point *points, uint32_t count, int capability, compiled_report compiled,
                    void *context);

    /* The stages of a point, in this order. Each may end the point by trial_fail or trial_refuse; then only
     * `end` is called. All but `take` are optional. */
    void (*load)(struct trial *trial);    /* load the code; allocate and fill the buffers */
    void (*verify)(struct trial *trial);  /* run once and compare with the reference */
    void (*warm_up)(struct trial *trial); /* until the clock is stable; sets trial->launch_seconds */
    void (*arrange)(struct trial *trial); /* set trial->launches, sets and group_max */
    void (*take)(struct trial *trial, uint32_t count, struct sample *samples); /* count <= group_max */
    void (*observe)(struct trial *trial);                                      /* after the last sample */

    /* Optional, for the referee (worker/referee.h), all three on the first set of buffers: give the inputs
     * the contents of trial->seed and poison the outputs, or leave those as they are; time one launch from
     * empty caches; compare some elements of the outputs as they are. */
    void (*renew)(struct trial *trial, bool poison);
    void (*take_single)(struct trial *trial, struct sample *sample);
    void (*compare)(struct trial *trial);

    void (*end)(struct trial *trial); /* release the resources of the point */

    /* The stages of a pair: two points with equal buffers. From `hold` on, the stages above are of the point
     * in slot 0 or 1; each is loaded, verified and warmed up by itself, in any order, before both are
     * arranged. NULL: this back end holds any number of points at once. */
    void (*hold)(int slot);

    /* Optional: arrange both, so that their samples have equally many launches on the same buffers. NULL:
     * `arrange` of each does. `pair` is in the order of slots. Afterwards samples of both are taken
     * alternately, by `take` after `hold`. */
    void (*arrange_pair)(struct trial *const pair[2]);

    /* Optional: take `count` <= group_max samples without a pause, number i of pair[version[i]]. An error
     * ends both points. */
    void (*take_pair)(struct trial *const pair[2], const unsigned char *version, uint32_t count,
                      struct sample *samples);

    /* Optional: keep the device busy with launches of a trial that is arranged, one after the other and
     * without flushes, and read it within some milliseconds. Without a reading: wait until the launches have
     * ended. Without a trial: the device stays idle. */
    void (*meter)(struct trial *trial, struct meter *reading);

    /* Optional: count config.counter_count counters of timed points, in the same state of L2:
     * counted[i].counter of point i, NaN if missing; and fill counted[i].activity, which is activity_none
     * before. Returns the reason for missing counters in one line, or "". counted[i].state becomes
     * COUNTERS_FAILED if counting has begun and failed. `report` is called repeatedly as a heartbeat. If a
     * point makes counting fail, the process exits, and the other points are counted without it. */
    const char *(*count)(const struct countable *points, uint32_t count, struct counted *counted,
                         stage_report report, void *context);

    /* Optional: the counter columns that a chip has, and the passes that they need together. Asks CUPTI;
     * needs no device. */
    int (*ask_chip)(const char *chip, const char *const *columns, uint32_t count, bool *has, uint32_t *passes,
                    struct error *error);

    /* Optional: compile the point's kernel, and give its machine code and its registers per thread. */
    int (*disassemble)(const struct point *point, struct text *listing, int *registers, struct error *error);

    void (*close)(void); /* optional */
};

/* NULL if this build has no such back end. */
const struct backend *backend_find(const char *name);
