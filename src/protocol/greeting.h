/* greeting.h - the first thing that a worker says: which build it is of, what its back end is, and what
 * device it has. Rank and worker are two programs; the rank goes on only with a worker of its own build. */
#ifndef PROTOCOL_GREETING_H
#define PROTOCOL_GREETING_H

#include "base/error.h"
#include "core/device.h"
#include "protocol/traits.h"
#include "protocol/wire.h"

/* Which build a program is of. `layout` is a hash of the tables that messages are made of. */
struct build {
    char release[32], commit[64];
    uint64_t layout;
};

struct greeting {
    struct build build;
    struct traits traits;
    struct device device; /* no peaks yet */
};

void greeting_put(struct wire *wire, const struct greeting *greeting);

/* False when it is no greeting at all. */
bool greeting_get(struct wire_reader *reader, struct greeting *greeting);

/* 0 when both are of one build; -1 with what differs (ERROR_ENVIRONMENT). */
int greeting_check(const struct greeting *worker, const struct build *own, struct error *error);

/* The hash of what messages are made of in core: the tables of results, devices, traits, and the words that
 * travel as numbers. Callers fold in the kernels' axes. */
uint64_t greeting_core_layout(void);

/* Fold the name, axes and words of a kernel into a layout. */
uint64_t greeting_space_layout(uint64_t layout, const struct space *space);

#endif
