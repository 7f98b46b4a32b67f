/* launch.h - a run: ranks, workers and the results file. MPI itself is in mailbox_mpi.c, run.c, world.c and
 * environment.c alone. */
#ifndef LAUNCH_LAUNCH_H
#define LAUNCH_LAUNCH_H

#include "coordinator/state/run_options.h"

/* MPI_Init, run the job, MPI_Finalize. Returns the exit code: 0 all points ok or unsupported by design, 1
 * some failed or the run was stopped before its end, 2 bad job, 3 the environment cannot run it. Prints its
 * messages on stderr of rank 0. */
int launch_run(const struct launch_options *options);

#endif
