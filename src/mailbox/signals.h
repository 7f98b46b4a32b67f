/* signals.h - requests to stop, from Ctrl-C or a batch system. */
#pragma once

/* Count SIGINT, SIGTERM and SIGUSR1 (which Slurm's --signal sends before the time limit). Ignore SIGPIPE and
 * SIGXFSZ: a dead worker or a full quota shows as a failed write. Call after MPI_Init, which may set handlers
 * of its own. */
void signals_take(void);

/* How many have arrived so far. */
struct signals {
    int interrupts; /* SIGINT: the second one means "stop now" */
    int terminates; /* SIGTERM: mpirun sends SIGKILL about a second later */
    int users;      /* SIGUSR1 */
};
struct signals signals_seen(void);
