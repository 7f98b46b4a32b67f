/* job_options.h - options of commands that take a job file, or build a job from a kernel. */
#pragma once

#include "cli/options/options.h"
#include "plan/compose.h"

#define JOB_OPTIONS                                                                                          \
    {"kernel", 'k', "NAME", NULL, NULL, "instead of a job file: one sweep of this kernel"},                  \
        {"set",                                                                                              \
         0,                                                                                                  \
         "AXIS=V,V",                                                                                         \
         NULL,                                                                                               \
         NULL,                                                                                               \
         "values of an axis in every sweep that has it; also KERNEL.AXIS=V, timing.KEY=V; may be "           \
         "repeated"},                                                                                        \
    {                                                                                                        \
        "only", 0, "AXIS=V,V", NULL, NULL,                                                                   \
            "only points with one of these values; also =A..B, !=, <, <=, >, >=; may be repeated"            \
    }

/* The job of the first operand and the options. ERROR_USAGE without job file and --kernel, or with both. `arguments` owns the
 * texts. */
int job_source_read(const struct arguments *arguments, struct job_source *source, struct error *error);
