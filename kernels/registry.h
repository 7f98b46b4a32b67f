/* registry.h - the table of all kernel families: those in the folders beside this file, and those that users
 * load. */
#ifndef KERNELS_REGISTRY_H
#define KERNELS_REGISTRY_H

#include "protocol/greeting.h"
#include "family/family.h"

extern const struct family *families[FAMILIES_MAX + 1]; /* NULL-terminated; the documentation's order */

/* The family of that name, or NULL. */
const struct family *family_find(const char *kernel);

/* Its name and axes, or NULL: a space_finder. */
const struct space *family_space(const char *kernel);

/* Add every family in the folder that --kernels names (family/code/plugin.h): 0, or -1 with the reason. */
int registry_load_folder(const char *folder, struct error *error);

/* The build that this process is of: rank and worker have to agree on it. Its layout covers core's tables and
 * every family's axes, those of users too. */
struct build registry_build(void);

#endif
