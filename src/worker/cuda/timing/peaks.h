/* peaks.h - what this device does at best, measured in this run: the denominators of every fraction. */
#ifndef WORKER_CUDA_TIMING_PEAKS_H
#define WORKER_CUDA_TIMING_PEAKS_H

#include "worker/cuda/timing/timer.h"

/* Fill the peaks of `device`: copy (the vendor's, device to device), read and write of DRAM, the same three of L2, shared
 * memory, arithmetic in FP16, FP32 and FP64; and those of the link: host to device and back. Bytes read and written both count. */
void cuda_peaks_measure_own(struct cuda_session *session, struct timer *timer, struct device *device);

/* Take and touch the memory for the link: that takes longer than the copies, and needs no quiet link. */
void cuda_peaks_prepare_link(struct cuda_session *session);
void cuda_peaks_measure_link(struct cuda_session *session, struct timer *timer, struct device *device);

#endif
