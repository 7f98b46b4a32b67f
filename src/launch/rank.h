/* rank.h - what mpirun and srun tell a process of its place, before MPI starts or without it. */
#ifndef LAUNCH_RANK_H
#define LAUNCH_RANK_H

#include <stdbool.h>

/* Every rank reads the same command line; one of them speaking is enough. True when there is but one. */
bool rank_is_first(void);

/* How many ranks the launcher starts; 1 when there is none. */
int rank_count(void);

/* Its number among the ranks of its node, from 0; -1 when it is not told. What is told may be another process's: a launcher
 * that is not known here leaves what a batch script had. MPI knows for certain. */
int rank_on_node(void);

/* Nothing here was started by a launcher: the process is a world of its own. */
bool rank_is_alone(void);

#endif
