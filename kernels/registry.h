/* registry.h - the table of all kernel families: the built-in ones, and those that users load. */
#pragma once

#include "protocol/greeting.h"
#include "family/family.h"
#include "family/versions.h"

extern const struct family *families[FAMILIES_MAX + 1]; /* NULL-terminated; the documentation's order */

/* Find a family by name; NULL if there is none. */
const struct family *family_find(const char *kernel);

/* Find its name and axes; NULL if there is none. A space_finder. */
const struct space *family_space(const char *kernel);

/* Add the families of what the environment variable PLUGIN_VARIABLE names: a folder, or two versions as
 * "NAME=FOLDER\nNAME=FOLDER" (family/code/plugin.h). Nothing when it is not set. 0, or -1 with an error. */
int registry_load_environment(struct error *error);

/* Hash of the code of a family, of each version: source or loaded bytes, and all device headers. Without
 * versions both are equal. */
void registry_code(const struct family *family, uint64_t code[VERSIONS]);

/* Hash of what says which inputs and outputs points have, and computes the reference: the family's C files,
 * its shared object, or what these functions of NAME.py use. It decides what is verified, not what is timed.
 */
void registry_references(const struct family *family, uint64_t hash[VERSIONS]);

/* The build of this process, which must be the same for rank and worker. Its layout covers core's tables, the
 * axes of all families, and the built-in device code; `family` has what users' families were loaded from. */
struct build registry_build(void);
