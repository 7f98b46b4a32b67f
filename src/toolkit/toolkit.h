/* toolkit.h - a worker process for queries to the CUDA Toolkit without a GPU: compiling, machine code,
 * counters of chips. This executable has no CUDA.
 *
 * Functions that return int return -1 with ERROR_ENVIRONMENT, "cannot PURPOSE: ...", if this build has no
 * CUDA, or a tool fails. Architectures of points are real ones: never native. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/point.h"
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

/* Start a worker and wait for its greeting. toolkit_stop afterwards, also on failure. */
int toolkit_start(struct toolkit *toolkit, const char *purpose, struct error *error);
void toolkit_stop(struct toolkit *toolkit);

/* Compile one kernel per point. Compiler messages go to stderr. Returns the number of failures. */
int compile_all(const struct point *points, size_t count, struct error *error);

/* Print a paragraph per point: registers, instructions, the main loop, and memory accesses by width. Needs
 * nvdisasm. */
int machine_code_print(const struct point *points, size_t count, struct error *error);

/* ---- Chips ---- */

/* Set has[i] if CUPTI says that the chip has that counter column, and the passes for all of them. */
int toolkit_ask_chip(struct toolkit *toolkit, const char *chip, const char *const *columns, int count,
                     bool *has, uint32_t *passes, struct error *error);

/* Print one line: "GB100: all 17 columns of memory, in 4 passes", or the missing columns. `what`: their set.
 * Where CUPTI fails, the list of this release answers, without passes; a note says why. Returns how many of
 * the missing ones are CUPTI's own names, which no other metric replaces. */
int chip_print(struct toolkit *toolkit, const char *chip, const char *what, const char *const *columns,
               int count, struct error *error);

/* ---- Within this module ---- */

/* Send toolkit->request; wait for the answer, which must have type `wanted`, and is valid until the next. */
int toolkit_send(struct toolkit *toolkit, enum wire_type type, struct error *error);
int toolkit_receive(struct toolkit *toolkit, enum wire_type wanted, struct wire_reader *message,
                    struct error *error);

/* The error "cannot PURPOSE: ...", and -1. */
#define toolkit_fail(toolkit, error, ...)                                                                    \
    (error_set(error, ERROR_ENVIRONMENT, __VA_ARGS__), error_prefix(error, "cannot %s", (toolkit)->purpose))
#define TOOLKIT_MALFORMED "the worker's answer is malformed" /* parts of it are missing or wrong */

/* Start a worker that compiles, on all processors and with the cache folder. toolkit_stop afterwards, also on
 * failure. */
int compiler_start(struct toolkit *compiler, const char *purpose, struct error *error);
