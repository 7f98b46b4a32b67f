/* numa.h - host memory on a chosen NUMA node of the machine. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "family/family.h"

/* Pages on a node, zeroed, and checked to be there; release them with munmap. NULL with an error. */
void *numa_pages_new(size_t bytes, int node, struct error *error);

/* Why a buffer of the point cannot lie on its node, or NULL: there is no such node, or it is not allowed. */
const char *numa_skip(const struct setup *setup, char *reason, size_t size);
