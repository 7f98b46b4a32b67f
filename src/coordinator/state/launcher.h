/* launcher.h - the launcher command of this run, to print the command that resumes it. */
#ifndef COORDINATOR_STATE_LAUNCHER_H
#define COORDINATOR_STATE_LAUNCHER_H

/* The words before our own command, quoted for a shell and with a space at the end: "mpirun -n 4 ", "srun --mpi=pmix -n 8 ";
 * "" without a launcher. The actual words of an mpirun on this node, else words that start as many ranks. The caller frees
 * it. */
char *launcher_command(int ranks, int argc, char **argv);

#endif
