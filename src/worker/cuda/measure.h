/* measure.h - how a point is timed: warm it up, choose what a sample is, and what is seen besides times. */
#pragma once

#include "worker/backend.h"
#include "worker/cuda/timing/timing.h"

/* Bring the clock up and learn how long one launch takes. */
void cuda_measure_warm_up(struct timer *timer, struct cuda_point *p, struct trial *trial);

/* Choose launches a sample and sets of buffers, place those, and capture the launches, of a point (n = 1) or
 * of a pair (n = 2), whose samples have equally many launches on the same buffers. `job` owns the graph:
 * timer_release. */
void cuda_measure_arrange(struct timer *timer, const struct floors *floors, struct cuda_point *p,
                          struct trial *const *trial, struct timer_job *job, int n);

/* After sampling: who shares the device; in the first process temperature, power, what crosses links, and
 * what the kernel reports about itself. */
void cuda_measure_observe(struct cuda_point *p, const struct timer_job *job, const struct trial *trial);

/* Run a point once on fresh inputs and poisoned outputs, and compare with the reference. Fails the result
 * when an output is wrong, or a byte outside of the buffers was written. */
void cuda_verify(struct cuda_point *p, struct result *result);

/* ---- For the referee, on the first set of buffers ---- */

/* Fill the inputs anew by p->seed. With `poisoned` also poison the outputs. */
void cuda_renew(struct cuda_point *p, bool poisoned);

/* Time one launch, behind a flush of L2. */
void cuda_take_single(struct timer *timer, const struct floors *floors, struct cuda_point *p,
                      const struct trial *trial, struct sample *sample);

/* Compare some elements of the outputs. Fails the result as cuda_verify does. */
void cuda_compare(struct cuda_point *p, struct result *result);

/* ---- References of large products (worker/product.h), multiplied by the device: product.cu ---- */

struct cuda_product; /* opaque */

/* Bring the point's operands to the device. NULL if the device lacks the instructions or the memory. */
struct cuda_product *cuda_product_open(struct cuda_point *p, const struct inputs *inputs);
void cuda_product_close(struct cuda_product *product); /* NULL: nothing */

/* How many elements of C, whole rows, can be multiplied at once; at most `most`, which is more than a row
 * has. */
uint64_t cuda_product_portion(const struct cuda_product *product, uint64_t most);

/* Such a portion of C, from the start of a row on. NULL if the device has multiplied wrongly. Valid until the
 * next one. */
const double *cuda_product_multiply(struct cuda_product *product, uint64_t first, uint64_t count);

/* After a failure: free what it has left on the device. */
void cuda_product_abandon(struct cuda_session *session);

/* ---- Keeping the device busy with the launches of a point, to measure its energy ---- */

enum { LOOP_CHUNKS = 4 }; /* queued at a time */

/* Start from {0}. */
struct cuda_loop {
    cudaEvent_t event[LOOP_CHUNKS];
    uint32_t samples; /* of a chunk; 0: the loop has not begun */
    uint64_t queued, ended;
};

/* Queue chunks until LOOP_CHUNKS wait, wait for some milliseconds, and read the device. `sample_seconds`:
 * estimated. */
void cuda_loop_go_on(struct cuda_loop *loop, struct timer_job *job, double sample_seconds,
                     struct cuda_session *session, struct meter *reading);

/* Wait for the launches, and release the events. Their error is returned. */
cudaError_t cuda_loop_end(struct cuda_loop *loop, struct cuda_session *session);

/* Read the device, busy with `loop` or idle (NULL). */
void cuda_loop_read(struct cuda_loop *loop, struct cuda_session *session, struct meter *reading);
