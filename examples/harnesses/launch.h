/* The kernel of kernels/harness, compiled by nvcc, and a launch as warpsweep makes it. */
#pragma once

#define variant_rounds
#include "../../kernels/harness/harness.cu"

/* `size`: bytes of each array. */
static inline cudaError_t launch(const void *in, void *out, size_t size, unsigned rounds, cudaStream_t stream)
{
    const unsigned count = (unsigned)(size / sizeof(uint4));
    harness<<<(count + 255) / 256, 256, 0, stream>>>((const uint4 *)in, (uint4 *)out, count, rounds);
    return cudaGetLastError();
}
