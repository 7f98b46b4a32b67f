/* launch.h - run a job under MPI. Only mailbox_mpi.c, environment.c, launch.c, mpi_start.c and world.c
 * call MPI. */
#pragma once

#include <stdbool.h>

#include "coordinator/state/run_options.h"
#include "mailbox/mailbox.h"
#include "store/dataset/dataset.h"

/* MPI_Init, run the job, MPI_Finalize. Returns the exit code: 0 all points are ok or unsupported, 1 some
 * failed or the run was stopped early, 2 the job is invalid, 3 the environment cannot run it. Messages go to
 * stderr of rank 0, whose `results` ({0}) get what the file contains, if it was written. */
int launch_run(struct launch_options *options, struct dataset *results);

/* ---- The rank of this process according to the environment of mpirun or srun, before MPI is initialised */

/* Whether this is rank 0, which prints the errors that all ranks find in the same command line. True without
 * a launcher. */
bool rank_is_first(void);

/* How many ranks the launcher starts; 1 without a launcher. */
int rank_count(void);

/* The number of this process among the ranks of its node, from 0; -1 if unknown. It may be wrong: under a
 * launcher that is unknown here the variables may be those of the batch script. Only MPI knows for
 * certain. */
int rank_on_node(void);

/* A number from 0 in the environment, as mpirun and srun set them. */
int rank_variable(const char *name, int missing);

/* Whether no launcher has started this process. */
bool rank_is_alone(void);

/* ---- Initialise MPI, and detect tasks of srun that MPI cannot connect ----
 *
 * srun and MPI must use the same interface (PMI) to connect ranks. If they do not, Open MPI 5 makes each task
 * a separate world: all of them would measure everything and write one file. Open MPI 4 ends the process. */

/* Call before world_enter. Returns -1 if MPI cannot connect the tasks of srun, after one line on stderr with
 * the command to use instead; the caller ends with exit code 3. Else 0. */
int world_check(void);

/* MPI_Init, and what world_check can find only afterwards. If MPI_Init ends the process, it ends with exit
 * code 3 and one line, which replaces MPI's text unless `verbose`. */
int world_enter(bool verbose);

/* MPI_Init. If it ends the process, `explain` gets what it has printed, "" unless `quiet`, and the exit code
 * is 3. */
void mpi_start(bool quiet, void (*explain)(const char *said));

/* The exit code of a process that ends with `code`: 3, if MPI_Init ends it. */
int mpi_start_ends(int code);

/* ---- Time limits for the start and the end of MPI, which wait for every rank without one ----
 *
 * A rank that is stopped or stuck before MPI_Init returns would keep all others there for ever, and one that
 * is stopped behind MPI_Finalize would keep mpirun. Both limits hold without MPI's help. */

/* From here to limits_lift: end the process with exit code 3, with a line, after the longest start that is
 * not taken for a hang. That is 120 s and 0.05 s for each of `ranks`, so 170 s for 1,000 ranks and 620 s for
 * 10,000. WARPSWEEP_START_TIMEOUT (whole seconds) replaces it. A `time_limit` (seconds; 0: none) that is
 * shorter than either counts instead. Other ranks than the first wait 2 s longer, so that one line is
 * printed. */
void limits_start_begin(int ranks, double time_limit, bool first);

/* From here to limits_lift, or the end of the process: end it with `code`, with a line, after `seconds` and
 * 0.05 s for each of `ranks`. */
void limits_end_begin(unsigned seconds, int ranks, int code);

void limits_lift(void);

/* ---- The presence of rank 0 ----
 *
 * The other ranks end the run when they have not heard rank 0 for long. It hears and answers nobody while it
 * reads or writes a large file, or its file system stalls. So a thread sends WIRE_ECHO to all of them
 * whenever the main thread has not called presence_turn for a heartbeat's time, and prints a note after
 * `silence` seconds of that. A process that is stopped or killed sends nothing. Needs
 * MPI_THREAD_SERIALIZED. */
void presence_begin(struct mailbox *mailbox, int ranks, double silence, const char *path);
void presence_turn(void);
void presence_end(void); /* the main thread calls MPI without the mailbox */
