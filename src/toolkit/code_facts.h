/* code_facts.h - inputs of the time model that are read from compiled code, without running it: blocks per SM and executed
 * instructions. */
#pragma once

#include "base/error.h"
#include "family/occupancy.h"
#include "family/time/time_model.h"

/* Source of these inputs. */
enum code_use {
    CODE_NONE,         /* threads and shared memory only */
    CODE_INSTRUCTIONS, /* registers, static shared memory and machine code of the compiled kernel; needs nvdisasm */
    CODE_COUNTED, /* hardware counters of measured points */
};
extern const char *const code_use_words[]; /* "none", "instructions", "counted", NULL */

/* The compiled kernels of many points. NULL stands for CODE_NONE. */
struct code_facts;

/* For a device of that compute capability. code_facts_free releases it. */
struct code_facts *code_facts_new(int capability);
void code_facts_free(struct code_facts *facts);

/* Add the kernel of a point that the device supports. */
void code_facts_want(struct code_facts *facts, const struct point *point);

/* Compile and disassemble each kernel once, with the cache that runs use. ERROR_ENVIRONMENT without compiler or nvdisasm, or
 * if a kernel does not compile; the compiler's messages go to stderr. */
int code_facts_fetch(struct code_facts *facts, struct error *error);

/* Set .resident and .instructions of `out`, NaN where unknown. Returns the resources of the point's kernel: all zero if the
 * point runs a vendor's code, or PTX that the driver compiles. Thread-safe. */
struct code_needs code_facts_fill(const struct code_facts *facts, const struct point *point,
                                  const struct setup *setup, const struct prediction *accesses,
                                  const struct profile *profile, struct time_facts *out);
