/* call.h - launches that a function queues: the family's own, or one that is built in. */
#pragma once

#include "worker/cuda/device/point.h"

/* Open the call of a point that is placed, and allocate its workspace; a kernel has nothing to open. The point fails with
 * the function's reason, or if memory is short. The point must not be copied afterwards. */
void cuda_call_open(struct cuda_point *p);

/* The first launches, on set 0, and whether a launch can be captured, which is not tried for one of a row. Sets `launched`;
 * `graph` with its `kernels` and the like if it can. Otherwise the result gets a remark that says why, and how much device memory
 * the launches took. `result` may be NULL. */
void cuda_call_probe(struct cuda_point *p, struct result *result);

/* Queue a launch on a set of buffers; `part`: of setup.parts. The point fails with the function's reason. */
void cuda_call_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set, int part);

/* The launches between these two follow one another on each device, without waiting for the other devices (setup.in_a_row). A
 * failure in between ends the point. */
void cuda_call_begin_row(void *point, cudaStream_t stream);
void cuda_call_end_row(void *point, cudaStream_t stream);

/* Close the call and free its workspace, if it was opened. Never fails. */
void cuda_call_close(struct cuda_point *p);
