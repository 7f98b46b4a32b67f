/* process.h - child processes. Only this file starts programs.
 *
 * A child inherits no other descriptors, and has default signal handlers and no blocked signals.
 * warpsweep-worker and the interpreter of families in Python end with the thread that started them: both ask
 * for SIGKILL (prctl). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"

/* A child with pipes reads requests from PROCESS_IN and writes answers to PROCESS_OUT. */
#define PROCESS_IN  3
#define PROCESS_OUT 4

/* stdin of the child is /dev/null; its stdout goes where its stderr goes, because drivers and compilers print
 * messages to both. */
struct process_options {
    const char *path;        /* without a slash: searched in PATH */
    const char *const *argv; /* NULL-terminated */
    const char *setting;     /* NAME=VALUE to set in its environment; NULL: none */
    bool pipes;              /* PROCESS_IN and PROCESS_OUT */
    bool errors;             /* stderr goes to a pipe; else to ours */
};

struct process {
    pid_t pid;            /* 0: none */
    int to, from, errors; /* our ends of pipes, -1: none; `from` and `errors` do not block */
};

/* No process. All functions below accept it. */
struct process process_none(void);

/* Replace this process by the program argv[0], searched in PATH, which inherits descriptors and ignored
 * signals. Returns -1, if that fails. */
int process_become(const char *const *argv, struct error *error);

/* PYTHONPATH=... for a Python that we start: `first` (may be NULL), and what ours names but its empty parts.
 * Python takes those for the working folder, whose modules would go before its own. The caller frees. */
char *process_python_path(const char *first);

/* The Pythons to try, for commands that read files and for families in Python: number 0 is what
 * WARPSWEEP_PYTHON names, or python3 of the PATH. Number 1, if the user names none, is the system's: it has
 * the distribution's packages, and the first may be that of a module, pyenv or conda. NULL: no more. */
const char *process_python(int number);

/* Run the program argv[0], searched in PATH, to its end in the place of this process: it inherits descriptors
 * and ignored signals, gets the signals that others send to us, and is killed with us. `*status` is that of
 * waitpid. ERROR_ENVIRONMENT if it cannot be executed. */
int process_stand_in(const char *const *argv, int *status, struct error *error);

/* End by the signal that has ended a child, if somebody sent it on purpose: a terminal, a supervisor, a
 * closed pipe. */
void process_end_alike(int status);

/* ERROR_ENVIRONMENT if it cannot be executed. */
int process_start(struct process *process, const struct process_options *options, struct error *error);

/* The same of warpsweep-worker, which lies beside this executable; with pipes. `device`: the UUID of the only
 * CUDA device that it sees; "": it sees those that we see. `role`: "--spare" opens its device when it is told
 * to, "--compiles" opens none and only compiles; NULL: it opens it now. */
int process_start_worker(struct process *process, const char *backend, int local_rank, const char *device,
                         const char *role, struct error *error);

/* The status of waitpid in words: "killed by signal 11 (Segmentation fault)" or "exited with status 7". */
void process_describe_end(int status, char *how, size_t size);

/* Whether it has ended. If so, it is reaped, its pipes are closed, and `how` is its end in words. */
bool process_ended(struct process *process, char *how, size_t size);

/* The same, after waiting up to `seconds`. */
bool process_wait(struct process *process, double seconds, char *how, size_t size);

/* Close its input: no further request will come. */
void process_close_input(struct process *process);

/* Processor time of all its threads in seconds; 0 if unknown. */
double process_busy(const struct process *process);

/* Send SIGKILL and close the pipes. Does not wait: a process that is stuck in a driver dies only when the
 * driver returns. Returns its pid for process_is_reaped, 0: none. Safe to repeat. */
pid_t process_kill_off(struct process *process);

/* Whether that process has died. Reaps it. */
bool process_is_reaped(pid_t pid);

/* process_kill_off, then wait for its end (at most 10 s). */
void process_kill(struct process *process);

/* Run a program to its end. ERROR_ENVIRONMENT unless it exits with status 0 within `seconds`. Adds what it
 * printed to `printed`, at most 64 KiB. */
int process_run(const struct process_options *options, double seconds, struct text *printed,
                struct error *error);
