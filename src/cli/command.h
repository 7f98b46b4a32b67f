/* command.h - the commands, their options and exit codes. A command is a file NAME.c with `const struct
 * command command_NAME`, and a line in the list below. Its table of options feeds the parser, the defaults
 * and --help, of which man page and completion are made. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "plan/grid.h"
#include "store/dataset/dataset.h"
#include "store/merge/store_merge.h"

/* In the order of the help. */
#define COMMANDS(X)                                                                                          \
    X(init)                                                                                                  \
    X(check)                                                                                                 \
    X(points)                                                                                                \
    X(run)                                                                                                   \
    X(status)                                                                                                \
    X(merge)                                                                                                 \
    X(kernels)                                                                                               \
    X(counters)

enum exit_code {
    EXIT_FINE = 0,        /* success */
    EXIT_POINTS = 1,      /* finished, but points failed, are missing, or miss a limit */
    EXIT_USAGE = 2,       /* invalid command line, job file or input file */
    EXIT_ENVIRONMENT = 3, /* device, compiler, tool, disk or permissions */
};

struct command_option {
    const char *name;         /* the long name, without its dashes */
    char letter;              /* the short name, or 0 */
    const char *value;        /* name of the value in the help; NULL: a flag */
    const char *standard;     /* the default; NULL: none */
    const char *const *words; /* allowed values, NULL-terminated; NULL: any */
    const char *help;         /* one line; "with --NAME: ..." needs that option, too */
};

#define OPTION_HELP                                                                                          \
    {"help", 'h', NULL, NULL, NULL, "show this help"},                                                       \
    {                                                                                                        \
        0                                                                                                    \
    }

struct arguments;

struct command {
    const char *name;
    const char *operands; /* as the help shows them: "JOB", "[NAME]" */
    int operands_min, operands_max;
    const char *summary;                  /* one line */
    const char *details;                  /* paragraphs of the help, or NULL; ends with a newline */
    const char *examples;                 /* lines that begin with two spaces */
    const struct command_option *options; /* ends with OPTION_HELP */
    int (*run)(const struct arguments *, struct error *); /* the exit code; or -1 with the error */
};

#define X(name) extern const struct command command_##name;
COMMANDS(X)
#undef X

/* ---- A command line, checked against the command's table (options.c) ---- */

struct given_option {
    const struct command_option *option;
    const char *value; /* NULL for a flag */
};

/* argv owns the texts. */
struct arguments {
    const struct command *command;
    struct given_option *given; /* in the order of the command line */
    int given_count;
    char **operand;
    int operands;
    bool help; /* --help was given; the rest is unchecked */
    int argc;  /* the whole command line */
    char **argv;
};

/* Parse argv[2...], behind the command's name. Returns ERROR_USAGE with the nearest known name. options_free
 * afterwards, also on failure. */
int options_parse(const struct command *command, int argc, char **argv, struct arguments *arguments,
                  struct error *error);
void options_free(struct arguments *arguments);

/* Whether an option was given; its last value, else the default, which may be NULL; its k-th value, from 0,
 * or NULL when there are fewer. */
bool options_given(const struct arguments *arguments, const char *name);
const char *options_text(const struct arguments *arguments, const char *name);
const char *options_each(const struct arguments *arguments, const char *name, int k);

/* Whether a results file can be written under this name: no other error is found so late. */
int options_results_file(const char *path, struct error *error);

void options_help(const struct command *command, FILE *out);

/* ---- Options of several commands (job_options.c) ---- */

#define JOB_OPTIONS                                                                                          \
    {"kernel", 'k', "NAME", NULL, NULL, "instead of a job file: one sweep of this kernel"},                  \
        {"set", 0,    "AXIS=V,V",                                                                            \
         NULL,  NULL, "values of an axis; also KERNEL.AXIS=V, timing.KEY=V; may be repeated"},               \
    {                                                                                                        \
        "only", 0, "AXIS=V,V", NULL, NULL,                                                                   \
            "only points with one of these values; also =A..B, !=, <, <=, >, >=; may be repeated"            \
    }
#define OPTION_ACCEPT                                                                                        \
    {                                                                                                        \
        "accept", 0, "NAME", NULL, NULL,                                                                     \
            "go on although this variable, or library.NAME, module.NAME or file.NAME, differs; may be "      \
            "repeated"                                                                                       \
    }
#define OPTION_KERNELS                                                                                       \
    {                                                                                                        \
        "kernels", 0, "DIR", NULL, NULL,                                                                     \
            "folder of your own kernels: NAME.py, or NAME.so with NAME.cu or NAME.code; twice, as "          \
            "NAME=DIR: two versions, which run measures in pairs"                                            \
    }

/* The job of the first operand and of JOB_OPTIONS. ERROR_USAGE without job file and --kernel, or with both.
 * `arguments` owns the texts. */
int job_source_read(const struct arguments *arguments, struct job_source *source, struct error *error);

/* The names of OPTION_ACCEPT. */
int options_accepted(const struct arguments *arguments, struct accepted *accepted, struct error *error);

/* Load the families of the folder, or of the folders of two versions, here and in the workers that this
 * process starts. Does nothing without OPTION_KERNELS. */
int user_kernels_load(const struct arguments *arguments, struct error *error);

/* ---- Parts of commands ---- */

/* The point that a row of /results is of. False if this build lacks the kernel or a value of its axes. */
bool row_point(const struct frame *results, size_t row, struct point *point);

/* Print the fastest point of each family of the results file `path` to stderr, by the rate that most of
 * its points have; then the commands that show more. Nothing where no point has a rate. */
void best_points_print(const char *path, const struct dataset *file);

/* Say on stderr which points of a job need more GPUs of a node than the `visible` ones. ERROR_USAGE if all of
 * them do. */
int gpus_check(const struct grid *grid, int visible, struct error *error);

/* ---- Readers (readers.c) ---- */

/* Commands that read results files are written in Python (python/src/warpsweep) and started from here, as git
 * starts git-NAME: same names, options, messages and exit codes as commands of this program. */
struct reader {
    const char *name, *summary;
};
extern const struct reader readers[]; /* in the order of the help; ends with {0} */

/* Have the first of process_python that can run `warpsweep argv[0] argv[1] ...` of the shipped package. It
 * finds this program in WARPSWEEP_PROGRAM. Returns the
 * exit code; -1 with an error if Python or the package is missing, or Python ends without one: EXIT_POINTS is
 * what the command said, never an accident. `argv` ends with NULL. */
int reader_run(char **argv, struct error *error);
