/* materialise.h - generates inputs (family/fill.h) in host memory, with several threads. */
#pragma once

#include "family/family.h"

/* Fill `out`, as large as the buffer. `seed`: that of the buffer. */
void materialise_buffer(const struct buffer *buffer, uint64_t seed, int threads, void *out);

/* Fill inputs->data of every input, for references that read elements many times. */
void materialise_inputs(struct inputs *inputs);

/* Free inputs->data. */
void materialise_release(struct inputs *inputs);
