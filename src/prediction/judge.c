#include "prediction/judge.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "family/target.h"
#include "prediction/profile_data.h"
#include "table/row_point.h"

/* Thresholds of Nsight Compute: a unit above 80 % of its peak is the bound; below 60 % in all units it is latency; between
 * these it is both. */
#define IDLE 0.6
#define FULL 0.8

/* Pairs with a smaller ratio of times are not ordered. */
#define APART 1.05

static double positive(double share)
{
    return share > 0 ? share : 0;
}

/* The unit with the highest utilisation. */
static enum bound busiest_of(const struct frame *results, size_t row, const struct profile *profile,
                             double seconds, double *best)
{
    double nominal = profile->value[PROFILE_peak_copy].value, instructions;
    double dram = frame_find_real(results, row, COLUMN(dram_bytes_read)) +
                  frame_find_real(results, row, COLUMN(dram_bytes_written));
    if (isnan(frame_find_real(results, row, COLUMN(issue_active))))
        return BOUND_none;
    double active = frame_find_real(results, row, COLUMN(sm_active)) / 100;
    instructions = active * frame_find_real(results, row, COLUMN(issue_active)) / 100;
    double l2 = frame_find_real(results, row, COLUMN(l2_bytes));
    /* l2_bytes counts fills from DRAM again. */
    double l2_share = (l2 - frame_find_real(results, row, COLUMN(dram_bytes_read))) / seconds /
                      profile->value[PROFILE_peak_l2_copy].value;
    const struct {
        enum bound bound;
        double share;
    } units[] = {{BOUND_dram, positive(dram / seconds / nominal)},
                 {BOUND_l2, positive(l2_share)},
                 {BOUND_shared, positive(frame_find_real(results, row, COLUMN(shared_utilization)) / 100)},
                 {BOUND_issue, positive(instructions)}};
    enum bound busiest = BOUND_latency;
    *best = IDLE;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].share > *best) {
            *best = units[i].share;
            busiest = units[i].bound;
        }
    return busiest;
}

double judge_ratio(const struct judged *point)
{
    return point->seconds / point->time.seconds;
}

bool judge_within(double ratio, double share)
{
    return ratio < 1 + share && ratio > 1 / (1 + share);
}

static bool fits(const struct judged *point, enum bound bound)
{
    switch (bound) {
    case BOUND_latency:
    case BOUND_launch:
    case BOUND_tail:
        return point->busiest == BOUND_latency || point->share < FULL;
    case BOUND_flop:
        return point->busiest == BOUND_issue;
    default:
        return point->busiest == bound;
    }
}

bool judge_bound_fits(const struct judged *point)
{
    return fits(point, point->time.bound);
}

static bool predict_row(const struct dataset *dataset, size_t row, const struct profile *profile,
                        enum code_use use, const struct code_facts *code, struct judged *out)
{
    const struct frame *results = &dataset->results;
    struct device device = profile_device(profile, "");
    struct target target = target_of_device(&device);
    struct prediction accesses;
    if (!row_point(results, row, &out->point))
        return false;
    struct setup setup = family_of(&out->point)->setup(&out->point, &target);
    struct work work = family_of(&out->point)->work(&out->point);
    struct time_facts facts =
        profile_row_facts(dataset, row, &out->point, profile->value[PROFILE_threads_sm].value);
    out->row = row;
    out->seconds = frame_find_real(results, row, COLUMN(time_median));
    out->plain = ((double)work.bytes_read + (double)work.bytes_written) / device.peak_copy;
    out->counted = facts.instructions;
    if (use != CODE_COUNTED)
        facts.dirty = NAN;
    out->addresses =
        model_predict(&out->point, &setup, &target, facts.dirty, &accesses) && model_is_complete(&setup);
    if (use != CODE_COUNTED)
        code_facts_fill(code, &out->point, &setup, &accesses, profile, &facts);
    out->assumed = facts.instructions;
    out->busiest = busiest_of(results, row, profile, out->seconds, &out->share);
    return time_predict_from(&out->point, &setup, &accesses, profile, &facts, &out->time);
}

static int by_kernel(const void *a, const void *b)
{
    const struct judged *x = a, *y = b;
    int order = strcmp(x->point.space->kernel, y->point.space->kernel);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static bool row_is_of(const struct dataset *dataset, size_t row, size_t device)
{
    int column = frame_find(&dataset->results, COLUMN(device));
    return profile_row_counts(dataset, row) &&
           (column < 0 || frame_cell(&dataset->results, row, column)->integer == (int64_t)device);
}

/* The compiled kernels of all points; NULL unless `use` is CODE_INSTRUCTIONS. */
static int read_code(const struct dataset *dataset, size_t device, const struct profile *profile,
                     enum code_use use, struct code_facts **code, struct error *error)
{
    struct point point;
    *code = NULL;
    if (use != CODE_INSTRUCTIONS)
        return 0;
    *code = code_facts_new((int)profile->value[PROFILE_capability].value);
    for (size_t row = 0; row < dataset->results.rows; row++)
        if (row_is_of(dataset, row, device) && row_point(&dataset->results, row, &point))
            code_facts_want(*code, &point);
    return code_facts_fetch(*code, error);
}

int judge(const struct dataset *dataset, size_t device, const struct profile *profile, enum code_use use,
          struct verdicts *verdicts, struct error *error)
{
    const struct frame *results = &dataset->results;
    struct code_facts *code;
    int failed = read_code(dataset, device, profile, use, &code, error);
    *verdicts = (struct verdicts){.point = memory_new(results->rows + 1, sizeof *verdicts->point)};
    for (size_t row = 0; row < results->rows && !failed; row++) {
        if (!row_is_of(dataset, row, device))
            continue;
        if (predict_row(dataset, row, profile, use, code, &verdicts->point[verdicts->points]))
            verdicts->points++;
        else
            verdicts->unpredicted++;
    }
    assert(verdicts->points + verdicts->unpredicted <= results->rows);
    qsort(verdicts->point, verdicts->points, sizeof *verdicts->point, by_kernel);
    code_facts_free(code);
    return failed;
}

bool judge_row(const struct dataset *dataset, size_t row, const struct profile *profile,
               struct judged *judged)
{
    return profile_row_counts(dataset, row) && predict_row(dataset, row, profile, CODE_COUNTED, NULL, judged);
}

/* ---- Order of variants ---- */

struct keyed {
    uint64_t key; /* of the point without its variant */
    const struct judged *point;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

struct ranking judge_ranking(const struct judged *points, size_t count, bool addresses)
{
    struct keyed *keyed = memory_new(count + 1, sizeof *keyed);
    struct ranking ranking = {0};
    for (size_t i = 0; i < count; i++) {
        struct point point = points[i].point;
        int variant = space_axis(point.space, "variant");
        if (variant >= 0)
            point.value[variant] = 0;
        keyed[i] = (struct keyed){point_id(&point), &points[i]};
    }
    qsort(keyed, count, sizeof *keyed, by_key);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && keyed[j].key == keyed[i].key; j++) {
            const struct judged *a = keyed[i].point, *b = keyed[j].point;
            double measured = a->seconds / b->seconds, predicted = a->time.seconds / b->time.seconds;
            if ((addresses && !(a->addresses && b->addresses)) || (measured < APART && measured > 1 / APART))
                continue;
            ranking.pairs++;
            ranking.right += (measured > 1) == (predicted > 1) && predicted != 1;
        }
    free(keyed);
    return ranking;
}
