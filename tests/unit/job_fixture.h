/* job_fixture.h - jobs and grids of texts, for tests that take them for right: a fault ends the test with its
 * message. Include after cmocka.h. */
#pragma once

#include <string.h>

#include "plan/grid.h"

/* To be freed by job_free. */
static inline struct job parsed(const char *text)
{
    struct job job;
    struct error error = {0};
    if (job_parse("t.yaml", text, strlen(text), NULL, &job, &error) != 0)
        fail_msg("%s", error.text);
    return job;
}

/* To be freed by grid_free, before its job. */
static inline struct grid *expanded(const struct job *job)
{
    struct grid *grid;
    struct error error = {0};
    if (grid_expand(job, &grid, &error) != 0)
        fail_msg("%s", error.text);
    return grid;
}
