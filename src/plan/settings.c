#include "plan/reading.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/metric.h"

#define SAMPLES_MAX       1000000 /* per point: every sample is kept in the results file */
#define POINT_SECONDS_MAX 86400.0 /* per point: a day */
#define REPLICATES_MAX    100
#define TARGET_PLAIN_MAX                                                                                     \
    0.1 /* from here on a target_ci without % is an error: 0.5 is written where 0.5 % is meant */

/* Readers of the keys of `timing`, which write to `out`. `node` is the scalar with `text`. */

static int read_count(struct reading *reading, const struct yaml_node *node, const char *what,
                      const char *text, void *out)
{
    bool processes = !strcmp(what, "replicates");
    int64_t value, most = processes ? REPLICATES_MAX : SAMPLES_MAX;
    if (!text_parse_integer(text, &value) || value < 1 || value > most)
        return reading_fail(reading, node, "%s: expected a %s from 1 to %" PRId64 ", found '%s'", what,
                            processes ? "number of processes" : "whole number", most, yaml_quote(text).text);
    *(uint32_t *)out = (uint32_t)value;
    return 0;
}

static int read_seconds(struct reading *reading, const struct yaml_node *node, const char *what,
                        const char *text, void *out)
{
    double *seconds = out;
    if (text_parse_seconds(text, seconds) && *seconds > 0 && *seconds <= POINT_SECONDS_MAX)
        return 0;
    return reading_fail(reading, node,
                        "%s: expected a time over 0 and up to 24h, like 500ms, 2s or 5min, found '%s'", what,
                        yaml_quote(text).text);
}

static int read_target(struct reading *reading, const struct yaml_node *node, const char *what,
                       const char *text, void *out)
{
    double *target = out;
    if (!text_parse_fraction(text, target) || !(*target > 0 && *target < 1))
        return reading_fail(reading, node,
                            "%s: expected a share over 0 and below 100%%, like 0.5%%, found '%s'", what,
                            yaml_quote(text).text);
    if (*target >= TARGET_PLAIN_MAX && !strchr(text, '%'))
        return reading_fail(reading, node,
                            "%s: %s means %g %%; write %s%% for %g %%, or %g%% if you mean that", what, text,
                            100 * *target, text, *target, 100 * *target);
    return 0;
}

static int read_cache(struct reading *reading, const struct yaml_node *node, const char *what,
                      const char *text, void *out)
{
    int mode = reading_word(reading, node, "cache mode", text, cache_words);
    (void)what;
    *(enum cache_mode *)out = (enum cache_mode)mode;
    return mode < 0 ? -1 : 0;
}

static int read_clock(struct reading *reading, const struct yaml_node *node, const char *what,
                      const char *text, void *out)
{
    int mode = reading_word(reading, node, "clock", text, clock_words);
    (void)what;
    *(enum clock_mode *)out = (enum clock_mode)mode;
    return mode < 0 ? -1 : 0;
}

/* Whether one device of the run measures each point, or all. */
static int read_devices(struct reading *reading, const struct yaml_node *node, const char *what,
                        const char *text, void *out)
{
    static const char *const words[] = {"one", "all", NULL};
    int word = reading_word(reading, node, "choice of devices", text, words);
    (void)what;
    *(bool *)out = word == 1;
    return word < 0 ? -1 : 0;
}

/* Check that the settings are consistent; the error is at one that the file has. */
static int check_together(struct reading *reading, const struct yaml_node *map, struct timing *timing)
{
    const struct yaml_node *min = yaml_map_find(map, "min_samples"), *max = yaml_map_find(map, "max_samples");
    if (timing->min_samples > timing->max_samples) {
        if (max)
            return reading_fail(reading, max, "max_samples: %u is below min_samples, which is %u",
                                timing->max_samples, timing->min_samples);
        return reading_fail(reading, min, "min_samples: %u is above max_samples, which is %u by default",
                            timing->min_samples, timing->max_samples);
    }
    if (timing->timeout > timing->max_time)
        return 0;
    const struct yaml_node *timeout = yaml_map_find(map, "timeout");
    if (timeout)
        return reading_fail(reading, timeout, "timeout: %gs must be longer than max_time, which is %gs",
                            timing->timeout, timing->max_time);
    return reading_fail(reading, yaml_map_find(map, "max_time"),
                        "max_time: %gs must be shorter than timeout, which is %gs by default",
                        timing->max_time, timing->timeout);
}

