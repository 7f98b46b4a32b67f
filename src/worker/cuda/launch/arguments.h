/* arguments.h - kernel parameters for one set of buffers: addresses, numbers, tensor maps, textures. */
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "worker/cuda/device/point.h"

struct cuda_arguments {
    CUtensorMap tensor[SETUP_TENSORS_MAX]; /* first, because it must be aligned to 64 bytes */
    uint32_t part;
    char *address[SETUP_ARGUMENTS_MAX];
    cudaTextureObject_t texture[SETUP_ARGUMENTS_MAX];
    uint64_t array_bytes;                   /* of all arrays */
    cudaArray_t array[SETUP_ARGUMENTS_MAX]; /* behind a two-dimensional texture; owned */
    void *pointer[SETUP_ARGUMENTS_MAX];     /* for the launch; points into this struct and the setup */
};

/* The arguments of part 0 for sets 0 .. p->sets - 1, then those of the other parts (setup.parts); the caller frees them with
 * cuda_arguments_free. */
struct cuda_arguments *cuda_arguments_new(struct cuda_point *p);
void cuda_arguments_free(struct cuda_arguments *arguments, uint32_t sets);
