/* rank.h - what mpirun and srun tell a process of its place, before MPI starts or without it. */
#ifndef CLI_RANK_H
#define CLI_RANK_H

#include <stdbool.h>

/* Every rank reads the same command line; one of them speaking is enough. True when there is but one. */
bool rank_is_first(void);

/* How many ranks the launcher starts; 1 when there is none. */
int rank_count(void);

#endif
