/* The launch as a shared object, for tools.py. NULL, or what CUDA says. */
#include "launch.h"

extern "C" const char *harness_launch(const void *in, void *out, size_t size, unsigned rounds, void *stream)
{
    const cudaError_t status = launch(in, out, size, rounds, (cudaStream_t)stream);
    return status == cudaSuccess ? NULL : cudaGetErrorString(status);
}
