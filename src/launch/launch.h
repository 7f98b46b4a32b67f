/* launch.h - run a job under MPI. Only mailbox_mpi.c, run.c, world.c and environment.c call MPI. */
#pragma once

#include "coordinator/state/run_options.h"

/* MPI_Init, run the job, MPI_Finalize. Returns the exit code: 0 all points are ok or unsupported, 1 some failed or the
 * run was stopped early, 2 the job is invalid, 3 the environment cannot run it. Messages go to stderr of rank 0. */
int launch_run(const struct launch_options *options);
