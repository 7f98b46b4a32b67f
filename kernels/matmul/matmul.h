/* matmul.h - what the files of the matmul family share: shape.c makes the shape, access.c the access pattern,
 * and matmul.c is the descriptor. */
#pragma once

#include "family/family.h"

enum matmul_variant { MATMUL_NAIVE, MATMUL_TILED, MATMUL_REGISTER, MATMUL_CUBLAS, MATMUL_CUBLASLT };

enum {
    MATMUL_VARIANT,
    MATMUL_M,
    MATMUL_N,
    MATMUL_K,
    MATMUL_TILE,
    MATMUL_BLOCK_TILE,
    MATMUL_OUTPUTS,
    MATMUL_SLICE,
    MATMUL_CARVEOUT,
    MATMUL_CACHE,
    MATMUL_ARCH,
    MATMUL_AXES
};

/* C is m x n; a block makes rows x columns of it, down x across blocks all. */
struct matmul_shape {
    enum matmul_variant variant;
    uint64_t m, n, k, down, across;
    uint32_t rows, columns, threads;
    uint32_t outputs, slice; /* register */
    bool aligned;            /* register: rows of A and B start at multiples of 16 bytes */
};
struct matmul_shape matmul_shape_of(const struct point *point);

/* The family's `access`. */
bool matmul_access(const struct point *point, const struct setup *setup, uint64_t warp, uint32_t index,
                   struct access *out);
