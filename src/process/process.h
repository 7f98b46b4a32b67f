/* process.h - child processes: the only code here that starts a program.
 *
 * A child gets none of our other descriptors, every signal at its default and none blocked, and SIGKILL when
 * the thread that started it ends. A program that cannot be executed is an error of process_start, not a
 * child that dies. */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"

/* A child with pipes reads requests from PROCESS_IN and writes answers to PROCESS_OUT. */
#define PROCESS_IN  3
#define PROCESS_OUT 4

/* Its stdin is /dev/null, and its stdout goes where its stderr goes: what drivers, compilers and gnuplot
 * print is for people. */
struct process_options {
    const char *path;           /* without a slash: looked for in PATH */
    const char *const *argv;    /* NULL-terminated */
    const char *folder;         /* to start in; NULL: ours */
    const char *const *setting; /* NAME=VALUE to set in its environment, NULL-terminated; NULL: none */
    bool pipes;                 /* PROCESS_IN and PROCESS_OUT */
    bool errors;                /* a pipe takes its stderr; else it is ours */
};

struct process {
    pid_t pid;            /* 0: none */
    int to, from, errors; /* our ends, -1 where there is none; `from` and `errors` do not block */
};

/* No process: safe to end, kill or ask. */
struct process process_none(void);

/* ERROR_ENVIRONMENT when it cannot be executed. */
int process_start(struct process *process, const struct process_options *options, struct error *error);

/* Has it ended? If so it is reaped, the pipes are closed, and `how` says what it died of: "killed by signal
 * 11 (Segmentation fault)" or "exited with status 7". */
bool process_ended(struct process *process, char *how, size_t size);

/* The same, waiting for it up to so many seconds. */
bool process_wait(struct process *process, double seconds, char *how, size_t size);

/* Tell it, by the end of its input, that no request will come. */
void process_close_input(struct process *process);

/* Seconds of processor time that it has had, all its threads together; 0 when that cannot be told. */
double process_busy(const struct process *process);

/* Kill it, if it lives, and close the pipes. Does not wait: a process that is stuck in a driver dies only when that
 * returns. Safe to repeat. */
pid_t process_kill_off(struct process *process);

/* Has that one died? Reaps it. */
bool process_is_reaped(pid_t pid);

/* The same as process_kill_off, and wait for its end (10 s at most). */
void process_kill(struct process *process);

/* Run a program to its end. 0 when it exits with 0 within so many seconds, which else is the error
 * (ERROR_ENVIRONMENT). What it printed is added to `printed`, up to 64 KiB of it. */
int process_run(const struct process_options *options, double seconds, struct text *printed,
                struct error *error);

#endif
