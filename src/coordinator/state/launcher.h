/* launcher.h - how this run was started, to tell how to go on with it. */
#ifndef COORDINATOR_STATE_LAUNCHER_H
#define COORDINATOR_STATE_LAUNCHER_H

/* The words before the program's own on the command line, as a shell takes them, with a space at their end: "mpirun -n 4 ",
 * "srun --mpi=pmix -n 8 "; "" when nothing started `ranks` ranks but a shell. mpirun's are its own when it runs on this
 * node, and else those that start as many ranks. Owned by the caller. */
char *launcher_command(int ranks, int argc, char **argv);

#endif
