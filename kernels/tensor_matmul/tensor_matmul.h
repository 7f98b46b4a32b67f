/* tensor_matmul.h - what the descriptor and the reference share. */
#pragma once

#include "family/family.h"

enum tensor_matmul_axis {
    TENSOR_VARIANT,
    TENSOR_DTYPE,
    TENSOR_DTYPE_C,
    TENSOR_M,
    TENSOR_N,
    TENSOR_K,
    TENSOR_TILE_SHAPE,
    TENSOR_STAGES,
    TENSOR_CLUSTER,
    TENSOR_GROUP,
    TENSOR_PERSISTENT,
    TENSOR_PROMOTE,
    TENSOR_COPY,
    TENSOR_SPARSE,
    TENSOR_DATA,
    TENSOR_CACHE,
    TENSOR_ARCH,
    TENSOR_AXES
};
enum tensor_matmul_variant { TENSOR_MMA, TENSOR_WGMMA, TENSOR_TCGEN05, TENSOR_CUBLASLT };
enum tensor_matmul_copy { TENSOR_CP_ASYNC, TENSOR_TMA };
enum tensor_matmul_type_of_c { TENSOR_C_DEFAULT, TENSOR_C_F32 };
enum tensor_matmul_buffer { TENSOR_A, TENSOR_B, TENSOR_C, TENSOR_METADATA };
enum tensor_matmul_data { TENSOR_RANDOM, TENSOR_WHOLE, TENSOR_ONES, TENSOR_ZEROS };

/* Bytes of a row of A and B that a block has in shared memory at a time, and that one instruction multiplies. */
enum { TENSOR_SLICE_BYTES = 128, TENSOR_STEP_BYTES = 32 };

/* Metadata of a sparse A: bits of a field that names the places of two elements of four (of f32, of one of two), rows that a block of words is
 * about, and of these, rows of a warp. */
enum { TENSOR_FIELD_BITS = 4, TENSOR_BLOCK_ROWS = 128, TENSOR_WARP_ROWS = 16 };

static inline enum dtype tensor_matmul_dtype(const struct point *point)
{
    return (enum dtype)point->value[TENSOR_DTYPE];
}

static inline bool tensor_matmul_is_fp8(const struct point *point)
{
    return tensor_matmul_dtype(point) == DTYPE_E4M3 || tensor_matmul_dtype(point) == DTYPE_E5M2;
}

static inline enum dtype tensor_matmul_dtype_c(const struct point *point)
{
    if (tensor_matmul_dtype(point) == DTYPE_U8)
        return DTYPE_I32;
    if (point->value[TENSOR_DTYPE_C] == TENSOR_C_F32)
        return DTYPE_F32;
    return tensor_matmul_is_fp8(point) ? DTYPE_BF16 : tensor_matmul_dtype(point);
}

static inline bool tensor_matmul_is_sparse(const struct point *point)
{
    return point->value[TENSOR_SPARSE] != 0;
}

/* Columns of A that a field of metadata is about. */
static inline uint64_t tensor_matmul_group(const struct point *point)
{
    return tensor_matmul_dtype(point) == DTYPE_F32 ? 2 : 4;
}

/* Words of metadata of TENSOR_BLOCK_ROWS rows and a slice: one for each of the 256 threads that multiply, of types of one byte two. */
static inline uint64_t tensor_matmul_words(const struct point *point)
{
    return dtype_size(tensor_matmul_dtype(point)) == 1 ? 512 : 256;
}

/* Where the field of columns [group * field, group * (field + 1)) of a row of A is: the word in the buffer of metadata, and its lowest
 * bit. */
struct metadata_place {
    uint64_t word;
    int bit;
};
struct metadata_place tensor_matmul_metadata(const struct point *point, uint64_t row, uint64_t field);

struct tolerance tensor_matmul_tolerance(const struct point *point);
void tensor_matmul_reference(const struct point *point, const struct inputs *inputs, int buffer,
                             uint64_t first, uint64_t count, void *out);
