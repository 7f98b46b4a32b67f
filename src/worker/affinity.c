#include "worker/machine.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 8192

static bool parse_number(const char **at, unsigned long *value)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    *value = strtoul(*at, &end, 10);
    *at = end;
    return *value < CPUS_MAX;
}

static bool parse_list(const char *list, cpu_set_t *set, size_t size)
{
    CPU_ZERO_S(size, set);
    for (const char *at = list;;) {
        unsigned long first, last;
        if (!parse_number(&at, &first))
            return false;
        last = first;
        if (*at == '-') {
            at++;
            if (!parse_number(&at, &last) || last < first)
                return false;
        }
        for (unsigned long cpu = first; cpu <= last; cpu++)
            CPU_SET_S(cpu, size, set);
        if (!*at)
            return true;
        if (*at++ != ',')
            return false;
    }
}

int affinity_bind(const char *list, struct error *error)
{
    int failed = 0;
    if (!*list)
        return 0;
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
    if (!set)
        return error_set(error, ERROR_ENVIRONMENT, "no memory for a CPU set");
    if (!parse_list(list, set, size))
        failed = error_set(error, ERROR_ENVIRONMENT, "'%.80s' is not a list of CPUs", list);
    else if (sched_setaffinity(0, size, set) != 0)
        failed = error_set(error, ERROR_ENVIRONMENT, "cannot bind to CPUs %.80s: %s", list, strerror(errno));
    CPU_FREE(set);
    return failed;
}
