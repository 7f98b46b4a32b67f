/* toolkit.h - a worker process that opens no device, for what the CUDA Toolkit knows without a GPU: this
 * executable has no CUDA. */
#ifndef TOOLKIT_TOOLKIT_H
#define TOOLKIT_TOOLKIT_H

#include <stdint.h>

#include "base/error.h"
#include "process/process.h"
#include "protocol/wire.h"

struct toolkit {
    struct process process;
    struct wire_stream stream;
    struct wire request; /* reused */
    const char *purpose; /* for messages: "compile" */
    void (*sigpipe)(int);
};

/* Start a worker and wait for its greeting. ERROR_ENVIRONMENT, as below, with "cannot PURPOSE: ..." when this
 * build has no CUDA. toolkit_stop afterwards, whether this failed or not. */
int toolkit_start(struct toolkit *toolkit, const char *purpose, struct error *error);
void toolkit_stop(struct toolkit *toolkit);

/* Send toolkit->request. */
int toolkit_send(struct toolkit *toolkit, enum wire_type type, struct error *error);

/* Wait for the next message, which has to be of that type; valid until the next call. */
int toolkit_receive(struct toolkit *toolkit, enum wire_type wanted, struct wire_reader *message,
                    struct error *error);

/* What a chip offers: which of the counter columns it has, and the passes that those need together. */
int toolkit_ask_chip(struct toolkit *toolkit, const char *chip, const char *const *columns, int count,
                     bool *has, uint32_t *passes, struct error *error);

#endif
