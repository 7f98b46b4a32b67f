/* Points and their keys. The golden keys were computed by an independent program from the published hashes; a
 * change of any of them makes every results file unusable for --resume. */

#include "unit_test.h"

#include "core/point.h"

static const char *const variants[] = {"load", "store", NULL};
static const char *const swapped[] = {"store", "load", NULL};
static const struct axis axes[] = {AXIS_VARIANT(variants, "load"), AXIS_SIZE("1MiB"), AXIS_STRIDE("1"),
                                   AXIS_ARCHITECTURE};
static const struct space space = {"sample", axes, 4};

TEST(golden_keys)
{
    struct point point = point_standard(&space);
    assert_true(point_id(&point) == UINT64_C(0x4c82154cc2540851));
    point.value[0] = 1;
    point.value[1] = INT64_C(1) << 30;
    point.value[2] = 137;
    point.value[3] = 9001; /* sm_90a */
    assert_true(point_id(&point) == UINT64_C(0xd98e2b3d1b9cf50e));
    static const struct space none = {"sample", NULL, 0};
    point = point_standard(&none);
    assert_true(point_id(&point) == UINT64_C(0x9ec9e4fb91efa550));
}

TEST(an_axis_that_came_later_keeps_ids)
{
    struct axis more[] = {axes[0], axes[1], axes[2], axes[3], AXIS_VECTOR("1")};
    struct space later = {"sample", more, 5};
    more[4].late = true;
    struct point before = point_standard(&space), after = point_standard(&later);
    assert_true(point_id(&before) == point_id(&after));
    after.value[4] = 2;
    assert_true(point_id(&before) != point_id(&after));
    more[4].late = false;
    after.value[4] = 1;
    assert_true(point_id(&before) != point_id(&after));
}

TEST(order_of_axes_and_words_does_not_count)
{
    static const struct axis other[] = {AXIS_ARCHITECTURE, AXIS_STRIDE("4"), AXIS_VARIANT(swapped, "store"),
                                        AXIS_SIZE("2MiB")};
    static const struct space reordered = {"sample", other, 4};
    struct point a = point_standard(&space), b = point_standard(&reordered);
    assert_true(point_id(&a) != point_id(&b));
    a.value[1] = 5 << 20;
    b.value[3] = 5 << 20;
    a.value[2] = b.value[1] = 4;
    a.value[0] = 1; /* store */
    b.value[2] = 0; /* store */
    assert_true(point_id(&a) == point_id(&b));
}

TEST(the_kernel_and_each_value_count)
{
    static const struct space other = {"simple", axes, 4};
    struct point a = point_standard(&space), b = point_standard(&other);
    uint64_t id = point_id(&a);
    assert_true(id != point_id(&b));
    for (int i = 0; i < 4; i++) {
        b = a;
        b.value[i]++;
        assert_true(point_id(&b) != id);
    }
}

/* Two axes of equal values must not cancel out, nor trade. */
TEST(axes_do_not_trade_values)
{
    static const struct axis pair[] = {AXIS_OFFSET("3"), AXIS_STRIDE("3")};
    static const struct space two = {"two", pair, 2};
    struct point a = point_standard(&two), b = a;
    a.value[0] = 5;
    b.value[1] = 5;
    assert_true(point_id(&a) != point_id(&b));
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

TEST(keys_are_distinct)
{
    enum { SIZES = 40, STRIDES = 500, COUNT = SIZES * STRIDES * 2 };
    uint64_t *ids = malloc(COUNT * sizeof *ids);
    struct point point = point_standard(&space);
    size_t n = 0;
    for (int size = 0; size < SIZES; size++) {
        for (int stride = 1; stride <= STRIDES; stride++) {
            for (int variant = 0; variant < 2; variant++) {
                point.value[0] = variant;
                point.value[1] = INT64_C(1) << size;
                point.value[2] = stride;
                ids[n] = point_id(&point);
                assert_true(ids[n++] != 0);
            }
        }
    }
    qsort(ids, n, sizeof *ids, compare);
    for (size_t i = 1; i < n; i++)
        assert_true(ids[i] != ids[i - 1]);
    free(ids);
}

TEST(lookup)
{
    struct point point = point_standard(&space);
    assert_int_equal(space_axis(&space, "stride"), 2);
    assert_int_equal(space_axis(&space, "Stride"), -1);
    assert_int_equal(space_axis(&space, ""), -1);
    assert_int_equal(point_value(&point, "size", -5), 1 << 20);
    assert_int_equal(point_value(&point, "tile", -5), -5);
}

TEST(description)
{
    struct point point = point_standard(&space);
    point.value[3] = 10001;
    struct text text = {0};
    point_describe(&point, &text);
    assert_string_equal(text.data, "sample variant=load size=1MiB stride=1 arch=sm_100a");
    text_free(&text);
}
