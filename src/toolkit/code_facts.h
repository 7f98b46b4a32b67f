/* code_facts.h - what the time model takes from compiled code before anything has run: how many blocks a multiprocessor holds,
 * and how many instructions warps execute. */
#ifndef TOOLKIT_CODE_FACTS_H
#define TOOLKIT_CODE_FACTS_H

#include "base/error.h"
#include "family/occupancy.h"
#include "family/time/time_model.h"

/* How much of it a prediction goes by. */
enum code_use {
    CODE_NONE,         /* nothing: threads and shared memory alone */
    CODE_REGISTERS,    /* the kernel's registers and static shared memory */
    CODE_INSTRUCTIONS, /* and its machine code, which needs nvdisasm */
    CODE_COUNTED,      /* of points that were measured: what ran, and the hardware's count of instructions */
};
extern const char *const code_use_words[]; /* "none", "registers", "instructions", "counted", NULL */

/* Of the kernels of many points. NULL stands for CODE_NONE. */
struct code_facts;

/* For a device of that compute capability. code_facts_free afterwards. */
struct code_facts *code_facts_new(int capability, bool instructions);
void code_facts_free(struct code_facts *facts);

/* Ask for a point that can exist on such a device. */
void code_facts_want(struct code_facts *facts, const struct point *point);

/* Compile what was asked for, each kernel once, by the cache that runs use. ERROR_ENVIRONMENT where there is no compiler or no
 * nvdisasm, or where a kernel does not compile: what the compiler says of it is on stderr. */
int code_facts_fetch(struct code_facts *facts, struct error *error);

/* Put what the code tells into `out`: .resident and .instructions, NaN where it tells nothing. Returns what the point's kernel
 * needs; all zero where no code of the family's runs, or its machine code is the driver's to make (PTX). Any thread may. */
struct code_needs code_facts_fill(const struct code_facts *facts, const struct point *point,
                                  const struct setup *setup, const struct prediction *accesses,
                                  const struct profile *profile, struct time_facts *out);

#endif
