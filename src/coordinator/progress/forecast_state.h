/* forecast_state.h - private: forecast.c collects the times, forecast_left.c computes what is left. */
#pragma once

#include "coordinator/progress/forecast.h"

/* Whether points run alone on their node. Their counting costs are averaged separately. */
enum kind { SHARED, EXCLUSIVE, KINDS };

/* Sums over points. */
struct forecast_sum {
    double expected, seconds;
};

/* All times in s; those of exclusive points are multiplied by the ranks per node (`weight`). */
struct item {
    float expected; /* time by the history, without weight; NaN: unknown */
    float counts;   /* counting by the history; NaN: unknown */
    float timed;    /* 0: not timed in this run, or counted since */
    float again;    /* expected time of a replicate; 0: not timed in this run */
    float given;    /* expected time when it was handed out */
    uint16_t bucket;
};

/* Points of one kernel and similar work. Points with a known time, or known counting time, have separate buckets. */
struct bucket {
    const struct space *space;
    int class;
    bool known, counts_known;
    enum kind kind;
    uint32_t example;     /* index of one of them */
    double left, waiting; /* remaining points, and their expected s; NaN: unknown */
    double points;        /* finished */
    struct forecast_sum done;
};

/* What a rank has been given and not yet reported, in s. */
struct assignment {
    bool busy;
    double heard;     /* s of clock_now: when it began, or last reported */
    double bound;     /* replicates that it has to measure */
    double timing;    /* timing, expected */
    double recalled;  /* counting, by the history; for other points: */
    double uncounted; /* their timing, from which counting is estimated */
    enum kind kind;   /* of its points */
};

struct forecast {
    struct forecast_options options;
    struct item *item;     /* owned: each point of the grid */
    struct bucket *bucket; /* owned */
    size_t buckets, bucket_capacity;
    struct assignment *rank;            /* owned */
    double all_bound;                   /* sum of `bound` over ranks */
    struct forecast_sum done;           /* first measurements */
    double recalled[KINDS];             /* counting left, by the history; for other points: */
    double uncounted[KINDS];            /* their timing so far */
    struct forecast_sum recounted;      /* counting: by the history, and in this run */
    struct forecast_sum counted[KINDS]; /* timing and counting in this run */
    double again, again_expected;       /* replicates, and their expected time */
    double all_again;                   /* expected time of one replicate of each finished point */
    double work, counting;              /* finished timing and counting */
    double spent;                       /* time that ranks have reported */
    double start;                       /* s of clock_now */
    int present;                        /* ranks that are not lost */
};

/* Remaining seconds of a bucket: expected times, corrected by those of its points in this run, or of all points before its
 * first. Without expected times, the mean of its points in this run. */
double forecast_bucket_left(const struct forecast *forecast, const struct bucket *bucket);
