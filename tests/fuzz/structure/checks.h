/* checks.h - what must hold of a results file, whatever is in it, for every command. */
#pragma once

#include "dice.h"

/* The folder that all commands run in: base.h5 is a good file, job.yaml its job, file.h5 (and file.h5.journal) what is
 * tried. */
struct trial {
    const char *folder;
    struct dice *dice;
    size_t commands; /* of those that read: at most so many, chosen by the dice; 0: all */
    size_t resumes;  /* --resume in one of so many trials; 0: never */
    bool journal;    /* there is a journal: replaying it may lose rows, but not the file */
    bool verbose;
    /* Called for each violation. */
    void (*tell)(void *context, const char *command, const char *what, const char *printed);
    void *context;
};

/* Returns how many violations there were. */
int checks_of_file(const struct trial *trial);

/* One command, which must end well or be refused. Its exit code, or -1. */
int checks_of_command(const struct trial *trial, const char *line);

extern size_t checks_refused, checks_accepted; /* files, by verify */
