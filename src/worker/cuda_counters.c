#include "worker/cuda_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "core/metric.h"
#include "worker/backend.h"
#include "worker/cuda_code.h"
#include "worker/cuda_cupti.h"
#include "worker/cuda_error.h"
#include "worker/cuda_point.h"

/* Points between one start and stop, and kernels that preparing and launching one takes at most: a fill for
 * each buffer, the flush or a warming launch, and the point's own; a vendor's engine may launch several. */
enum { POINTS_MAX = 12, LAUNCHES_MAX = SETUP_BUFFERS_MAX + 8 };

/* A column from the values of the session's metrics. */
struct column {
    int value, per; /* index of the metric and of its divisor; -1: none */
    double factor;
};

struct cuda_counters {
    struct cuda_session *session;
    struct cupti_session *cupti; /* NULL: nothing is counted */
    struct column column[RESULT_COUNTERS_MAX];
    int columns;
    const char *metric[2 * RESULT_COUNTERS_MAX]; /* distinct CUPTI names */
    int metrics;
    uint32_t first[POINTS_MAX],
        after[POINTS_MAX]; /* the kernels of each point's launch, as numbered in the round */
    char note[512];
};

static int add_metric(struct cuda_counters *counters, const char *name)
{
    for (int i = 0; i < counters->metrics; i++)
        if (!strcmp(counters->metric[i], name))
            return i;
    counters->metric[counters->metrics] = name;
    return counters->metrics++;
}

/* The first of the alternatives that the chip has; -1: none. */
static int choose_metric(struct cuda_counters *counters, struct cupti_chip *chip,
                         const char *const *alternatives)
{
    for (int i = 0; i < 2 && alternatives[i]; i++)
        if (cupti_chip_has(chip, alternatives[i], NULL))
            return add_metric(counters, alternatives[i]);
    return -1;
}

static void plan_columns(struct cuda_counters *counters, struct cupti_chip *chip)
{
    const struct config *config = &counters->session->config;
    struct text missing = {0};
    counters->columns = config->counter_count;
    for (int i = 0; i < config->counter_count; i++) {
        const char *own[] = {config->counter[i], NULL};
        const struct metric *metric = metric_find(config->counter[i]);
        struct column *column = &counters->column[i];
        column->value = choose_metric(counters, chip, metric ? metric->cupti : own);
        column->per = metric && metric->per[0] ? choose_metric(counters, chip, metric->per) : -1;
        column->factor = metric ? metric->factor : 1;
        if (metric && metric->per[0] && column->per < 0)
            column->value = -1;
        if (column->value < 0)
            text_add(&missing, "%s%s", missing.length ? ", " : "", config->counter[i]);
    }
    if (missing.length)
        snprintf(counters->note, sizeof counters->note, "%s does not count %.400s", cupti_chip_name(chip),
                 missing.data);
    text_free(&missing);
}

struct cuda_counters *cuda_counters_open(struct cuda_session *session)
{
    struct cuda_counters *counters = memory_new(1, sizeof *counters);
    struct cupti_chip *chip = NULL;
    struct error error;
    counters->session = session;
    if (cupti_chip_of_device(&chip, &error) == 0) {
        plan_columns(counters, chip);
        cupti_chip_close(chip);
        if (!counters->metrics ||
            cupti_session_open(counters->metric, counters->metrics, POINTS_MAX * LAUNCHES_MAX,
                               &counters->cupti, &error) == 0)
            return counters;
    }
    snprintf(counters->note, sizeof counters->note, "no hardware counters: %.480s", error.text);
    return counters;
}

void cuda_counters_close(struct cuda_counters *counters)
{
    if (!counters)
        return;
    cupti_session_close(counters->cupti);
    free(counters);
}

const char *cuda_counters_note(const struct cuda_counters *counters)
{
    return counters->note;
}

/* Bring the point into the state that its cache mode asks for: its buffers filled, L2 emptied or warm. */
static void prepare_point(struct cuda_session *session, struct cuda_point *p, const struct point *point)
{
    struct target target = backend_target(&session->device);
    struct result unused = result_new();
    *p = (struct cuda_point){.session = session,
                             .point = point,
                             .family = family_of(point),
                             .setup = family_of(point)->setup(point, &target),
                             .seed = hash_u64(hash_u64(HASH_START, session->config.seed), point_id(point))};
    cuda_code_load(p, &unused);
    cuda_point_place(p, 1);
    if (point_value(point, "cache", CACHE_COLD) == CACHE_HOT)
        cuda_point_launch(p, session->stream, 0);
    else
        cuda_session_flush(session);
    CUDA(cudaStreamSynchronize(session->stream));
}

/* A vendor's engine launches kernels that nobody counts for us: such a point has a round to itself, and what
 * comes after its preparation is its own. */
