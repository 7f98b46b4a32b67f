/* dry_run.h - what a run would do: points, order, ranks, time, memory; nothing is started, nothing written. */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "launch/launch.h"

/* Prints it on stdout. The exit code, or -1 with the error. */
int dry_run(const struct launch_options *launch, int ranks, struct error *error);

#endif
