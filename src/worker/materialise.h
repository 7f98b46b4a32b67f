/* materialise.h - inputs in host memory, as fill.h has them, made by several threads. */
#ifndef WORKER_MATERIALISE_H
#define WORKER_MATERIALISE_H

#include "family/family.h"

/* Fill `out`, which has room for the whole buffer. `seed` is the buffer's own. */
void materialise_buffer(const struct buffer *buffer, uint64_t seed, int threads, void *out);

/* Make inputs->data of every input, for a reference that reads each element often. */
void materialise_inputs(struct inputs *inputs);

/* Free what that made. */
void materialise_release(struct inputs *inputs);

#endif
