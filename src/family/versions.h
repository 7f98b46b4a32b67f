/* versions.h - two versions of a kernel family, which a paired run holds against each other.
 *
 * A family that both folders of --kernels NAME=DIR have becomes one family with one more axis, `version`,
 * whose words are the two names. Everything that knows axes knows the versions: ids, results files, tables,
 * filters. family_of gives the descriptor of the point's version. The inputs of both versions are the same
 * (family_data_key); their code is not (family_code_key).
 *
 * The first version is the referee of the second: reference, tolerance, work and memory level of both are the
 * first's. The second brings code alone. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "family/family.h"

#define VERSIONS          2
#define VERSIONS_AXIS     "version"
#define VERSIONS_NAME_MAX 32 /* characters of a name */

/* Join two versions of a family, for the life of the process. `names`: the words of the axis. NULL, with an
 * ERROR_USAGE that names what differs, unless both have the same axes and data axes. Call it before threads
 * start. */
const struct family *versions_join(const struct family *const of[VERSIONS], const char *const names[VERSIONS],
                                   struct error *error);

/* Whether any family has versions: is this a paired run? */
bool versions_are_loaded(void);

/* The index of the axis of versions, or -1. */
int versions_axis(const struct space *space);

/* The descriptor of version `version`, or `family` itself if it has no versions. */
const struct family *versions_pick(const struct family *family, int64_t version);

/* Whether a point is of the second version. */
bool versions_is_second(const struct point *point);

/* The descriptor of the point's version as its folder has it: its own reference is what the host back end
 * runs in the place of its kernel. */
const struct family *versions_code(const struct point *point);

/* Why a point of the second version is refused: it brings more than code. NULL: it does not, or the point is
 * of no second version. `reason` (`size` bytes) holds the text. */
const char *versions_refuse(const struct point *point, const struct target *target, char *reason,
                            size_t size);

/* Whether two setups have the same buffers with the same contents, so that they can share memory. */
bool versions_share_buffers(const struct setup *a, const struct setup *b);
