/* options.h - one table per sub-command feeds the parser, the defaults and --help. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

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
