/* command.h - the commands and their exit codes.
 *
 * To add one: a file NAME.c here with its table of options and `const struct command command_NAME`, and
 * NAME's line in the list below. */
#pragma once

#include "cli/options/options.h"

/* In the order of the help. */
#define COMMANDS(X)                                                                                          \
    X(init)                                                                                                  \
    X(check)                                                                                                 \
    X(points)                                                                                                \
    X(run)                                                                                                   \
    X(status)                                                                                                \
    X(merge)                                                                                                 \
    X(table)                                                                                                 \
    X(show)                                                                                                  \
    X(plot)                                                                                                  \
    X(report)                                                                                                \
    X(paper)                                                                                                 \
    X(compare)                                                                                               \
    X(judge)                                                                                                 \
    X(history)                                                                                               \
    X(profile)                                                                                               \
    X(predict)                                                                                               \
    X(kernels)                                                                                               \
    X(counters)

#define X(name) extern const struct command command_##name;
COMMANDS(X)
#undef X

enum exit_code {
    EXIT_FINE = 0,        /* success */
    EXIT_POINTS = 1,      /* finished, but points failed, are missing, or miss a limit */
    EXIT_USAGE = 2,       /* invalid command line, job file or input file */
    EXIT_ENVIRONMENT = 3, /* device, compiler, tool, disk or permissions */
};
