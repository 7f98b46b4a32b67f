/* dry_run.h - print what a run would do: points, ranks, time, memory. Starts and writes nothing. */
#pragma once

#include "launch/launch.h"

/* Returns the exit code, or -1 with the error. */
int dry_run(const struct launch_options *launch, int ranks, struct error *error);
