/* What the axes of matmul make of a grid: for the launch, and for the pattern of accesses. */
#include "kernels/matmul/matmul.h"

struct matmul_shape matmul_shape_of(const struct point *point)
{
    struct matmul_shape s = {.variant = (enum matmul_variant)point->value[MATMUL_VARIANT],
                             .m = (uint64_t)point->value[MATMUL_M],
                             .n = (uint64_t)point->value[MATMUL_N],
                             .k = (uint64_t)point->value[MATMUL_K],
                             .outputs = (uint32_t)point->value[MATMUL_OUTPUTS],
                             .slice = (uint32_t)point->value[MATMUL_SLICE]};
    uint32_t tile = (uint32_t)point->value[MATMUL_TILE];
    uint32_t block_tile = (uint32_t)point->value[MATMUL_BLOCK_TILE];
    s.aligned = s.n % 4 == 0 && s.k % 4 == 0;
    if (s.variant == MATMUL_REGISTER) {
        s.rows = s.columns = block_tile;
        s.threads = block_tile / s.outputs * (block_tile / s.outputs);
    } else if (s.variant == MATMUL_TILED) {
        s.rows = s.columns = tile;
        s.threads = tile * tile;
    } else {
        s.rows = 8;
        s.columns = 32;
        s.threads = 256;
    }
    s.down = (s.m + s.rows - 1) / s.rows;
    s.across = (s.n + s.columns - 1) / s.columns;
    return s;
}
