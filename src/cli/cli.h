/* cli.h - the commands, and how they end. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cli/options.h"

/* Exit codes. What is not in here is a shell's or the launcher's. */
enum exit_code {
    EXIT_FINE = 0,        /* everything asked for was done */
    EXIT_POINTS = 1,      /* done, but some points failed or did not compile */
    EXIT_USAGE = 2,       /* bad command line or bad job file */
    EXIT_ENVIRONMENT = 3, /* this machine cannot do it */
};

/* Find the command, run it, say what went wrong; returns the exit code. */
int cli_main(int argc, char **argv);

extern const struct command command_check, command_run, command_status, command_table, command_plot,
    command_report, command_compare, command_kernels, command_counters;

#endif
