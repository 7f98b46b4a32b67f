/* peaks.h - what this device does at best, measured in this run: the denominators of every fraction. */
#ifndef WORKER_CUDA_PEAKS_H
#define WORKER_CUDA_PEAKS_H

#include "worker/cuda/timer.h"

/* Fill the peaks of `device`: copy (the vendor's, device to device), read, write, L2 read, host to device,
 * device to host, launch floor. Bytes read and written both count. */
void cuda_peaks_measure(struct cuda_session *session, struct timer *timer, struct device *device);

#endif
