/* hdf5_error.h - HDF5's errors in our words, and none of its own printing. */
#ifndef STORE_HDF5_ERROR_H
#define STORE_HDF5_ERROR_H

#include "base/error.h"

/* Stop HDF5 from printing its error stack in this thread. Call before anything else of HDF5. */
void hdf5_quiet(void);

/* "path: what (HDF5: the innermost entry of its error stack)". Returns -1. */
int hdf5_fail(struct error *error, const char *path, const char *what);

#endif
