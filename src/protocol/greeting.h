/* greeting.h - the first message of a worker: its build, the traits of its back end, and its device. Rank and worker are two
 * programs; the rank accepts only a worker of its own build. */
#pragma once

#include "base/error.h"
#include "core/device.h"
#include "protocol/traits.h"
#include "protocol/wire.h"

#define BUILD_FAMILIES_MAX 64

/* The build of a program, and what it has loaded. `layout`: a hash of the tables that define the messages. */
struct build {
    char release[32], commit[64];
    uint64_t layout;
    int families; /* those that users loaded: the bytes must be the same, too */
    struct loaded_family {
        char name[64];
        uint64_t bytes;
    } family[BUILD_FAMILIES_MAX];
};

struct greeting {
    struct build build;
    struct traits traits;
    struct device device; /* without peaks */
};

void greeting_put(struct wire *wire, const struct greeting *greeting);

/* False if the message is not a greeting. */
bool greeting_get(struct wire_reader *reader, struct greeting *greeting);

/* 0 if both have the same build; -1 with the difference (ERROR_ENVIRONMENT). */
int greeting_check(const struct greeting *worker, const struct build *own, struct error *error);

/* Hash of the tables in core that define messages: results, devices, traits, and words that are sent as numbers. Callers add
 * the axes of the kernels. */
uint64_t greeting_core_layout(void);

/* Add the name, axes and words of a kernel to a layout. */
uint64_t greeting_space_layout(uint64_t layout, const struct space *space);
