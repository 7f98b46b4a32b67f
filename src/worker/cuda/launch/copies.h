/* copies.h - the driver's copies of messages between the parts of a point (ENGINE_PEER_COPIES). */
#pragma once

#include "worker/cuda/device/point.h"

/* Streams and events for the messages of a point that is placed; NULL for other engines. The caller frees them. */
struct cuda_copies *cuda_copies_new(const struct cuda_point *p);
void cuda_copies_free(struct cuda_copies *copies);

/* Copies of one launch, of all parts. */
uint32_t cuda_copies_count(const struct setup *setup);

/* Queue the copies of a part on streams that begin after what is queued in `stream`; then let `stream` go on after them. Between
 * the two, the part's kernel may be queued in `stream`. The part's device is current. */
void cuda_copies_queue(struct cuda_point *p, cudaStream_t stream, uint32_t set, int part);
void cuda_copies_join(struct cuda_point *p, cudaStream_t stream, int part);
