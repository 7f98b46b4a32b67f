/* Two versions of a family: what they must share, whose descriptor and key a point has, and the pairs of a
 * grid. */
#include "unit_test.h"

#include "../job_fixture.h"
#include "family/versions.h"
#include "kernels/registry.h"

static const char *const names[] = {"old", "new"};

static void refused(const struct family *a, const struct family *b, const char *text)
{
    const struct family *pair[] = {a, b};
    struct error error = {0};
    assert_null(versions_join(pair, names, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.text, text))
        fail_msg("'%s' does not say '%s'", error.text, text);
}

static struct point other_of(const struct point *point)
{
    struct point other = *point;
    int axis = versions_axis(point->space);
    other.value[axis] = 1 - other.value[axis];
    return other;
}

TEST(versions_that_differ_are_refused)
{
    const struct family *copy = family_find("copy");
    struct family other = *copy;
    struct axis axes[POINT_AXES_MAX];
    other.space.axes = memcpy(axes, copy->space.axes, (size_t)copy->space.count * sizeof *axes);
    int block = space_axis(&copy->space, "block");
    axes[block].standard = "64";
    refused(copy, &other,
            "axis 'block' of version old and axis 'block' of version new differ in their standard value");
    axes[block] = copy->space.axes[block];
    axes[block].most++;
    refused(copy, &other, "largest value");
    axes[block] = copy->space.axes[block];
    axes[block].compiled = !axes[block].compiled;
    refused(copy, &other, "being compiled in");
    axes[block] = copy->space.axes[block];
    static const char *const words[] = {"load", "store", NULL};
    axes[space_axis(&copy->space, "variant")].words = words;
    refused(copy, &other, "differ in their words");
    other = *copy;
    other.space.count--;
    refused(copy, &other, "axes in version old");
    other = *copy;
    other.data_axes ^= 1;
    refused(copy, &other, "data_axes");
    other = *copy;
    other.node_exclusive = !other.node_exclusive;
    refused(copy, &other, "node_exclusive");
    assert_false(versions_are_loaded());
}

/* Of the second version: it tells its points apart by what it says of them. */
static struct work twice_the_work(const struct point *point)
{
    return (struct work){.bytes_read = 42};
}

static const struct family *join(const char *kernel)
{
    const struct family *pair[] = {family_find(kernel), NULL};
    static struct family second; /* families live as long as the program */
    struct error error = {0};
    second = *pair[0];
    second.work = twice_the_work;
    pair[1] = &second;
    const struct family *joined = versions_join(pair, names, &error);
    if (!joined)
        fail_msg("%s", error.text);
    for (int i = 0; families[i]; i++)
        if (families[i] == pair[0])
            families[i] = joined;
    return joined;
}

TEST(a_point_is_of_its_version)
{
    const struct family *plain = family_find("reduce"), *joined = join("reduce");
    assert_true(versions_are_loaded());
    struct point point = point_standard(&joined->space), other = other_of(&point);
    int axis = versions_axis(&joined->space);
    assert_int_equal(axis, plain->space.count);
    assert_string_equal(joined->space.axes[axis].words[1], "new");
    assert_int_equal(versions_axis(&plain->space), -1);
    assert_false(versions_is_second(&point));
    assert_true(versions_is_second(&other));
    assert_ptr_equal(family_of(&point)->work, plain->work);
    assert_ptr_equal(versions_code(&other)->work, twice_the_work);
    assert_true(point_id(&point) != point_id(&other));
    assert_true(family_data_key(&point) == family_data_key(&other));         /* the same inputs ... */
    assert_true(family_code_key(&point, 90) != family_code_key(&other, 90)); /* ... and code of its own */
    assert_true(family_code_key(&point, 90) != family_code_key(&other, 100));
    struct point again = other_of(&other);
    assert_true(point_id(&again) == point_id(&point));
}

static struct work other_work(const struct point *point)
{
    return (struct work){.bytes_read = 42};
}

static struct tolerance any_tolerance(const struct point *point)
{
    return (struct tolerance){.absolute = 1e9};
}

static struct tolerance any_error_of_pieces(const struct point *point)
{
    struct tolerance tolerance = family_find("gather")->tolerance(point);
    tolerance.rms = 1e9;
    return tolerance;
}

static void wrong_reference(const struct point *point, const struct inputs *inputs, int buffer,
                            uint64_t first, uint64_t count, void *out)
{
    fail_msg("the second version's reference was asked");
}

static struct setup other_setup(const struct point *point, const struct target *target)
{
    struct setup setup = family_find("gather")->setup(point, target);
    for (int b = 0; b < setup.buffers; b++)
        if (setup.buffer[b].role == BUFFER_INPUT)
            setup.buffer[b].fill = (struct fill){.kind = FILL_RANDOM};
    return setup;
}

static struct setup more_scratch(const struct point *point, const struct target *target)
{
    struct setup setup = family_find("gather")->setup(point, target);
    setup.buffer[setup.buffers++] = (struct buffer){.name = "own", .role = BUFFER_SCRATCH, .count = 8};
    return setup;
}

