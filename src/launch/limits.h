/* limits.h - time limits for the start and the end of MPI, which wait for every rank without one.
 *
 * A rank that is stopped or stuck before MPI_Init returns would keep all others there for ever, and one that is stopped
 * behind MPI_Finalize would keep mpirun. Both limits hold without MPI's help. */
#pragma once

/* The longest start that is not taken for a hang, in seconds: 120 and 0.05 for each of `ranks`, so 170 for 1,000 ranks and
 * 620 for 10,000. WARPSWEEP_START_TIMEOUT (whole seconds) replaces it. A `time_limit` (seconds; 0: none) that is shorter
 * than either counts instead. */
unsigned limits_start_seconds(int ranks, double time_limit);

/* From here to limits_start_end: end the process with exit code 3 after `seconds`, with a line. Other ranks than 0 wait 2 s longer, so
 * that one line is printed. */
void limits_start_begin(unsigned seconds, int rank);
void limits_start_end(void);

/* Call once, before MPI_Finalize: end the process with `code` if it is still there after `seconds`, with a line. */
void limits_end_begin(unsigned seconds, int code);
