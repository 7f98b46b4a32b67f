/* hiding.h - what base/privacy.h hides, in a dataset. */
#pragma once

#include "base/privacy.h"
#include "store/dataset/dataset.h"

/* The pair of an anonymous file, whose value is "yes". */
#define ENVIRONMENT_ANONYMOUS "anonymous"

/* A value of /environment; NULL: an anonymous file does not have that name. The caller frees. */
char *hiding_pair(const struct privacy *privacy, const char *name, const char *value);

/* The same of all, in place; returns how many are left. */
int hiding_pairs(const struct privacy *privacy, struct store_pair *pair, int count);

/* The path of the job: of anonymous files only what says how the job was made. The caller frees. */
char *hiding_job_path(const struct privacy *privacy, const char *path);

/* Messages of a row of /results; all texts of /sources. */
void hiding_row(const struct privacy *privacy, struct dataset *dataset, size_t row);
void hiding_sources(const struct privacy *privacy, struct frame *sources);

/* Whether the file is anonymous. */
bool hiding_is_done(const struct dataset *dataset);

/* What an anonymous file calls the host of a device; NULL: it does not have it. */
const char *hiding_host(const struct privacy *privacy, const struct dataset *file, struct device device);

/* Call hosts of a file as an anonymous one does, before hiding_learn: they have devices in common. */
void hiding_match(struct privacy *privacy, const struct dataset *dataset, const struct dataset *anonymous);

/* Learn the hosts and folders of a file, before privacy_number_hosts. Hosts of an anonymous file keep their
 * names. */
void hiding_learn(struct privacy *privacy, const struct dataset *dataset);

/* Make a file anonymous. */
void hiding_dataset(const struct privacy *privacy, struct dataset *dataset);
