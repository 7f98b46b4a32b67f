/* tensor_peaks.h - the rates of the tensor cores in this run: the roofs of families that compute with them. */
#pragma once

#include "worker/cuda/timing/timer.h"

/* Set peak_tensor_* of `device` by launches of mma_rate, 2 ms each, 9 for each type: wgmma where there is one, else mma. Missing
 * are types that the device has no product of, and all from compute capability 10.0 to 11.0, whose fastest products (tcgen05) are
 * none of these. The kernels are compiled, or come from the cache. */
void cuda_tensor_peaks_measure(struct cuda_session *session, struct timer *timer, struct device *device);
