/* values.h - the values that options and operands take, as candidates of a completion. */
#ifndef CLI_PROGRAM_VALUES_H
#define CLI_PROGRAM_VALUES_H

#include "cli/options/options.h"

/* The command line so far. */
struct line {
    const struct command *command;
    int words;
    char **word; /* after the command's name; the last is being completed */
};

/* A candidate, if it goes on from `typed`: printed with `before` in front of it. */
void values_offer(const char *before, const char *typed, const char *candidate, const char *after,
                  const char *about);

/* The values of an option. `before` stands in front of `typed` in the word: "--format=", or nothing. */
void values_of_option(const struct line *line, const struct command_option *option, const char *before,
                      const char *typed);

/* What may stand as operand number `index`, from 0. */
void values_of_operand(const struct line *line, int index, const char *typed);

/* Whether the table of values knows what an option's value is: for the test of the tables. */
bool values_know(const struct command_option *option);

#endif
