#include "plan/job_pair.h"

#include <stdio.h>
#include <string.h>

#include "family/versions.h"

int job_pair_parse(const char *text, struct job_pair *pair, struct error *error)
{
    *pair = (struct job_pair){.axis = ""};
    /* AXIS_TEXT_SIZE - 1 characters each */
    int read = 0,
        parts = sscanf(text, "%63[^=]=%63[^,],%63[^,]%n", pair->axis, pair->value[0], pair->value[1], &read);
    if (parts == 3 && !text[read] && strcmp(pair->value[0], pair->value[1]) != 0)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "--pair '%.80s': expected an axis and two values, as in variant=load,store", text);
}

bool job_pair_is_wanted(const struct job_pair *pair)
{
    return pair->axis[0] || versions_are_loaded();
}

int job_pair_of(const struct job_pair *pair, const struct space *space, int64_t value[2])
{
    struct error ignored;
    int axis = pair->axis[0] ? space_axis(space, pair->axis) : versions_axis(space);
    for (int v = 0; v < 2 && axis >= 0; v++) {
        value[v] = v;
        if (pair->axis[0] && axis_parse(&space->axes[axis], pair->value[v], &value[v], &ignored) != 0)
            return -1;
    }
    return axis;
}
