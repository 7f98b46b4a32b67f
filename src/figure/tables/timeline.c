#include "figure/tables/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "results/lanes.h"

/* The run is divided into PARTS of equal length: more than a page can resolve. */
enum { PARTS = 250, LANES_MAX = 64 };

/* Seconds of a lane in each part, by group. */
struct drawn {
    double seconds[PARTS][GROUPS];
};

static int last_run(const struct lanes *lanes)
{
    return lanes->count ? lanes->lane[lanes->count - 1].run : 0;
}

/* Add a span's seconds to its parts. */
static void spread(struct drawn *drawn, const struct span *span, double from, double length)
{
    enum phase_group group = phase_group((enum phase)span->phase);
    int first = (int)((span->start - from) / length), last = (int)((span->end - from) / length);
    for (int part = first < 0 ? 0 : first; part <= last && part < PARTS; part++) {
        double start = fmax(span->start, from + part * length),
               end = fmin(span->end, from + (part + 1) * length);
        drawn->seconds[part][group] += fmax(0, end - start);
    }
}

/* A box: of `group`, in the parts [first, after), from one share of the lane's height to another. */
static void add_box(struct merged *table, const char *label, const char *name, double from, double length,
                    const int parts[2], const double shares[2], double place, enum phase_group group)
{
    static const char *const names[] = {COLUMN(end), COLUMN(start), COLUMN(place), COLUMN(below),
                                        COLUMN(above)};
    const double values[] = {from + parts[1] * length, from + parts[0] * length, place, shares[0], shares[1]};
    rows_add(table, label, name, names, values, sizeof values / sizeof *values);
    rows_add_word(table, COLUMN(phase), phase_group_words[group]);
}

/* Adjacent parts with visually equal shares become one box. */
static void draw_group(struct merged *table, const char *label, const char *name, const struct drawn *drawn,
                       double from, double length, double place, enum phase_group group)
{
    double open[2] = {0, 0};
    int began = 0;
    for (int part = 0; part <= PARTS; part++) {
        double shares[2] = {0, 0};
        for (int below = 0; part < PARTS && below < (int)group; below++)
            shares[0] += drawn->seconds[part][below] / length;
        shares[1] = part < PARTS ? shares[0] + drawn->seconds[part][group] / length : 0;
        bool same = part < PARTS && fabs(shares[0] - open[0]) < 0.02 && fabs(shares[1] - open[1]) < 0.02;
        if (same)
            continue;
        if (open[1] - open[0] > 0.01)
            add_box(table, label, name, from, length, (int[]){began, part}, open, place, group);
        open[0] = shares[0];
        open[1] = shares[1];
        began = part;
    }
}

static void draw_lane(struct merged *table, const char *label, const struct lane_sum *lane,
                      const struct drawn *drawn, double from, double length, double place)
{
    char name[32];
    if (lane->lane == LANE_COORDINATOR)
        snprintf(name, sizeof name, "%s", lane_words[LANE_COORDINATOR]);
    else
        snprintf(name, sizeof name, "%d", lane->rank);
    for (int group = 0; group < GROUP_WAIT; group++) /* blank: it waits */
        draw_group(table, label, name, drawn, from, length, place, (enum phase_group)group);
}

static int draw(const struct dataset *dataset, const struct lanes *lanes, const char *label,
                struct merged *table, struct text *caption, struct error *why)
{
    int run = last_run(lanes);
    size_t first = 0, count;
    double from = INFINITY, to = 0, sampled = 0, wall = 0;
    while (first < lanes->count && lanes->lane[first].run != run)
        first++;
    count = lanes->count - first;
    if (count > LANES_MAX)
        return error_set(why, ERROR_USAGE,
                         "the last run has %zu lanes, a figure shows at most %d; use report --time", count,
                         LANES_MAX);
    for (size_t i = first; i < lanes->count; i++) {
        const struct lane_sum *lane = &lanes->lane[i];
        from = fmin(from, lane->start);
        to = fmax(to, lane->end);
        sampled += lane->lane == LANE_RANK ? lane_group(lane, GROUP_SAMPLE) : 0;
        wall += lane->lane == LANE_RANK ? lane_wall(lane) : 0;
    }
    double length = (to - from) / PARTS;
    struct drawn *drawn = memory_new(count, sizeof *drawn);
    for (size_t i = 0; i < dataset->span_count; i++)
        for (size_t l = 0; l < count; l++)
            if (dataset->spans[i].run == run && dataset->spans[i].rank == lanes->lane[first + l].rank &&
                dataset->spans[i].lane == lanes->lane[first + l].lane)
                spread(&drawn[l], &dataset->spans[i], from, length);
    double place = 0; /* the coordinator at the top, then the ranks */
    for (int coordinator = 0; coordinator < 2; coordinator++)
        for (size_t l = count; l-- > 0;)
            if ((lanes->lane[first + l].lane == LANE_COORDINATOR) == coordinator)
                draw_lane(table, label, &lanes->lane[first + l], &drawn[l], from, length, place++);
    free(drawn);
    text_add(caption,
             "%sRun %d, %.4g s. Sampling is %.1f %% of the ranks' time. Each box is 1/%d of the run; its "
             "height is divided by phase. Blank: waiting. "
             "Coordinator: further work of rank 0",
             caption->length ? "; " : "", run, to - from, wall > 0 ? 100 * sampled / wall : 0, (int)PARTS);
    return 0;
}

int timeline_of(const struct merged *all, struct merged *table, struct text *caption, struct error *why)
{
    struct lanes lanes = lanes_of(&all->all);
    int failed;
    if (!all->groups) /* a run that has just begun has a timeline, and no point */
        failed = error_set(why, ERROR_USAGE, "no point was measured");
    else if (!lanes.count)
        failed = error_set(why, ERROR_USAGE, "the file has no timeline: an earlier release wrote it");
    else
        failed = draw(&all->all, &lanes, all->group[0].label, table, caption, why);
    lanes_free(&lanes);
    return failed ? -1 : 0;
}
