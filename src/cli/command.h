/* command.h - the commands and their exit codes.
 *
 * To add one: a file NAME.c here with its table of options and `const struct command command_NAME`, and
 * NAME's line in the list below. */
#pragma once

#include <stdio.h>

#include "cli/options/options.h"
#include "plan/survey.h"

/* In the order of the help. */
#define COMMANDS(X)                                                                                          \
    X(init)                                                                                                  \
    X(check)                                                                                                 \
    X(points)                                                                                                \
    X(run)                                                                                                   \
    X(status)                                                                                                \
    X(merge)                                                                                                 \
    X(table)                                                                                                 \
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

/* ---- Parts of commands ---- */

/* One line: name, title, sweeps, points, excluded points. */
void survey_print_head(const struct job *job, const struct grid *grid);

/* Per kernel: points, unsupported points with reasons, kernels to compile, time of so many processes per
 * point, memory. `on_gpu`: the times, which are those of a GPU, are said to be. */
void survey_print(const struct survey *survey, uint32_t replicates, bool on_gpu);

/* Print what `run` would do on a device `target`, with --resume what is left of its file: points, kernels to
 * compile, memory, the time on so many ranks. The exit code, or -1 with the error. */
struct launch_options;
int dry_run(const struct launch_options *launch, const struct target *target, bool on_gpu, int ranks,
            struct error *error);

/* Print the best points of a results file to stderr: rate with half of its interval, share of the roof, and the
 * axes that vary in the family. At most five families, those that are closest to their roofs; then the commands that show more.
 * Nothing where no point has a rate. */
void best_points_print(const char *path);

/* Prints types, indices, lengths and checksums of all tables, and the state of the journal. The exit code, or
 * -1 with the error. */
int verify_file(const char *path, struct error *error);
