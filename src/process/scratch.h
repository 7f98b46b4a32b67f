/* scratch.h - temporary folders. What a killed process left is removed by the next one that makes such a folder. */
#pragma once

#include "base/error.h"

#define SCRATCH_LOCK                                                                                         \
    ".warpsweep-lock" /* a file in it, locked by the owner; on file systems without locks nobody clears it */

struct scratch {
    char *path; /* owned */
    int lock;   /* descriptor; -1: unlocked */
};

/* Create PREFIX and six characters, with mode 0700, after removing such folders of this user whose owners have ended. */
int scratch_make(const char *prefix, struct scratch *scratch, struct error *error);

/* Remove the folder, if not kept, and release the memory. */
void scratch_free(struct scratch *scratch);
