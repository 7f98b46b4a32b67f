/* The prefetch family: arithmetic by hand, every reason to refuse, the sums against the array walked from its
 * elements' side, and the access pattern. */
#include "unit_test.h"

#define FAMILY "prefetch"
#include "family_test.h"

/* From the elements' side: which thread adds up element e. */
static void check_sums(const char *settings)
{
    struct family_run run = run_whole(settings);
    uint64_t n = run.setup.buffer[0].count, grid = run.setup.grid[0], block = run.setup.block[0];
    uint64_t tile = (uint64_t)point_value(&run.point, "tile_bytes", 0) / 4, whole = n / tile * tile;
    bool flipped = point_value(&run.point, "work", 0) / 2 % 2;
    uint32_t *sum = calloc(grid * block, sizeof *sum);
    for (uint64_t e = 0; e < n; e++) {
        float x = ((float *)run.data[0])[e], y = flipped ? (float)(1.0 - (double)x) : x;
        uint32_t bits;
        assert_true((double)y == (flipped ? 1.0 - (double)x : (double)x)); /* exact */
        memcpy(&bits, &y, 4);
        uint64_t lane = e % tile / 4 % block;
        uint64_t own = e < whole ? e / tile % grid * block + block - 1 - lane : (e - whole) % (grid * block);
        sum[own] += bits;
    }
    if (memcmp(sum, run.data[1], grid * block * sizeof *sum) != 0)
        fail_msg("%s: the sums differ", settings);
    free(sum);
}

TEST(reference)
{
    check_sums("size=4");
    check_sums("size=4012"); /* 1003 elements: less than a tile */
    check_sums("size=4194332 variant=cp_async stages=2");
    check_sums("size=4194332 work=2 tile_bytes=3KiB block=64 resident=1"); /* 2^20 + 7 elements */
    check_sums("size=4194332 work=4 variant=tensor tile_bytes=16KiB block=1024");
    check_sums("size=1MiB work=6 variant=sync tile_bytes=1KiB block=96");
    check_sums("size=8188 block=32");
    check_sums("size=8192 block=32");
    check_sums("size=8196 block=32");
}
