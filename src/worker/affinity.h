/* affinity.h - bind the process to a list of CPUs. */
#pragma once

#include "base/error.h"

/* Bind the calling thread and all threads that it starts later to the CPUs of `list` ("0-7,16"). An empty list changes nothing.
 * -1 if the list is malformed or the system refuses. */
int affinity_bind(const char *list, struct error *error);