TEST(the_first_version_is_the_referee)
{
    static struct family first, second; /* families live as long as the program */
    first = second = *family_find("gather");
    second.reference = wrong_reference;
    const struct family *pair[] = {&first, &second};
    struct error error = {0};
    const struct family *joined = versions_join(pair, names, &error);
    assert_non_null(joined);
    struct point point = point_standard(&joined->space), other = other_of(&point);
    const struct target target = {
        .capability = 90, .multiprocessors = 132, .memory_bytes = UINT64_C(1) << 36};
    char reason[256];
    struct setup setup = point_setup(&other, &target);
    struct inputs inputs = {.setup = &setup, .seed = 1, .threads = 1};
    uint64_t out[2] = {0, 0};
    int output = 0;
    while (setup.buffer[output].role != BUFFER_OUTPUT)
        output++;
    family_of(&point)->reference(&point, &inputs, output, 0, 1, &out[0]);
    family_of(&other)->reference(&other, &inputs, output, 0, 1, &out[1]);
    assert_true(out[0] != 0 && out[0] == out[1]);

    assert_null(versions_refuse(&point, &target, reason, sizeof reason));
    assert_null(versions_refuse(&other, &target, reason, sizeof reason));
    second.setup = more_scratch;
    assert_null(versions_refuse(&other, &target, reason, sizeof reason));
    second.setup = other_setup;
    assert_non_null(versions_refuse(&other, &target, reason, sizeof reason));
    assert_non_null(strstr(reason, "version new brings another buffer '"));
    second.setup = first.setup;
    second.tolerance = any_tolerance;
    assert_non_null(versions_refuse(&other, &target, reason, sizeof reason));
    assert_non_null(strstr(reason, "version new brings another tolerance than version old"));
    assert_true(family_of(&other)->tolerance(&other).absolute < 1e9);
    second.tolerance = any_error_of_pieces;
    assert_non_null(versions_refuse(&other, &target, reason, sizeof reason));
    assert_non_null(strstr(reason, "version new brings another tolerance than version old"));
    second.work = other_work;
    assert_non_null(versions_refuse(&other, &target, reason, sizeof reason));
    assert_non_null(strstr(reason, "version new brings other work than version old"));
    assert_true(family_of(&other)->work(&other).bytes_read == first.work(&point).bytes_read);
}

/* Without data_axes the data depend on all axes, but not on the version. */
TEST(the_version_is_no_data_axis)
{
    struct family none = *family_find("gather");
    const struct family *pair[] = {&none, &none};
    struct error error = {0};
    none.data_axes = 0;
    const struct family *joined = versions_join(pair, names, &error);
    assert_non_null(joined);
    struct point point = point_standard(&joined->space), other = other_of(&point), changed = point;
    changed.value[space_axis(&joined->space, "size")]++;
    assert_true(family_data_key(&point) == family_data_key(&other));
    assert_true(family_data_key(&point) != family_data_key(&changed));
}

TEST(buffers_must_be_equal)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    const struct setup a = {
        .buffer = {buffer_output("out", DTYPE_F32, 100), buffer_input("in", DTYPE_F32, 100, random)},
        .buffers = 2};
    struct setup b = a;
    assert_true(versions_share_buffers(&a, &b));
    b.buffer[0].count++;
    assert_false(versions_share_buffers(&a, &b));
    b = a;
    b.buffer[1].fill.high = 2;
    assert_false(versions_share_buffers(&a, &b));
    b = a;
    b.buffers = 1;
    assert_false(versions_share_buffers(&a, &b));
    b = a;
    b.buffer[1].on_host = true;
    assert_false(versions_share_buffers(&a, &b));
}

/* `reduce` has two versions by now, `add` has one. */
TEST(a_grid_knows_its_pairs)
{
    struct job job = parsed("sweeps:\n"
                            "  - kernel: reduce\n"
                            "    axes: {size: [64KiB, 1MiB, 4MiB]}\n"
                            "  - kernel: add\n"
                            "  - kernel: reduce\n"
                            "    axes: {size: 16MiB, version: new}\n");
    struct grid *grid = expanded(&job);
    size_t alone = 0, second = 0;
    assert_int_equal(job.timing.replicates, PAIRED_REPLICATES);
    assert_int_equal(grid_count(grid), 3 * 2 + 1 + 1);
    assert_int_equal(grid_size(grid)->pairs, 3);
    for (size_t i = 0; i < grid_count(grid); i++) {
        uint32_t partner = grid_second(grid, i);
        second += grid_is_second(grid, i);
        if (partner == GRID_ALONE) {
            alone += !grid_is_second(grid, i);
            continue;
        }
        struct point point = grid_point(grid, i), other = other_of(&point);
        assert_int_equal(grid_second(grid, partner), GRID_ALONE);
        assert_true(grid_id(grid, partner) == point_id(&other));
        assert_true(!grid_is_second(grid, i) && grid_is_second(grid, partner));
    }
    assert_int_equal(alone, 2);
    assert_int_equal(second, 3);
    grid_free(grid);
    job_free(&job);
}
