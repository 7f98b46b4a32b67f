#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "results/lanes.h"

#define NAMED_MOST 3 /* number of longest phases that are named */

/* Groups that a rank's lane has, in the order of the tables. */
static const enum phase_group shown[] = {GROUP_START,  GROUP_PREPARE, GROUP_VERIFY, GROUP_WARM_UP,
                                         GROUP_SAMPLE, GROUP_COUNT,   GROUP_OTHER,  GROUP_WAIT};
#define SHOWN (sizeof shown / sizeof *shown)

/* ---- Sums ---- */

struct phase_sum {
    enum phase phase;
    double seconds;
    uint64_t spans;
};

struct sums {
    struct phase_sum phase[PHASE_COUNT]; /* the longest first */
    double wall, told;                   /* of all lanes of the kind together */
    size_t lanes;
};

static int longest_first(const void *left, const void *right)
{
    const struct phase_sum *a = left, *b = right;
    if (a->seconds != b->seconds)
        return a->seconds < b->seconds ? 1 : -1;
    return (int)a->phase - (int)b->phase;
}

static struct sums sum_up(const struct lanes *lanes, enum lane kind)
{
    struct sums sums = {0};
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        sums.phase[phase].phase = (enum phase)phase;
    for (size_t i = 0; i < lanes->count; i++) {
        const struct lane_sum *lane = &lanes->lane[i];
        if (lane->lane != kind)
            continue;
        sums.lanes++;
        sums.wall += lane_wall(lane);
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            sums.phase[phase].seconds += lane->seconds[phase];
            sums.phase[phase].spans += lane->spans[phase];
            sums.told += lane->seconds[phase];
        }
    }
    qsort(sums.phase, PHASE_COUNT, sizeof *sums.phase, longest_first);
    return sums;
}

static double useful(const struct sums *sums)
{
    for (int i = 0; i < PHASE_COUNT; i++)
        if (sums->phase[i].phase == PHASE_sample)
            return sums->phase[i].seconds;
    return 0;
}

static double percent(double part, double of)
{
    return of > 0 ? 100 * part / of : 0;
}

/* ---- Tables ---- */

static void print_phase(struct document *document, const char *name, double seconds, double wall,
                        uint64_t spans, const char *meaning)
{
    document_cells(document, "%s\t%.3f\t%.1f\t%llu\t%s", name, seconds, percent(seconds, wall),
                   (unsigned long long)spans, meaning);
}

static void print_phases(struct document *document, const struct sums *sums, const char *rest,
                         const char *what)
{
    static const char *const names[] = {"phase", "s", "%", "times", "is"};
    document_table_begin(document, "lrrrl", names);
    for (int i = 0; i < PHASE_COUNT; i++) {
        const struct phase_sum *sum = &sums->phase[i];
        if (sum->spans)
            print_phase(document, phase_words[sum->phase], sum->seconds, sums->wall, sum->spans,
                        phase_meanings[sum->phase]);
    }
    print_phase(document, rest, fmax(0, sums->wall - sums->told), sums->wall, 0, what);
    print_phase(document, "all", sums->wall, sums->wall, 0, "");
    document_table_end(document);
}

static void print_rank(struct document *document, const struct dataset *dataset, const struct lane_sum *lane)
{
    bool known = lane->device >= 0 && (size_t)lane->device < dataset->devices.rows;
    document_cells(document, "%d\t%d\t%s\t%.3f", lane->run, lane->rank,
                   known ? frame_find_text(&dataset->devices, (size_t)lane->device, DEVICE_COLUMN(name))
                         : "-",
                   lane_wall(lane));
    for (size_t i = 0; i < SHOWN; i++)
        document_cell(document, "%.3f", lane_group(lane, shown[i]));
    document_cell(document, "%.1f", percent(lane_group(lane, GROUP_SAMPLE), lane_wall(lane)));
}

static void print_ranks(struct document *document, const struct dataset *dataset, const struct lanes *lanes)
{
    const char *names[5 + SHOWN + 1] = {"run", "rank", "device", "wall, s"};
    for (size_t i = 0; i < SHOWN; i++)
        names[4 + i] = phase_group_words[shown[i]];
    names[4 + SHOWN] = "efficiency, %";
    document_table_begin(document, "rrlrrrrrrrrrr", names);
    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->lane[i].lane == LANE_RANK)
            print_rank(document, dataset, &lanes->lane[i]);
    document_table_end(document);
}

/* ---- Families ---- */

struct family_sum {
    const char *kernel;
    double group[GROUPS], all;
    uint64_t times; /* that a point was sampled */
};

