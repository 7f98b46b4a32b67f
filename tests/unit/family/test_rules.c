/* Rules that families share: the edge of each, and what is assumed of a device that is not known. */
#include "unit_test.h"

#include "family/rules.h"
#include "family_test.h"

static char reason[256];

TEST(reasons)
{
    assert_null(rules_grid(INT32_MAX, reason, sizeof reason));
    assert_string_equal(rules_grid(UINT64_C(1) << 31, reason, sizeof reason),
                        "2147483648 blocks are more than a grid has, 2^31 - 1");
    assert_null(rules_whole_elements(16, DTYPE_F64, reason, sizeof reason));
    assert_string_equal(rules_whole_elements(17, DTYPE_F64, reason, sizeof reason),
                        "17 bytes are no whole number of f64 elements");
    assert_null(rules_whole_warps(96, reason, sizeof reason));
    assert_string_equal(rules_whole_warps(33, reason, sizeof reason),
                        "a block of 33 threads is no whole number of warps");
    assert_null(rules_vector(4, DTYPE_F64, reason, sizeof reason));
    assert_non_null(strstr(rules_vector(8, DTYPE_F64, reason, sizeof reason), "64 bytes is wider than 32"));
    assert_non_null(strstr(rules_vector(3, DTYPE_U8, reason, sizeof reason), "no power of two"));
}

TEST(capabilities)
{
    const struct target unknown = {0}, ampere = {.capability = 80};
    struct point native = family_point("copy", ""), named = family_point("copy", "arch=compute_80");
    assert_int_equal(rules_code_capability(&native, &unknown), 0);
    assert_int_equal(rules_code_capability(&native, &hopper), 90);
    assert_int_equal(rules_code_capability(&named, &hopper), 80); /* the code's, not the device's */
    assert_null(rules_capability("it", 90, &native, &unknown, reason, sizeof reason));
    assert_null(rules_capability("it", 90, &native, &hopper, reason, sizeof reason));
    assert_string_equal(rules_capability("it", 90, &native, &ampere, reason, sizeof reason),
                        "it needs compute capability 9.0; this is 8.0");
    assert_non_null(rules_capability("it", 90, &named, &hopper, reason, sizeof reason));
}

/* A tile fills 227 KiB with its barrier and no more, of whole 16 bytes, from compute capability 9.0 on. */
TEST(bulk_tiles)
{
    const struct target unknown = {0}, ampere = {.capability = 80},
                        small = {.capability = 120, .shared_bytes = 99 << 10};
    struct point point = family_point("copy", "");
    assert_int_equal(rules_bulk_shared(2, 4096), 8200);
    assert_null(rules_bulk_tile(2, 4096, &point, &unknown, reason, sizeof reason));
    assert_null(rules_bulk_tile(1, (227 << 10) - 16, &point, &unknown, reason, sizeof reason));
    assert_string_equal(
        rules_bulk_tile(1, 227 << 10, &point, &unknown, reason, sizeof reason),
        "a block's tile of 232448 bytes is more shared memory than a block has, 232448 bytes less 8 for "
        "its barrier");
    assert_non_null(rules_bulk_tile(2, 50 << 10, &point, &small, reason, sizeof reason));
    assert_null(rules_bulk_tile(2, 49 << 10, &point, &small, reason, sizeof reason));
    assert_string_equal(rules_bulk_tile(2, 24, &point, &hopper, reason, sizeof reason),
                        "a block's part of 24 bytes is no whole number of 16 bytes, as bulk copies need");
    assert_string_equal(rules_bulk_tile(2, 32, &point, &ampere, reason, sizeof reason),
                        "a bulk load needs compute capability 9.0; this is 8.0");
}

TEST(carveout)
{
    /* each word is the percentage that it says */
    assert_int_equal(rules_carveout(0), -1);
    for (int64_t i = 1; carveout_words[i]; i++)
        assert_int_equal(rules_carveout(i), atoi(carveout_words[i]));
}

TEST(resident_blocks)
{
    const struct target unknown = {0},
                        small = {.threads_sm = 1536, .multiprocessors = 10, .shared_sm_bytes = 100 << 10};
    assert_int_equal(rules_blocks_fitting(&hopper, 256, 0), 8); /* by threads */
    assert_int_equal(rules_blocks_fitting(&hopper, 32, 0), 32); /* by blocks: 64 warps would fit */
    assert_int_equal(rules_blocks_fitting(&hopper, 32, 113 << 10),
                     2); /* by shared memory: 2 x (113 + 1) KiB */
    assert_int_equal(rules_blocks_fitting(&hopper, 32, (113 << 10) + 1), 1);
    assert_int_equal(rules_blocks_fitting(&hopper, 32, 228 << 10), 0); /* 1 KiB is the system's */
    assert_int_equal(rules_blocks_fitting(&small, 256, 0), 6);
    assert_int_equal(rules_blocks_resident(&small, 256, 0), 60);
    assert_int_equal(rules_blocks_resident(&small, 256, 100 << 10), 10); /* at least one each */
    assert_int_equal(rules_blocks_resident(&unknown, 256, 0), rules_blocks_resident(&hopper, 256, 0));
    assert_int_equal(rules_multiprocessors(&unknown), 132);
    assert_int_equal(rules_multiprocessors(&small), 10);
}

TEST(sets)
{
    assert_int_equal(rules_sets(16, 100, 1600), 16);
    assert_int_equal(rules_sets(16, 100, 1599), 15);
    assert_int_equal(rules_sets(16, 100, 99), 1);
    assert_int_equal(rules_sets(16, 100, 0), 16); /* not known */
    assert_int_equal(rules_sets(1, 100, 1600), 1);
}

/* One block on a multiprocessor, whatever its shared memory; and what is chased there. */
TEST(chases)
{
    static const uint64_t rooms[] = {0, UINT64_C(64) << 10, UINT64_C(100) << 10, UINT64_C(164) << 10,
                                     UINT64_C(228) << 10};
    for (int i = 0; i < 5; i++) {
        struct target target = {.shared_sm_bytes = rooms[i]};
        assert_int_equal(rules_blocks_fitting(&target, 32, rules_shared_alone(&target)), 1);
    }
    struct target device = {.multiprocessors = 132, .l2_bytes = 50 << 20}, unknown = {0};
    assert_null(rules_multiprocessor(131, &device, reason, sizeof reason));
    assert_non_null(strstr(rules_multiprocessor(132, &device, reason, sizeof reason), "has 132"));
    assert_null(rules_multiprocessor(1000, &unknown, reason, sizeof reason));
    assert_null(rules_lines(204800, &device, reason, sizeof reason));
    assert_non_null(strstr(rules_lines(204801, &device, reason, sizeof reason), "half of it has 204800"));
    assert_null(rules_lines(1 << 30, &unknown, reason, sizeof reason));
    assert_null(rules_slots(6 << 20, 2 << 20, reason, sizeof reason));
    assert_non_null(strstr(rules_slots(6 << 20, 4 << 20, reason, sizeof reason), "no whole number of slots"));
    assert_non_null(strstr(rules_slots(INT64_C(1) << 39, 128, reason, sizeof reason), "31 bits"));
}
