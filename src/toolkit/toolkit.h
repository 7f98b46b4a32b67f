/* toolkit.h - a worker process for queries to the CUDA Toolkit without a GPU. This executable has no CUDA. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/device.h"
#include "process/process.h"
#include "protocol/wire.h"

struct toolkit {
    struct process process;
    struct wire_stream stream;
    struct wire request; /* reused */
    const char *purpose; /* for messages: "compile" */
    void (*sigpipe)(int);
    bool no_cupti; /* it failed: only the shipped list of chips answers */
};

/* Start a worker and wait for its greeting. ERROR_ENVIRONMENT with "cannot PURPOSE: ..." if this build has no CUDA.
 * toolkit_stop afterwards, also on failure. */
int toolkit_start(struct toolkit *toolkit, const char *purpose, struct error *error);
void toolkit_stop(struct toolkit *toolkit);

/* The device of local rank 0 on a back end, from a worker's greeting. ERROR_ENVIRONMENT if it cannot be opened. */
int toolkit_ask_device(const char *backend, struct device *device, struct error *error);

/* Send toolkit->request. */
int toolkit_send(struct toolkit *toolkit, enum wire_type type, struct error *error);

/* Wait for the next message, which must have that type; valid until the next call. */
int toolkit_receive(struct toolkit *toolkit, enum wire_type wanted, struct wire_reader *message,
                    struct error *error);

/* Set has[i] if the chip has that counter column, and the number of passes for all of them. */
int toolkit_ask_chip(struct toolkit *toolkit, const char *chip, const char *const *columns, int count,
                     bool *has, uint32_t *passes, struct error *error);
