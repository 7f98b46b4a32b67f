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

enum { RANGES_MAX = 16 }; /* points between one start and stop */

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
        if (!counters->metrics || cupti_session_open(counters->metric, counters->metrics, RANGES_MAX,
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

static int count_point(struct cuda_counters *counters, const struct point *point, const char *name,
                       struct error *error)
{
    static struct cuda_point p; /* static: one at a time, and large */
    cudaStream_t stream = counters->session->stream;
    prepare_point(counters->session, &p, point);
    int failed = cupti_range_begin(counters->cupti, name, error);
    if (!failed) {
        cuda_point_launch(&p, stream, 0);
        CUDA(cudaStreamSynchronize(stream));
        failed = cupti_range_end(counters->cupti, error);
    }
    cuda_point_release(&p);
    return failed;
}

static int count_pass(struct cuda_counters *counters, const struct point *points, uint32_t count, bool *last,
                      struct error *error)
{
    if (cupti_pass_begin(counters->cupti, error) != 0)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        if (count_point(counters, &points[i], name, error) != 0)
            return -1;
    }
    return cupti_pass_end(counters->cupti, last, error);
}

/* Ranges come back in the order of their first pass. */
static int read_round(struct cuda_counters *counters, uint32_t count, double (*values)[RESULT_COUNTERS_MAX],
                      struct error *error)
{
    double raw[2 * RESULT_COUNTERS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        if (cupti_round_read(counters->cupti, (int)i, raw, error) != 0)
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
                       double (*values)[RESULT_COUNTERS_MAX], struct error *error)
{
    bool last = false;
    if (cupti_round_begin(counters->cupti, error) != 0)
        return -1;
    while (!last)
        if (count_pass(counters, points, count, &last, error) != 0)
            return -1;
    return read_round(counters, count, values, error);
}

void cuda_counters_take(struct cuda_counters *counters, const struct point *points, uint32_t count,
                        double (*values)[RESULT_COUNTERS_MAX])
{
    struct error error;
    for (uint32_t i = 0; i < count; i++)
        for (int c = 0; c < RESULT_COUNTERS_MAX; c++)
            values[i][c] = NAN;
    for (uint32_t first = 0; first < count && counters->cupti; first += RANGES_MAX) {
        uint32_t some = count - first < RANGES_MAX ? count - first : RANGES_MAX;
        if (count_round(counters, points + first, some, values + first, &error) == 0)
            continue;
        snprintf(counters->note, sizeof counters->note, "hardware counters ended: %.480s", error.text);
        cupti_session_close(counters->cupti);
        counters->cupti = NULL;
    }
}
