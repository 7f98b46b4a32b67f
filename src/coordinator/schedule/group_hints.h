/* group_hints.h - a fixed-size cache of which rank has measured points of which group. A lost entry only costs a rank the
 * computation of inputs that another rank has already. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct group_hints; /* opaque */

struct group_hints *group_hints_new(int ranks);
void group_hints_free(struct group_hints *hints);

/* Whether another rank has begun the group and this one has no recent point of it. Groups are hashes other than 0. */
bool group_hints_other_rank_has(const struct group_hints *hints, int rank, uint32_t group);

/* The rank measures a point of the group. */
void group_hints_note(struct group_hints *hints, int rank, uint32_t group);