static struct family_sum *find_family(struct family_sum **family, size_t *count, size_t *capacity,
                                      const char *kernel)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp((*family)[i].kernel, kernel))
            return &(*family)[i];
    *family = memory_grow(*family, *count, capacity, sizeof **family);
    (*family)[*count] = (struct family_sum){.kernel = kernel};
    return &(*family)[(*count)++];
}

static int by_time(const void *left, const void *right)
{
    const struct family_sum *a = left, *b = right;
    return a->all < b->all ? 1 : a->all > b->all ? -1 : strcmp(a->kernel, b->kernel);
}

static void print_family(struct document *document, const struct family_sum *family)
{
    static const enum phase_group groups[] = {GROUP_PREPARE, GROUP_VERIFY, GROUP_WARM_UP, GROUP_SAMPLE,
                                              GROUP_COUNT};
    document_cells(document, "%s\t%llu\t%.3f", family->kernel, (unsigned long long)family->times,
                   family->all);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        document_cell(document, "%.3f", family->group[groups[i]]);
    document_cell(document, "%.1f", percent(family->group[GROUP_SAMPLE], family->all));
}

static void print_families(struct document *document, const struct dataset *dataset)
{
    static const char *const names[] = {"family",  "times sampled", "s",     "prepare",      "verify",
                                        "warm-up", "sampling",      "count", "efficiency, %"};
    struct family_sum *family = NULL;
    size_t count = 0, capacity = 0;
    struct point_kernels *kernels = point_kernels_of(dataset);
    for (size_t i = 0; i < dataset->span_count; i++) {
        const struct span *span = &dataset->spans[i];
        const char *kernel = span->point ? point_kernel(kernels, span->point) : NULL;
        enum phase_group group = phase_group((enum phase)span->phase);
        if (!span->point && group != GROUP_COUNT)
            continue;
        struct family_sum *sum = find_family(&family, &count, &capacity,
                                             kernel        ? kernel
                                             : span->point ? "(no row)"
                                                           : "(several, counted together)");
        sum->group[group] += span->end - span->start;
        sum->all += span->end - span->start;
        sum->times += span->phase == PHASE_sample ? span->parts : 0;
    }
    if (count)
        qsort(family, count, sizeof *family, by_time);
    document_table_begin(document, "lrrrrrrrr", names);
    for (size_t i = 0; i < count; i++)
        print_family(document, &family[i]);
    document_table_end(document);
    point_kernels_free(kernels);
    free(family);
}

/* ---- The whole ---- */

static void print_verdict(struct document *document, const struct sums *sums)
{
    char most[512] = "";
    size_t length = 0;
    for (int i = 0, named = 0; i < PHASE_COUNT && named < NAMED_MOST; i++) {
        const struct phase_sum *sum = &sums->phase[i];
        if (sum->phase == PHASE_sample || !sum->spans)
            continue;
        length += (size_t)snprintf(most + length, sizeof most - length, "%s%s %.1f %%", named ? ", " : "",
                                   phase_words[sum->phase], percent(sum->seconds, sums->wall));
        named++;
    }
    document_paragraph(document,
                       "%zu lane%s of ranks, %.3f s together: an efficiency of %.1f %% (sampling over all). "
                       "Most of the rest: %s. Phases cover %.2f %% of the time.",
                       sums->lanes, sums->lanes == 1 ? "" : "s", sums->wall,
                       percent(useful(sums), sums->wall), most, percent(sums->told, sums->wall));
}

int report_time(struct document *document, const struct dataset *dataset, const char *path)
{
    document_heading(document, 2, "%s", path);
    if (!dataset->span_count) {
        document_paragraph(document, "This file has no timeline: an earlier release wrote it.");
        return -1;
    }
    struct lanes lanes = lanes_of(dataset);
    struct sums ranks = sum_up(&lanes, LANE_RANK), coordinator = sum_up(&lanes, LANE_COORDINATOR);
    print_verdict(document, &ranks);
    document_heading(document, 3, "By phase");
    print_phases(document, &ranks, "unaccounted", "in no phase");
    document_heading(document, 3, "By rank, s");
    print_ranks(document, dataset, &lanes);
    document_heading(document, 3, "By family, s");
    print_families(document, dataset);
    if (coordinator.lanes) {
        document_heading(document, 3, "Coordinator, beside rank 0");
        print_phases(document, &coordinator, "idle", "it waits for ranks, or answers them");
    }
    lanes_free(&lanes);
    return 0;
}