static bool launches_unknown(const struct point *point, const struct cuda_session *session)
{
    struct target target = backend_target(&session->device);
    return family_of(point)->setup(point, &target).engine != ENGINE_KERNEL;
}

static void launch_point(struct cuda_counters *counters, const struct point *point, uint32_t i,
                         uint64_t begin)
{
    static struct cuda_point p; /* static: one at a time, and large */
    struct cuda_session *session = counters->session;
    prepare_point(session, &p, point);
    counters->first[i] = (uint32_t)(session->launches - begin);
    cuda_point_launch(&p, session->stream, 0);
    CUDA(cudaStreamSynchronize(session->stream));
    counters->after[i] = (uint32_t)(session->launches - begin);
    cuda_point_release(&p);
}

static int count_pass(struct cuda_counters *counters, const struct point *points, uint32_t count, bool *last,
                      struct error *error)
{
    uint64_t begin = counters->session->launches;
    if (cupti_pass_begin(counters->cupti, error) != 0)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        launch_point(counters, &points[i], i, begin);
    return cupti_pass_end(counters->cupti, last, error);
}

/* The metrics of kernels [first, after): one kernel's as they are; of several, the sums, and nothing for the
 * rest. */
static int read_kernels(struct cuda_counters *counters, uint32_t first, uint32_t after, double *raw,
                        struct error *error)
{
    double one[2 * RESULT_COUNTERS_MAX];
    for (int m = 0; m < counters->metrics; m++)
        raw[m] = NAN;
    for (uint32_t kernel = first; kernel < after; kernel++) {
        if (cupti_round_read(counters->cupti, (int)kernel, one, error) != 0)
            return -1;
        for (int m = 0; m < counters->metrics; m++) {
            const char *rollup = strchr(counters->metric[m], '.');
            bool sums = rollup && !strcmp(rollup, ".sum");
            raw[m] = kernel == first ? one[m] : sums ? raw[m] + one[m] : NAN;
        }
    }
    return 0;
}

static int read_round(struct cuda_counters *counters, uint32_t count, bool unknown,
                      double (*values)[RESULT_COUNTERS_MAX], struct error *error)
{
    double raw[2 * RESULT_COUNTERS_MAX];
    int ranges = 0;
    if (cupti_round_ranges(counters->cupti, &ranges, error) != 0)
        return -1;
    if (!unknown && (uint32_t)ranges != counters->after[count - 1])
        return error_set(error, ERROR_ENVIRONMENT, "CUPTI saw %d kernels where %u were launched", ranges,
                         counters->after[count - 1]);
    for (uint32_t i = 0; i < count; i++) {
        if (unknown)
            counters->after[i] = (uint32_t)ranges;
        if (read_kernels(counters, counters->first[i], counters->after[i], raw, error) != 0)
            return -1;
        for (int c = 0; c < counters->columns; c++) {
            const struct column *column = &counters->column[c];
            if (column->value >= 0)
                values[i][c] = raw[column->value] * column->factor / (column->per < 0 ? 1 : raw[column->per]);
            if (!isfinite(values[i][c]))
                values[i][c] = NAN; /* nothing over nothing */
        }
    }
    return 0;
}

static int count_round(struct cuda_counters *counters, const struct point *points, uint32_t count,
                       bool unknown, double (*values)[RESULT_COUNTERS_MAX], struct error *error)
{
    bool last = false;
    if (cupti_round_begin(counters->cupti, error) != 0)
        return -1;
    while (!last)
        if (count_pass(counters, points, count, &last, error) != 0)
            return -1;
    return read_round(counters, count, unknown, values, error);
}

/* How many of the points that follow fit into one round. */
static uint32_t round_length(const struct cuda_counters *counters, const struct point *points, uint32_t count)
{
    uint32_t length = 0;
    while (length < count && length < POINTS_MAX && !launches_unknown(&points[length], counters->session))
        length++;
    return length ? length : 1;
}

void cuda_counters_take(struct cuda_counters *counters, const struct point *points, uint32_t count,
                        double (*values)[RESULT_COUNTERS_MAX])
{
    struct error error;
    for (uint32_t i = 0; i < count; i++)
        for (int c = 0; c < RESULT_COUNTERS_MAX; c++)
            values[i][c] = NAN;
    for (uint32_t first = 0, some; first < count && counters->cupti; first += some) {
        some = round_length(counters, points + first, count - first);
        if (count_round(counters, points + first, some, launches_unknown(&points[first], counters->session),
                        values + first, &error) == 0)
            continue;
        snprintf(counters->note, sizeof counters->note, "hardware counters ended: %.480s", error.text);
        cupti_session_close(counters->cupti);
        counters->cupti = NULL;
    }
}
