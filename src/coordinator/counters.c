#include "coordinator/counters.h"

#include <stdio.h>

#include "core/metric.h"

int counters_choose(const struct job *job, const char *set, const char *backend, const struct traits *traits,
                    struct config *config, char *note, size_t size, struct error *error)
{
    const char *columns[RESULT_COUNTERS_MAX];
    int count = 0;
    bool listed = !set && job->counter_count > 0;
    if (listed)
        for (; count < job->counter_count && count < RESULT_COUNTERS_MAX; count++)
            columns[count] = job->counter[count];
    else
        count = metric_set_columns(set ? set : job->counter_set, columns);
    if (count < 0)
        return error_set(error, ERROR_USAGE,
                         "'%.40s' is not a set of counters; `warpsweep run --help` lists them", set);
    note[0] = '\0';
    if (count && !traits->counts) {
        snprintf(note, size, "the %s back end has no hardware counters: times only", backend);
        count = 0;
    }
    config->counter_count = count;
    for (int i = 0; i < count; i++)
        snprintf(config->counter[i], sizeof config->counter[i], "%s", columns[i]);
    return 0;
}
