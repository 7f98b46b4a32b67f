/* greeting.h - the first message of a worker: its build, the traits of its back end, and its device. Rank and
 * worker are two programs; the rank accepts only a worker of its own build. */
#pragma once

#include "base/error.h"
#include "core/device.h"
#include "protocol/traits.h"
#include "protocol/wire.h"

/* The build of a program. `layout`: a hash of what defines the messages, and of the kernels' code: it may
 * differ between builds of one commit. `loaded`: of the families that users loaded. */
struct build {
    char release[32], commit[64];
    uint64_t layout, loaded;
};

struct greeting {
    struct build build;
    struct traits traits;
    struct device device; /* without peaks */
    const void *closure;  /* what the worker has loaded (family/code/closure.h); of a message, its bytes */
    uint32_t closure_size;
};

void greeting_put(struct wire *wire, const struct greeting *greeting);

/* False if the message is not a greeting. */
bool greeting_get(struct wire_reader *reader, struct greeting *greeting);

/* 0 if both have the same build; -1 with the difference (ERROR_ENVIRONMENT). */
int greeting_check(const struct greeting *worker, const struct build *own, struct error *error);

/* Hash of the tables that define messages: results, devices, traits. */
uint64_t greeting_layout(void);
