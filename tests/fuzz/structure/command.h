/* command.h - a command of warpsweep in a process of its own, without starting a program: some hundred a second. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { COMMAND_WORDS_MAX = 24, COMMAND_CPU_SECONDS = 10, COMMAND_WALL_SECONDS = 40 };

struct outcome {
    int code;       /* exit code; -1: it did not exit by itself */
    char how[64];   /* why not, or what a sanitizer found; else empty */
    char *errors;   /* owned: what it wrote to stderr, up to 64 KiB */
    char *output;   /* owned: the same of stdout */
    double seconds; /* of wall time */
};

/* Run the words of `line` in `folder`. `leaks`: look for lost memory, too. */
struct outcome run_forked(const char *line, const char *folder, bool leaks);

/* The same for several lines, one after the other in one process: most of a command's time is that of the process. After one
 * that ends the process the next starts another. Lost memory is found at the end, and the last outcome's. */
void run_forked_all(const char *const *line, size_t count, const char *folder, bool leaks,
                    struct outcome *outcome);
void outcome_free(struct outcome *outcome);

extern size_t forked_runs; /* so far */
