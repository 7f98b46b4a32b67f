/* The pairs of devices of a run compared with each other: which link is slow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "family/family.h"
#include "report/report.h"
#include "table/row_point.h"
#include "statistics/fleet.h"

#define ALARMS 0.002 /* probability of naming any pair where all are equal, as for devices */
enum { PAIRS_LEAST = 3 };

/* A measured point of two devices; `key` is that of its partners on other pairs. */
struct linked {
    uint64_t key;
    int64_t pair; /* value of its axis */
    double log_seconds;
    const struct axis *axis;
};

struct links {
    struct linked *row; /* owned */
    size_t rows;
    int64_t *pair; /* owned: the distinct pairs, and their names' axis */
    const struct axis *axis;
    size_t pairs;
};

static bool take(const struct dataset *dataset, size_t row, struct linked *out)
{
    const struct frame *results = &dataset->results;
    struct point point;
    double seconds = frame_find_real(results, row, COLUMN(time_median));
    if (!status_is_ok(frame_find_text(results, row, COLUMN(status))) || !dataset_is_point(dataset, row) ||
        !(seconds > 0) || !row_point(results, row, &point) || family_devices(&point).count != 2)
        return false;
    int axis = space_axis(point.space, "pair");
    if (axis < 0)
        return false;
    *out = (struct linked){
        .pair = point.value[axis], .log_seconds = log(seconds), .axis = &point.space->axes[axis]};
    point.value[axis] = 0;
    out->key = point_id(&point);
    return true;
}

static size_t find_pair(const struct links *links, int64_t pair)
{
    size_t at = 0;
    while (at < links->pairs && links->pair[at] != pair)
        at++;
    return at;
}

static int by_key(const void *a, const void *b)
{
    const struct linked *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static struct links links_of(const struct dataset *dataset)
{
    struct links links = {.row = memory_new(dataset->results.rows + 1, sizeof *links.row),
                          .pair = memory_new(dataset->results.rows + 1, sizeof *links.pair)};
    for (size_t row = 0; row < dataset->results.rows; row++) {
        if (!take(dataset, row, &links.row[links.rows]))
            continue;
        const struct linked *taken = &links.row[links.rows++];
        links.axis = taken->axis;
        if (find_pair(&links, taken->pair) == links.pairs)
            links.pair[links.pairs++] = taken->pair;
    }
    qsort(links.row, links.rows, sizeof *links.row, by_key);
    return links;
}

/* A row of times per point, in the order of links->pair. */
static size_t fill_times(const struct links *links, double *times)
{
    size_t points = 0;
    for (size_t i = 0; i < links->rows; i++) {
        if (!i || links->row[i].key != links->row[i - 1].key) {
            for (size_t p = 0; p < links->pairs; p++)
                times[points * links->pairs + p] = NAN;
            points++;
        }
        times[(points - 1) * links->pairs + find_pair(links, links->row[i].pair)] = links->row[i].log_seconds;
    }
    return points;
}

static void print_pair(struct document *document, const struct links *links, size_t pair,
                       const struct fleet_device *judged)
{
    char name[AXIS_TEXT_SIZE];
    axis_format(links->axis, links->pair[pair], name);
    document_cell(document, "%s", name);
    document_number(document, "%+.2f", 100 * expm1(judged->effect));
    document_number(document, "%+.1f", judged->z);
    document_cells(document, "%zu of %zu\t%s", judged->agree, judged->points,
                   !judged->outlier     ? ""
                   : judged->effect > 0 ? "OUTLIER: slow"
                                        : "OUTLIER: fast");
}

static size_t judge_pairs(struct document *document, const struct links *links, double threshold)
{
    struct fleet_device *judged = memory_new(links->pairs + 1, sizeof *judged);
    double *times = memory_new(links->rows * links->pairs + 1, sizeof *times);
    struct fleet_times all = {times, fill_times(links, times), links->pairs};
    struct fleet_rule rule = {.threshold = threshold, .alarms = ALARMS, .floor = 0};
    struct fleet fleet = fleet_judge(&all, &rule, judged);
    size_t outliers = 0;
    document_table_begin(document, "lrrrl",
                         (const char *const[]){"pair", "slower by, %", "z", "points that say so", "verdict"});
    for (size_t pair = 0; pair < links->pairs; pair++) {
        print_pair(document, links, pair, &judged[pair]);
        outliers += judged[pair].outlier;
    }
    document_table_end(document);
    document_paragraph(
        document,
        "%zu points, %zu outlier%s. A pair's effect is the median over points of its time relative to "
        "the median of all pairs. An outlier is at least %g %% and %.1f standard errors (z) away.",
        all.points, outliers, outliers == 1 ? "" : "s", 100 * threshold, fleet.critical);
    free(times);
    free(judged);
    return outliers;
}

size_t report_links(struct document *document, const struct dataset *dataset, double threshold)
{
    struct links links = links_of(dataset);
    size_t outliers = 0;
    if (links.pairs) {
        document_heading(document, 2, "Links between devices: %zu pair%s", links.pairs,
                         links.pairs == 1 ? "" : "s");
        if (links.pairs < PAIRS_LEAST)
            document_paragraph(document,
                               "Nothing to rank: ranking needs three pairs that measured the same points.");
        else
            outliers = judge_pairs(document, &links, threshold);
    }
    free(links.row);
    free(links.pair);
    return outliers;
}
