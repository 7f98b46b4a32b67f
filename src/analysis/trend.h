/* trend.h - many runs of one job over months: at which run a point's time changed for good, and what else changed there. */
#pragma once

#include "base/text.h"
#include "statistics/verdict.h"
#include "store/store.h"

/* A point's time changed: the mean of the runs from `run` on, up to its next change, over that of the runs before, from the last
 * change on. `verdict` is faster or slower. */
struct trend_change {
    size_t row; /* of the last file's /results */
    size_t run; /* the first with the new time */
    struct verdict_ratio ratio;
};

/* trend_free releases it. */
struct trend {
    const struct dataset *file;  /* in the order of time */
    size_t runs, points;         /* points of the last file that at least three runs have measured */
    struct trend_change *change; /* owned; by run, then by row */
    size_t changes;
    struct verdict_ratio
        *level; /* owned: of each run, its times over those of the last, mean over the points of both */
};

/* Sort `count` files of one product by their start. ERROR_USAGE: a file without start, fewer than three files, or several products. */
int trend_sort(struct dataset *file, size_t count, struct error *error);

/* Find the changes of at least `threshold` (0.01) by circular binary segmentation (Olshen et al. 2004). The runs of a point that stand
 * out most from its others, one or several in a row, are another part if verdict_decide calls them, over all points; then the parts are
 * divided in the same way. p is multiplied by the number of possible parts. The files must stay. */
struct trend trend_of(const struct dataset *file, size_t count, double threshold);
void trend_free(struct trend *trend);

/* How a difference is told: "unit"; "unit GPU-3d93bd90"; "unit NEW, before OLD" in full. */
enum trend_words { TREND_NAMES, TREND_NEW, TREND_BOTH };

/* Add what differs between a run and the one before: device, driver, commit and so on; nothing if nothing differs. */
void trend_context(const struct trend *trend, size_t run, enum trend_words words, struct text *out);

/* Add the names of what differs at every run with changes. */
void trend_common(const struct trend *trend, struct text *out);
