/* run_kernels.h - kernels are compiled into the cache in the order in which points need them, while points
 * are measured. Points whose kernels are ready come first; those that want the processors to themselves come
 * when all are; those that slow down what comes after them (point_slows) are held back. */
#pragma once

#include <stdbool.h>

#include "protocol/wire.h"

struct run;

/* Each node compiles each kernel once. */
void kernels_start(struct run *run);
void kernels_take(struct run *run, int rank, struct wire_reader *payload);

/* A rank is lost: its points compile their kernels. */
void kernels_lose(struct run *run, int rank);

/* Put points that are ready into the schedule, in the order of work. */
void kernels_queue(struct run *run);

/* Points that are held back, until run->last. */
size_t kernels_held(const struct run *run);

/* Whether those of the canaries are ready. */
bool kernels_have_canaries(const struct run *run);

void kernels_end(struct run *run);
