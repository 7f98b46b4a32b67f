/* world.h - entering MPI, and whether the tasks that srun started are one world.
 *
 * srun and MPI have to agree on a way (PMI) by which ranks learn of each other. When they do not, Open MPI 5 makes
 * each task a world of its own, which would all measure everything and fight for one file, and Open MPI 4 ends with
 * a page of text that names no remedy. */
#ifndef LAUNCH_WORLD_H
#define LAUNCH_WORLD_H

#include <stdbool.h>

/* 0; or -1, after one line on stderr that says what to start instead, when this is one of several tasks of srun that MPI
 * cannot bring together: the caller ends with exit code 3. Comes before world_enter. */
int world_check(void);

/* MPI_Init. As world_check, for what shows only now. Where MPI_Init itself ends the process (with a code of its own), the
 * line takes the place of its text, unless `verbose`. */
int world_enter(bool verbose);

#endif
