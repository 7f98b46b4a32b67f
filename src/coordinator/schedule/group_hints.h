/* group_hints.h - which rank has done points of which group. All of it hints, in memory of fixed size: what was forgotten
 * costs a rank that it learns again what another knows. Pure. */
#ifndef COORDINATOR_SCHEDULE_GROUP_HINTS_H
#define COORDINATOR_SCHEDULE_GROUP_HINTS_H

#include <stdbool.h>
#include <stdint.h>

struct group_hints; /* opaque */

struct group_hints *group_hints_new(int ranks);
void group_hints_free(struct group_hints *hints);

/* Has another rank begun with the group, and this one done nothing of it? Groups are hashes, but for 0. */
bool group_hints_is_anothers(const struct group_hints *hints, int rank, uint32_t group);

/* The rank does a point of the group. */
void group_hints_note(struct group_hints *hints, int rank, uint32_t group);

#endif
