/* verify.h - run a point once on fresh inputs and poisoned outputs, and compare with the reference. */
#pragma once

#include "worker/cuda/device/point.h"

/* Fails the result when an output is wrong, or a byte outside of the buffers was written. */
void cuda_verify(struct cuda_point *p, struct result *result);
