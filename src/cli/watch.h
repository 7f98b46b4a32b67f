/* watch.h - how a run gets on, again and again, from its file and journal alone: also on another node, without MPI. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "base/error.h"

/* Look every `every` seconds, or less often when looking takes long, until no run is going on any more: a bar a device, that
 * is redrawn on a terminal; else a line whenever something has changed. 0, or -1 with the error. */
int watch_run(const char *path, double every, struct error *error);

#endif
