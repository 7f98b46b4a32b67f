/* peaks.h - measures the peaks of the device in this run; they are the denominators of all fractions. */
#pragma once

#include "worker/cuda/timing/timer.h"

/* Fill the peaks of `device`: DRAM copy (the vendor's, device to device), read and write; the same three for L2; shared memory;
 * arithmetic in FP16, FP32 and FP64. Those of the link: host to device, and device to host. Bytes read and written both count. */
void cuda_peaks_measure_own(struct cuda_session *session, struct timer *timer, struct device *device);

/* Allocate and touch host memory for the link: this takes longer than the copies, and does not need an idle link. */
void cuda_peaks_prepare_link(struct cuda_session *session);
void cuda_peaks_measure_link(struct cuda_session *session, struct timer *timer, struct device *device);

/* bytes/s from the other device of an open remote pair to this one and back by the copy engine, the faster way. NaN if either has
 * no memory for it. Loses the contents of the arenas. */
double cuda_peaks_measure_peer(struct cuda_session *session, struct timer *timer);
