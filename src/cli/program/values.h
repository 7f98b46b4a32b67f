/* values.h - candidates for the completion of option values and operands. */
#pragma once

#include "cli/options/options.h"

/* The command line so far. */
struct line {
    const struct command *command;
    int words;
    char **word; /* after the command's name; the last is being completed */
};

/* Print a candidate that begins with `typed`, with `before` in front of it. */
void values_offer(const char *before, const char *typed, const char *candidate, const char *after,
                  const char *about);

/* Candidates for the value of an option. `before`: the part of the word before `typed`, "--format=" or "". */
void values_of_option(const struct line *line, const struct command_option *option, const char *before,
                      const char *typed);

/* Candidates for operand number `index`, from 0. */
void values_of_operand(const struct line *line, int index, const char *typed);
