/* hdf5_error.h - HDF5's errors in our words, and none of its own printing. */
#ifndef STORE_HDF5_ERROR_H
#define STORE_HDF5_ERROR_H

#include "base/error.h"

/* The cause of the first call of HDF5 that failed: the innermost entry of its error stack. */
struct hdf5_cause {
    char text[256];
};

/* From now on keep the cause of this thread's first failure in `cause`, and print nothing; and stop keeping
 * it, still printing nothing, before `cause` goes out of scope. (Cleaning up calls HDF5 too, which makes it
 * forget.) */
void hdf5_listen(struct hdf5_cause *cause);
void hdf5_unlisten(void);

/* HDF5 is one for all threads. Where several use it, each holds it, and its failures go to that one's `cause`. */
void hdf5_hold(struct hdf5_cause *cause);
void hdf5_release(void);

/* "path: what (HDF5: cause)". Returns -1. */
int hdf5_fail(struct error *error, const struct hdf5_cause *cause, const char *path, const char *what);

#endif
