/* world.h - initialise MPI, and detect tasks of srun that MPI cannot connect.
 *
 * srun and MPI must use the same interface (PMI) to connect ranks. If they do not, Open MPI 5 makes each task a separate
 * world: all of them would measure everything and write one file. Open MPI 4 aborts with a page of text without a
 * remedy. */
#pragma once

#include <stdbool.h>

/* Call before world_enter. Returns -1 if MPI cannot connect the tasks of srun, after one line on stderr with the command to
 * use instead; the caller ends with exit code 3. Else 0. */
int world_check(void);

/* MPI_Init, and what world_check can find only afterwards. If MPI_Init ends the process (with its own exit code), our line
 * replaces its text, unless `verbose`. */
int world_enter(bool verbose);
