/* What the axes of matmul make of a grid: for the launch, and for the pattern of accesses. */
#include "kernels/matmul/matmul.h"

struct matmul_shape matmul_shape_of(const struct point *point)
{
    struct matmul_shape s = {.variant = (enum matmul_variant)point->value[MATMUL_VARIANT],
                             .m = (uint64_t)point->value[MATMUL_M],
                             .n = (uint64_t)point->value[MATMUL_N],
                             .k = (uint64_t)point->value[MATMUL_K],
                             .outputs = (uint32_t)point->value[MATMUL_OUTPUTS],
                             .slice = (uint32_t)point->value[MATMUL_SLICE],
                             .stages = (uint32_t)point->value[MATMUL_STAGES],
                             .group = (uint32_t)point->value[MATMUL_GROUP]};
    /* axis tile_shape */
    static const uint32_t tiles[][2] = {{128, 128}, {256, 128}, {128, 256}, {128, 64}};
    const uint32_t *pipeline_tile = tiles[point->value[MATMUL_TILE_SHAPE]];
    uint32_t tile = (uint32_t)point->value[MATMUL_TILE];
    uint32_t block_tile = (uint32_t)point->value[MATMUL_BLOCK_TILE];
    s.aligned = s.n % 4 == 0 && s.k % 4 == 0;
    s.pipeline = s.variant == MATMUL_CP_ASYNC || s.variant == MATMUL_TMA;
    if (s.pipeline) {
        s.rows = pipeline_tile[0];
        s.columns = pipeline_tile[1];
        s.threads = s.rows / MATMUL_THREAD_ROWS * (s.columns / MATMUL_THREAD_COLUMNS);
    } else if (s.variant == MATMUL_REGISTER) {
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

struct tile_shares matmul_shares(const struct matmul_shape *s, uint32_t blocks)
{
    return tile_shares_of((uint32_t)(s->down * s->across), (uint32_t)((s->k + s->slice - 1) / s->slice),
                          blocks);
}

void matmul_place(const struct matmul_shape *s, uint64_t number, uint64_t group, uint64_t *row,
                  uint64_t *column)
{
    uint64_t band = number / (group * s->across), within = number % (group * s->across);
    uint64_t height = s->down - band * group < group ? s->down - band * group : group;
    *row = band * group + within % height;
    *column = within / height;
}
