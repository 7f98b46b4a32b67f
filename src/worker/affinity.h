/* affinity.h - bind the process to a list of CPUs. */
#ifndef WORKER_AFFINITY_H
#define WORKER_AFFINITY_H

#include "base/error.h"

/* Bind the calling thread, and so every thread it makes later, to the CPUs of `list` ("0-7,16"); an empty
 * list leaves the affinity alone. -1 when the list is malformed or the system refuses. */
int affinity_bind(const char *list, struct error *error);

#endif
