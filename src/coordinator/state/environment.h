/* environment.h - collect /environment of the results file. */
#pragma once

#include <stddef.h>

#include "store/store.h"

/* A growing list of pairs. Start from {0}. */
struct environment {
    struct store_pair *pair;
    int count;
    size_t capacity;
};
void environment_add(struct environment *environment, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void environment_free(struct environment *environment);

/* Add release, commit, command line, start time, kernel, MPI library, and listed environment variables. Never the whole
 * environment, which may contain secrets. */
void environment_collect(struct environment *environment, int argc, char **argv);

/* The command line, quoted for a shell. The caller frees it. */
char *environment_command(int argc, char **argv);
