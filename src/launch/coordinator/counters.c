#include "launch/coordinator/counters.h"

#include <stdio.h>
#include <string.h>

#include "core/metric.h"

int counters_choose(const struct job *job, const char *set, const char *backend, struct config *config,
                    char *note, size_t size, struct error *error)
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
                         "'%.40s' is no set of counters; `warpsweep run --help` lists them", set);
    note[0] = '\0';
    if (count && !strcmp(backend, "host")) {
        snprintf(note, size, "the host back end has no hardware counters: times only");
        count = 0;
    }
    config->counter_count = count;
    for (int i = 0; i < count; i++)
        snprintf(config->counter[i], sizeof config->counter[i], "%s", columns[i]);
    return 0;
}
