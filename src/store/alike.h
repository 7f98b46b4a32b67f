/* alike.h - whether two results files were measured alike, so that their points may stand in one file. */
#ifndef STORE_ALIKE_H
#define STORE_ALIKE_H

#include "store/store.h"

/* 0 when both are of one job (to the byte), seed, back end and set of counters, as their latest runs have them, by the
 * same rules and code of kernels (or, where a file does not tell these, the same build of warpsweep), and were measured
 * on the same products (name, multiprocessors, memory within 1 %); else -1 with every difference in the message
 * (ERROR_USAGE), `other` against `first`. A file that has met no device yet agrees with any. */
int alike_check(const char *first_path, const struct dataset *first, const char *other_path,
                const struct dataset *other, struct error *error);

#endif
