/* matmul.h - what the files of the matmul family share: shape.c makes the shape, access.c the access pattern,
 * matmul_reference.c the reference, and matmul.c is the descriptor. */
#pragma once

#include "family/family.h"
#include "kernels/tile_shares.cuh"

enum matmul_variant {
    MATMUL_NAIVE,
    MATMUL_TILED,
    MATMUL_REGISTER,
    MATMUL_CP_ASYNC,
    MATMUL_TMA,
    MATMUL_CUBLAS,
    MATMUL_CUBLASLT
};

enum {
    MATMUL_VARIANT,
    MATMUL_M,
    MATMUL_N,
    MATMUL_K,
    MATMUL_TILE,
    MATMUL_BLOCK_TILE,
    MATMUL_OUTPUTS,
    MATMUL_SLICE,
    MATMUL_TILE_SHAPE,
    MATMUL_STAGES,
    MATMUL_GROUP,
    MATMUL_SPLIT,
    MATMUL_LT_ALGORITHM,
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
    uint32_t outputs, slice; /* register; pipelines have slices, too */
    bool aligned;            /* rows of A and B start at multiples of 16 bytes */
    bool pipeline;           /* cp_async or tma */
    uint32_t stages, group;  /* pipeline */
};
struct matmul_shape matmul_shape_of(const struct point *point);

/* Rows and columns of C that a thread of a pipeline computes, a warp being 8 threads high and 4 wide
 * (kernels/pipeline.cuh). */
enum { MATMUL_THREAD_ROWS = 8, MATMUL_THREAD_COLUMNS = 16 };

/* Bytes of a stage of a pipeline: a slice of A, then one of B. */
static inline uint32_t matmul_stage_bytes(const struct matmul_shape *s)
{
    return 4 * s->slice * (s->rows + s->columns);
}

/* What each of `blocks` blocks computes with a split other than 1. */
struct tile_shares matmul_shares(const struct matmul_shape *s, uint32_t blocks);

/* Row and column of tile `number`. Tiles are taken in groups of `group` rows, column by column. */
void matmul_place(const struct matmul_shape *s, uint64_t number, uint64_t group, uint64_t *row,
                  uint64_t *column);

/* The family's `reference`, `tolerance` and `operand`. */
void matmul_reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out);
struct tolerance matmul_tolerance(const struct point *point);
void matmul_operand(const struct point *point, const struct inputs *inputs, int side, uint64_t row,
                    uint64_t rows, uint64_t first, uint64_t count, double *out);

/* The family's `access`. */
bool matmul_access(const struct point *point, const struct setup *setup, uint64_t warp, uint32_t index,
                   struct access *out);
