/* options.h - one table per sub-command feeds the parser, the defaults and --help; options that several
 * commands have. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "plan/compose.h"

struct command_option {
    const char *name;         /* the long name, without its dashes */
    char letter;              /* the short name, or 0 */
    const char *value;        /* name of the value in the help; NULL: a flag */
    const char *standard;     /* the default; NULL: none */
    const char *const *words; /* allowed values, NULL-terminated; NULL: any */
    const char *help;         /* one line; "with --NAME: ..." needs that option, too */
};

struct arguments;

struct command {
    const char *name;
    const char *operands; /* as the help shows them: "JOB", "[NAME]" */
    int operands_min, operands_max;
    const char *summary;                  /* one line */
    const char *details;                  /* paragraphs of the help, or NULL; ends with a newline */
    const char *examples;                 /* lines that begin with two spaces */
    const struct command_option *options; /* ends with {0} */
    int (*run)(const struct arguments *, struct error *); /* the exit code; or -1 with the error */
};

struct given_option {
    const struct command_option *option;
    const char *value; /* NULL for a flag */
};

/* A command line, checked against the command's table. options_free releases it; argv owns the texts. */
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

/* Parse argv[2...], behind the command's name. Returns ERROR_USAGE with the nearest known name. */
int options_parse(const struct command *command, int argc, char **argv, struct arguments *arguments,
                  struct error *error);
void options_free(struct arguments *arguments);

/* The last value given, else the default, which may be NULL. */
const char *options_text(const struct arguments *arguments, const char *name);

/* The k-th value given, from 0, or NULL when there are fewer. */
const char *options_each(const struct arguments *arguments, const char *name, int k);

/* The option of a word: -n, --name, --name=value; NULL: the command has none such. */
const struct command_option *options_find(const struct command *command, const char *word);

/* Whether an option was given at all. */
bool options_given(const struct arguments *arguments, const char *name);

void options_help(const struct command *command, FILE *out);

/* ---- Jobs: a file, or a job built from a kernel ---- */

#define JOB_OPTIONS                                                                                          \
    {"kernel", 'k', "NAME", NULL, NULL, "instead of a job file: one sweep of this kernel"},                  \
        {"set", 0,    "AXIS=V,V",                                                                            \
         NULL,  NULL, "values of an axis; also KERNEL.AXIS=V, timing.KEY=V; may be repeated"},               \
    {                                                                                                        \
        "only", 0, "AXIS=V,V", NULL, NULL,                                                                   \
            "only points with one of these values; also =A..B, !=, <, <=, >, >=; may be repeated"            \
    }

/* The job of the first operand and the options. ERROR_USAGE without job file and --kernel, or with both.
 * `arguments` owns the texts. */
int job_source_read(const struct arguments *arguments, struct job_source *source, struct error *error);

/* ---- A user's own kernels ---- */

/* The option's row in a command's table. */
#define OPTION_KERNELS                                                                                       \
    {                                                                                                        \
        "kernels", 0, "DIR", NULL, NULL,                                                                     \
            "folder of your own kernels: NAME.py, or NAME.so with NAME.cu or NAME.code; twice, as "          \
            "NAME=DIR: two versions, which run measures in pairs"                                            \
    }

/* Load the families of the folder, or of the folders of two versions, here and in the workers that this
 * process starts. Does nothing without the option. */
int user_kernels_load(const struct arguments *arguments, struct error *error);
