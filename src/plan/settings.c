#include "plan/settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/metric.h"

#define SAMPLES_MAX    1000000 /* per point: every sample is kept in the results file */
#define SECONDS_MAX    86400.0 /* per point: a day */
#define REPLICATES_MAX 100
#define TARGET_PLAIN_MAX                                                                                     \
    0.1 /* from here on a target_ci without % is an error: 0.5 is written where 0.5 % is meant */

static int read_samples(struct reading *reading, const struct yaml_node *node, const char *what,
                        uint32_t *out)
{
    int64_t value;
    const char *text = reading_scalar(reading, node, what);
    if (!text)
        return -1;
    if (!text_parse_integer(text, &value) || value < 1 || value > SAMPLES_MAX)
        return reading_fail(reading, node, "%s: expected a whole number from 1 to %d, found '%s'", what,
                            SAMPLES_MAX, yaml_quote(text).text);
    *out = (uint32_t)value;
    return 0;
}

static int read_seconds(struct reading *reading, const struct yaml_node *node, const char *what, double *out)
{
    const char *text = reading_scalar(reading, node, what);
    if (!text)
        return -1;
    if (!text_parse_seconds(text, out) || !(*out > 0 && *out <= SECONDS_MAX))
        return reading_fail(reading, node,
                            "%s: expected a time over 0 and up to 24h, like 500ms, 2s or 5min, found '%s'",
                            what, yaml_quote(text).text);
    return 0;
}

static int read_target(struct reading *reading, const struct yaml_node *node, double *out)
{
    const char *text = reading_scalar(reading, node, "target_ci");
    if (!text)
        return -1;
    if (!text_parse_fraction(text, out) || !(*out > 0 && *out < 1))
        return reading_fail(reading, node,
                            "target_ci: expected a share over 0 and below 100%%, like 0.5%%, found '%s'",
                            yaml_quote(text).text);
    if (*out >= TARGET_PLAIN_MAX && !strchr(text, '%'))
        return reading_fail(reading, node,
                            "target_ci: %s means %g %%; write %s%% for %g %%, or %g%% if you mean that", text,
                            100 * *out, text, *out, 100 * *out);
    return 0;
}

static int read_cache(struct reading *reading, const struct yaml_node *node, enum cache_mode *out)
{
    const char *text = reading_scalar(reading, node, "cache");
    if (!text)
        return -1;
    for (int i = 0; cache_words[i]; i++) {
        if (!strcmp(cache_words[i], text)) {
            *out = (enum cache_mode)i;
            return 0;
        }
    }
    return reading_unknown(reading, node, "cache mode", cache_words);
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

static int read_replicates(struct reading *reading, const struct yaml_node *node, uint32_t *out)
{
    const char *text = reading_scalar(reading, node, "replicates");
    int64_t value;
    if (!text)
        return -1;
    if (!text_parse_integer(text, &value) || value < 1 || value > REPLICATES_MAX)
        return reading_fail(reading, node,
                            "replicates: expected a number of processes from 1 to %d, found '%s'",
                            REPLICATES_MAX, yaml_quote(text).text);
    *out = (uint32_t)value;
    return 0;
}

/* Whether one device of the run measures each point, or all. */
static int read_devices(struct reading *reading, const struct yaml_node *node, bool *all)
{
    static const char *const known[] = {"one", "all", NULL};
    const char *text = reading_scalar(reading, node, "devices");
    if (!text)
        return -1;
    *all = !strcmp(text, "all");
    return *all || !strcmp(text, "one") ? 0 : reading_unknown(reading, node, "choice of devices", known);
}

int settings_timing(struct reading *reading, const struct yaml_node *node, struct timing *timing,
                    bool *cache_given)
{
    static const char *const known[] = {"cache",   "min_samples", "max_samples", "target_ci", "max_time",
                                        "timeout", "replicates",  "devices",     NULL};
    if (reading_map(reading, node, "timing") != 0 || reading_keys(reading, node, "key in timing", known) != 0)
        return -1;
    const struct yaml_node *at;
    if ((at = yaml_map_find(node, "cache")) && read_cache(reading, at, &timing->cache) != 0)
        return -1;
    *cache_given = at != NULL;
    if ((at = yaml_map_find(node, "min_samples")) &&
        read_samples(reading, at, "min_samples", &timing->min_samples) != 0)
        return -1;
    if ((at = yaml_map_find(node, "max_samples")) &&
        read_samples(reading, at, "max_samples", &timing->max_samples) != 0)
        return -1;
    if ((at = yaml_map_find(node, "target_ci")) && read_target(reading, at, &timing->target_ci) != 0)
        return -1;
    if ((at = yaml_map_find(node, "max_time")) &&
        read_seconds(reading, at, "max_time", &timing->max_time) != 0)
        return -1;
    if ((at = yaml_map_find(node, "timeout")) && read_seconds(reading, at, "timeout", &timing->timeout) != 0)
        return -1;
    if ((at = yaml_map_find(node, "replicates")) && read_replicates(reading, at, &timing->replicates) != 0)
        return -1;
    if ((at = yaml_map_find(node, "devices")) && read_devices(reading, at, &timing->all_devices) != 0)
        return -1;
    return check_together(reading, node, timing);
}

int settings_energy(struct reading *reading, const struct yaml_node *node, bool *energy)
{
    static const char *const known[] = {"no", "yes", NULL}, *const other[] = {"false", "true", NULL};
    const char *text = reading_scalar(reading, node, "energy");
    if (!text)
        return -1;
    int choice = text_find(known, text);
    if (choice < 0)
        choice = text_find(other, text);
    *energy = choice == 1;
    return choice < 0 ? reading_unknown(reading, node, "choice for energy", known) : 0;
}

/* CUPTI names look like dram__bytes_read.sum or sm__cycles_active.avg.pct_of_peak_sustained_elapsed: a unit,
 * two underscores, a quantity, and rollups after dots. A list also takes columns (core/metric.h), which each chip fills from its own
 * metrics. Whether a chip has the metric is checked later. */
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
    snprintf(job->counter[job->counter_count++], sizeof job->counter[0], "%s", text);
    return 0;
}

int settings_counters(struct reading *reading, const struct yaml_node *node, struct job *job)
{
    if (node->kind == YAML_NODE_LIST) {
        if (reading_list(reading, node, "counters") != 0)
            return -1;
        job->counter_set[0] = '\0';
        job->counter = memory_new(RESULT_COUNTERS_MAX, sizeof *job->counter);
        for (const struct yaml_node *item = node->first; item; item = item->next)
            if (read_metric(reading, item, job) != 0)
                return -1;
        return 0;
    }
    const char *text = reading_scalar(reading, node, "counters");
    if (!text)
        return -1;
    if (is_metric_name(text))
        return reading_fail(reading, node, "counters: metrics need a list: write `counters: [%s]`", text);
    if (text_find(metric_sets, text) < 0)
        return reading_unknown(reading, node, "set of counters", metric_sets);
    snprintf(job->counter_set, sizeof job->counter_set, "%s", text);
    return 0;
}
