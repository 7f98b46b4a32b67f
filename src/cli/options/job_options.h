/* job_options.h - the options of commands that take a job: a file, or a kernel alone, with axes set and points chosen. */
#ifndef CLI_OPTIONS_JOB_OPTIONS_H
#define CLI_OPTIONS_JOB_OPTIONS_H

#include "cli/options/options.h"
#include "plan/compose.h"

#define JOB_OPTIONS                                                                                          \
    {"kernel", 'k', "NAME", NULL, NULL, "without a job file: one sweep of this kernel"},                     \
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

/* What the options and the first operand name. ERROR_USAGE when there is neither a job file nor --kernel, or both. The
 * texts are those of `arguments`. */
int job_source_read(const struct arguments *arguments, struct job_source *source, struct error *error);

#endif
