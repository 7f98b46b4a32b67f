/* activity.h - what ran on the device during one launch of a call: its kernels, copies and memsets.
 *
 * In a results file it is a text in the column `activity`, a JSON array with an array for each kernel:
 *   [["name", [grid x, y, z], [block x, y, z], count, seconds], ...]
 * The longest comes first. Copies and memsets have a name in square brackets and zeros. Launches of one name,
 * grid and block are one row. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    ACTIVITY_NAME_SIZE = 121,  /* longer names end with "..." */
    ACTIVITY_TEXT_SIZE = 4000, /* what does not fit is one last row, "[others]" */
};

struct activity_row {
    char name[ACTIVITY_NAME_SIZE];
    uint32_t grid[3], block[3];
    uint32_t count; /* launches */
    double seconds; /* their durations, added up */
};

/* Of one launch, in the order in which it was recorded. Start from {0}. */
struct activity {
    struct activity_record {
        struct activity_row row;
        uint64_t name;       /* hash of the whole name */
        uint64_t start, end; /* ns on any clock */
    } * record;              /* owned: activity_free */
    size_t count, capacity;
};

struct activity_summary {
    char text[ACTIVITY_TEXT_SIZE]; /* see above; "missing: " and the reason; "" if there is nothing */
    double span;                   /* seconds from the first start to the last end; NaN: missing */
    double idle;                   /* share of the span in which nothing ran */
};

/* Add what ran from `start` to `end`, in ns. Arguments of a function are left out of its name. */
void activity_add(struct activity *activity, const char *name, const uint32_t grid[3],
                  const uint32_t block[3], uint64_t start, uint64_t end);
void activity_free(struct activity *activity);

/* Sorts the records. Without any the summary is missing for the reason `why`. */
void activity_summarise(struct activity *activity, const char *why, struct activity_summary *summary);

/* Nothing was to be recorded. */
struct activity_summary activity_none(void);
