/* forecast_state.h - a forecast's inside: forecast.c notes what ranks tell, forecast_left.c says what follows. */
#ifndef COORDINATOR_PROGRESS_FORECAST_STATE_H
#define COORDINATOR_PROGRESS_FORECAST_STATE_H

#include "coordinator/progress/forecast.h"

/* Points that have their node to themselves are counted by themselves, and most of them are not seen by counters. */
enum kind { SHARED, EXCLUSIVE, KINDS };

/* What was expected of points, and what they took. */
struct forecast_sum {
    double expected, seconds;
};

/* All times in seconds; of points that have their node to themselves, as often as it has ranks (`weight`). */
struct item {
    float expected; /* of timing it, by the history, unweighted; NaN: nothing is known */
    float counts;   /* counting it took so long before; NaN: that is not known */
    float timed;    /* 0: not timed in this run, or counted since */
    float again;    /* what a further process should take; 0: not timed in this run */
    float given;    /* what was expected of it when it was given out */
    uint16_t bucket;
};

/* Points of one kernel and of like work; those that were measured before apart from those whose time is guessed, and those that
 * were counted before from others. */
struct bucket {
    const struct space *space;
    int class;
    bool known, counts_known;
    enum kind kind;
    uint32_t example;     /* index of one of them */
    double left, waiting; /* points that are left, and what is expected of them, s; NaN: nothing is known */
    double points;        /* that are done */
    struct forecast_sum done;
};

/* What a rank is at. */
struct assignment {
    bool busy;
    double heard;     /* s of clock_now: when it began, or told of it last */
    double bound;     /* of its points, as often as it has to repeat them */
    double timing;    /* expected of points in hand that are not timed */
    double recalled;  /* that counting points in hand took before; of others: */
    double uncounted; /* that timing them takes, or took */
    enum kind kind;   /* of those */
};

struct forecast {
    struct forecast_options options;
    struct item *item;     /* owned: each point of the grid */
    struct bucket *bucket; /* owned */
    size_t buckets, bucket_capacity;
    struct assignment *rank;  /* owned */
    double all_bound;         /* the sum of theirs */
    struct forecast_sum done; /* by first measurements */
    double recalled[KINDS];   /* that counting took before, of points that are not counted yet; of others: */
    double uncounted[KINDS];  /* that timing them took, as far as they were timed */
    struct forecast_sum recounted;      /* what counting took before, and in this run */
    struct forecast_sum counted[KINDS]; /* what timing took, and counting, in this run */
    double again, again_expected;       /* repetitions, and what was expected of them */
    double all_again;                   /* what is expected of one repetition of all that is done */
    double work, counting;              /* all that is done, by timing and by counting */
    double spent;                       /* that ranks have told of */
    double start;                       /* s of clock_now */
    int present;                        /* ranks that are not lost */
};

/* Seconds that are left of a bucket. What was expected is corrected by what points of it took in this run; before the first of
 * them, by what all others did. Of what nothing was known, this run's own points tell. */
double forecast_bucket_left(const struct forecast *forecast, const struct bucket *bucket);

#endif
