/* rank.h - the rank of this process according to the environment of mpirun or srun, before MPI is initialised. */
#pragma once

#include <stdbool.h>

/* Whether this is rank 0, which prints the errors that all ranks find in the same command line. True without a launcher. */
bool rank_is_first(void);

/* How many ranks the launcher starts; 1 without a launcher. */
int rank_count(void);

/* The number of this process among the ranks of its node, from 0; -1 if unknown. It may be wrong: under a launcher that is
 * unknown here the variables may be those of the batch script. Only MPI knows for certain. */
int rank_on_node(void);

/* Whether no launcher has started this process. */
bool rank_is_alone(void);
