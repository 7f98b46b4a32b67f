/* health_facts.h - what the driver says of a device, against what it said of good ones. */
#pragma once

#include "analysis/health.h"

/* The facts of one device; each reference removes those that it shares. */
struct health_facts; /* opaque */
struct health_facts *health_facts_new(const struct dataset *file, size_t device);
void health_facts_compare(struct health_facts *facts, const struct dataset *reference, size_t device);

/* Write those that no reference shares and at least one knows, and release everything. What the references that know it do not have is
 * not judged. */
void health_facts_end(struct health_facts *facts, struct health *health);
