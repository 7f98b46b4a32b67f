/* verify.h - check a results file against its checksums. */
#pragma once

#include "base/error.h"

/* Prints types, indices, lengths and checksums of all tables, and the state of the journal. The exit code, or -1 with the error. */
int verify_file(const char *path, struct error *error);
