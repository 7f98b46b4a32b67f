/* watch.h - progress of a run, refreshed from its file and journal. Works on other nodes and without MPI. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "base/error.h"

/* Refresh every `every` seconds, or less often if reading takes long, until the run ends. A terminal shows one bar per device;
 * other outputs get a line per change. 0, or -1 with the error. */
int watch_run(const char *path, double every, struct error *error);

#endif
