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
    TENSOR_SCALE,
    TENSOR_LT_ALGORITHM,
    TENSOR_DATA,
    TENSOR_CACHE,
    TENSOR_ARCH,
    TENSOR_AXES
};
enum tensor_matmul_variant { TENSOR_MMA, TENSOR_WGMMA, TENSOR_TCGEN05, TENSOR_CUBLASLT };
enum tensor_matmul_copy { TENSOR_CP_ASYNC, TENSOR_TMA };
enum tensor_matmul_type_of_c { TENSOR_C_DEFAULT, TENSOR_C_F32 };
enum tensor_matmul_scale { TENSOR_UNSCALED, TENSOR_E8M0, TENSOR_E4M3 };
enum tensor_matmul_buffer {
    TENSOR_A,
    TENSOR_B,
    TENSOR_C,
    TENSOR_METADATA,
    TENSOR_SCALE_A = TENSOR_METADATA,
    TENSOR_SCALE_B
};
enum tensor_matmul_data { TENSOR_RANDOM, TENSOR_WHOLE, TENSOR_ONES, TENSOR_ZEROS };

/* Bytes of a row of A and B that a block has in shared memory at a time, and that one instruction
 * multiplies. */
enum { TENSOR_SLICE_BYTES = 128, TENSOR_STEP_BYTES = 32 };

/* Metadata of a sparse A: bits of a field that names the places of two elements of four (of f32, of one of
 * two), rows that a block of words is about, and of these, rows of a warp. */
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
    if (tensor_matmul_is_fp8(point) || tensor_matmul_dtype(point) == DTYPE_E2M1)
        return DTYPE_BF16;
    return tensor_matmul_dtype(point);
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

/* Words of metadata of TENSOR_BLOCK_ROWS rows and a slice: one for each of the 256 threads of wgmma that
 * multiply, of types of one byte two. */
static inline uint64_t tensor_matmul_words(const struct point *point)
{
    return dtype_size(tensor_matmul_dtype(point)) == 1 ? 512 : 256;
}

/* Where the field of columns [group * field, group * (field + 1)) of a row of A is: the word in the buffer of
 * metadata, and its lowest bit. */
struct metadata_place {
    uint64_t word;
    int bit;
};
struct metadata_place tensor_matmul_metadata(const struct point *point, uint64_t row, uint64_t field);

/* Scales lie in tiles of 128 rows and 4 blocks, as tcgen05.cp takes them to tensor memory, and cuBLASLt wants
 * them. */
enum { TENSOR_SCALE_TILE = 512 };

static inline bool tensor_matmul_is_scaled(const struct point *point)
{
    return point->value[TENSOR_SCALE] != TENSOR_UNSCALED;
}

/* Elements of a row that share a scale: of e8m0 32, of e4m3 (NVFP4) 16. */
static inline uint64_t tensor_matmul_scale_block(const struct point *point)
{
    return point->value[TENSOR_SCALE] == TENSOR_E4M3 ? 16 : 32;
}

/* Tiles of scales of a slice: of fp8 one, of MXFP4 two, of NVFP4 four. */
static inline uint64_t tensor_matmul_slice_tiles(const struct point *point)
{
    return 8 * TENSOR_SLICE_BYTES / dtype_bits(tensor_matmul_dtype(point)) /
           (4 * tensor_matmul_scale_block(point));
}

/* Tiles of scales in a row of them: those of whole slices. */
static inline uint64_t tensor_matmul_scale_tiles(const struct point *point)
{
    const uint64_t bits = dtype_bits(tensor_matmul_dtype(point)), k = (uint64_t)point->value[TENSOR_K];
    const uint64_t slices = (k * bits / 8 + TENSOR_SLICE_BYTES - 1) / TENSOR_SLICE_BYTES;
    return slices * tensor_matmul_slice_tiles(point);
}

/* Where the scale of a block of a row is, with so many tiles in a row. */
static inline uint64_t tensor_matmul_scale(uint64_t row, uint64_t block, uint64_t tiles)
{
    const uint64_t tile = row / 128 * tiles + block / 4;
    return tile * TENSOR_SCALE_TILE + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
}

struct tolerance tensor_matmul_tolerance(const struct point *point);
void tensor_matmul_operand(const struct point *point, const struct inputs *inputs, int side, uint64_t row,
                           uint64_t rows, uint64_t first, uint64_t count, double *out);
void tensor_matmul_reference(const struct point *point, const struct inputs *inputs, int buffer,
                             uint64_t first, uint64_t count, void *out);