int settings_timing(struct reading *reading, const struct yaml_node *node, struct timing *timing)
{
    static const struct {
        const char *name;
        int (*read)(struct reading *reading, const struct yaml_node *node, const char *key, const char *text,
                    void *out);
        size_t offset;
    } keys[] = {
        {"cache", read_cache, offsetof(struct timing, cache)},
        {"min_samples", read_count, offsetof(struct timing, min_samples)},
        {"max_samples", read_count, offsetof(struct timing, max_samples)},
        {"target_ci", read_target, offsetof(struct timing, target_ci)},
        {"max_time", read_seconds, offsetof(struct timing, max_time)},
        {"clock", read_clock, offsetof(struct timing, clock)},
        {"timeout", read_seconds, offsetof(struct timing, timeout)},
        {"replicates", read_count, offsetof(struct timing, replicates)},
        {"devices", read_devices, offsetof(struct timing, all_devices)},
    };
    enum { KEYS = sizeof keys / sizeof *keys };
    const char *known[KEYS + 1] = {NULL};
    for (size_t i = 0; i < KEYS; i++)
        known[i] = keys[i].name;
    if (reading_map(reading, node, "timing") != 0 || reading_keys(reading, node, "key in timing", known) != 0)
        return -1;
    for (size_t i = 0; i < KEYS; i++) {
        const struct yaml_node *at = yaml_map_find(node, keys[i].name);
        const char *text = at ? reading_scalar(reading, at, keys[i].name) : NULL;
        if (at &&
            (!text || keys[i].read(reading, at, keys[i].name, text, (char *)timing + keys[i].offset) != 0))
            return -1;
    }
    return check_together(reading, node, timing);
}

int settings_energy(struct reading *reading, const struct yaml_node *node, bool *energy)
{
    static const char *const words[] = {"no", "yes", NULL};
    const char *text = reading_scalar(reading, node, "energy");
    if (!text)
        return -1;
    *energy = !strcmp(text, "yes") || !strcmp(text, "true");
    if (*energy || !strcmp(text, "false"))
        return 0;
    return reading_word(reading, node, "choice for energy", text, words) < 0 ? -1 : 0;
}

/* CUPTI names look like dram__bytes_read.sum or sm__cycles_active.avg.pct_of_peak_sustained_elapsed: a unit,
 * two underscores, a quantity, and rollups after dots. A list also takes columns (core/metric.h), which each
 * chip fills from its own metrics. Whether a chip has the metric is checked later. */
static bool is_metric_name(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
            return false;
    const char *unit_end = strstr(text, "__");
    return unit_end && unit_end != text && unit_end[2] && isalpha((unsigned char)*text);
}

static int read_metric(struct reading *reading, const struct yaml_node *node, struct job *job)
{
    const char *text = reading_scalar(reading, node, "counters");
    if (!text)
        return -1;
    if (text_find(metric_sets, text) >= 0)
        return reading_fail(reading, node,
                            "counters: a list names metrics; write the set '%s' as `counters: %s`", text,
                            text);
    if (!is_metric_name(text) && !metric_find(text))
        return reading_fail(reading, node,
                            "counters: '%s' is not a metric name; expected one like dram__bytes_read.sum",
                            yaml_quote(text).text);
    for (int i = 0; i < job->counter_count; i++)
        if (!strcmp(job->counter[i], text))
            return reading_fail(reading, node, "counters: the metric '%s' is given twice", text);
    if (job->counter_count == RESULT_COUNTERS_MAX)
        return reading_fail(reading, node, "counters: at most %d metrics are allowed", RESULT_COUNTERS_MAX);
    job->counter_place[job->counter_count][0] = node->line;
    job->counter_place[job->counter_count][1] = node->column;
    snprintf(job->counter[job->counter_count++], sizeof job->counter[0], "%s", text);
    return 0;
}

int settings_counters(struct reading *reading, const struct yaml_node *node, struct job *job)
{
    if (node->kind == YAML_NODE_LIST) {
        job->counter_set[0] = '\0';
        job->counter = memory_new(RESULT_COUNTERS_MAX, sizeof *job->counter);
        job->counter_place = memory_new(RESULT_COUNTERS_MAX, sizeof *job->counter_place);
        int failed = reading_list(reading, node, "counters");
        for (const struct yaml_node *item = node->first; item && !failed; item = item->next)
            failed = read_metric(reading, item, job);
        return failed;
    }
    const char *text = reading_scalar(reading, node, "counters");
    if (!text)
        return -1;
    if (is_metric_name(text))
        return reading_fail(reading, node, "counters: metrics need a list: write `counters: [%s]`", text);
    if (reading_word(reading, node, "set of counters", text, metric_sets) < 0)
        return -1;
    snprintf(job->counter_set, sizeof job->counter_set, "%s", text);
    return 0;
}
