/* program.h - the program: find the command, run it, print its error; completion; the commands in Python. */
#pragma once

#include "cli/command.h"

/* Returns the exit code. */
int cli_main(int argc, char **argv);

extern const struct command *const commands[]; /* in the order of the help; ends with NULL */

/* NULL: no command has that name. */
const struct command *command_find(const char *name);

/* ---- Commands that read results files ---- */

/* They are written in Python (python/src/warpsweep) and started from here, as git starts git-NAME: same
 * names, options, messages and exit codes as commands of this program. */
struct reader {
    const char *name, *summary;
};

extern const struct reader readers[]; /* in the order of the help; ends with {0} */

/* NULL: no reader has that name. */
const struct reader *reader_find(const char *name);

/* Become Python, which runs `warpsweep argv[0] argv[1] ...` of the shipped package. It finds this program in
 * WARPSWEEP_PROGRAM. Returns -1, if Python or the package is missing. `argv` ends with NULL. */
int reader_become(char **argv, struct error *error);

/* ---- Completion ---- */

/* `warpsweep __complete WORD...`: candidates for the last word of a command line, from the tables of the
 * parser, for the scripts for bash, zsh and fish (warpsweep.* in this folder). One line per candidate: the
 * word, a tab, its description. Where there are none, shells offer files. Readers answer in Python
 * (completion.py), also with lines that begin with a slash and say which files, which the scripts leave out.
 * `word`: the words after the program's name; the last may be empty. Returns EXIT_FINE. */
int complete_print(int words, char **word);
