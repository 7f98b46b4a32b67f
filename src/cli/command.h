/* command.h - the sub-commands, and how they end.
 *
 * To add one: a file NAME.c here with its table of options and `const struct command command_NAME`, and
 * NAME's line in the list below. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options/options.h"

/* In the order of the help. */
#define COMMANDS(X)                                                                                          \
    X(check)                                                                                                 \
    X(run)                                                                                                   \
    X(status)                                                                                                \
    X(merge)                                                                                                 \
    X(verify)                                                                                                \
    X(table)                                                                                                 \
    X(top)                                                                                                   \
    X(show)                                                                                                  \
    X(plot)                                                                                                  \
    X(report)                                                                                                \
    X(paper)                                                                                                 \
    X(compare)                                                                                               \
    X(profile)                                                                                               \
    X(predict)                                                                                               \
    X(kernels)                                                                                               \
    X(counters)

#define X(name) extern const struct command command_##name;
COMMANDS(X)
#undef X

/* Exit codes. What is not in here is a shell's or the launcher's. */
enum exit_code {
    EXIT_FINE = 0,        /* everything asked for was done */
    EXIT_POINTS = 1,      /* done, but some points failed or did not compile */
    EXIT_USAGE = 2,       /* bad command line or bad job file */
    EXIT_ENVIRONMENT = 3, /* this machine cannot do it */
};

#endif
