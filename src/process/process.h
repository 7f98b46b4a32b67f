/* process.h - the worker's process, at the other end of two pipes. */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/* The child's descriptors: it reads requests from PROCESS_IN and writes answers to PROCESS_OUT. Its stdin is
 * /dev/null, and its stdout goes to stderr with everything else that drivers and compilers print. */
#define PROCESS_IN  3
#define PROCESS_OUT 4

struct process {
    pid_t pid;    /* 0: none */
    int to, from; /* our ends; `from` does not block */
};

/* Start `path` with `argv` (NULL-terminated). ERROR_ENVIRONMENT when it cannot be executed. The child gets
 * none of our other descriptors, an empty signal mask, and SIGKILL when the calling thread ends. */
int process_start(struct process *process, const char *path, const char *const argv[], struct error *error);

/* Has it ended? If so it is reaped, the pipes are closed, and `how` says what it died of: "killed by signal
 * 11 (Segmentation fault)" or "exited with status 7". */
bool process_ended(struct process *process, char *how, size_t size);

/* Kill it, if it lives, wait for it (10 s at most), and close the pipes. Safe to repeat. */
void process_kill(struct process *process);

#endif
