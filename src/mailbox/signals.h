/* signals.h - requests to stop, from Ctrl-C, Slurm and friends. */
#ifndef MAILBOX_SIGNALS_H
#define MAILBOX_SIGNALS_H

/* Take SIGINT, SIGTERM and SIGUSR1 (what Slurm's --signal sends before the time limit), and ignore SIGPIPE
 * and SIGXFSZ: a worker that died, or a file that grew too large, shows as a failed write. Call after
 * MPI_Init, which may set handlers of its own. */
void signals_take(void);

/* What came so far. */
struct signals {
    int interrupts; /* SIGINT: the second one means "at once" */
    int terminates; /* SIGTERM: mpirun kills about a second after it */
    int users;      /* SIGUSR1 */
};
struct signals signals_seen(void);

#endif
