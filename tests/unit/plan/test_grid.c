/* Grids: against a plain nested walk over the job, which decides anew for each combination. */
#include "unit_test.h"

#include "base/memory.h"
#include "job_fixture.h"
#include "plan/grid.h"

static bool lists(const struct job_axis *axis, int64_t value)
{
    for (size_t i = 0; i < axis->count; i++)
        if (axis->values[i] == value)
            return true;
    return false;
}

static bool is_excluded(const struct job_sweep *sweep, const struct point *point)
{
    for (int e = 0; e < sweep->exclude_count; e++) {
        int hits = 0;
        for (int i = 0; i < sweep->excludes[e].count; i++)
            hits += lists(&sweep->excludes[e].axes[i], point->value[sweep->excludes[e].axes[i].axis]);
        if (hits == sweep->excludes[e].count)
            return true;
    }
    return false;
}

/* What the grid has to be: every combination, with each axis of a group at its leader's position. */
struct walk {
    const struct job_sweep *sweep;
    size_t position[POINT_AXES_MAX];
    struct point *points;
    size_t count, capacity, excluded, duplicates;
};

static void walk_point(struct walk *walk)
{
    struct point point = {.space = &walk->sweep->family->space};
    for (int i = 0; i < walk->sweep->axis_count; i++)
        point.value[i] = walk->sweep->axes[i].values[walk->position[walk->sweep->axes[i].group]];
    if (is_excluded(walk->sweep, &point)) {
        walk->excluded++;
        return;
    }
    for (size_t i = 0; i < walk->count; i++) {
        if (!memcmp(walk->points[i].value, point.value, sizeof point.value)) {
            walk->duplicates++;
            return;
        }
    }
    walk->points = memory_grow(walk->points, walk->count, &walk->capacity, sizeof *walk->points);
    walk->points[walk->count++] = point;
}

static void walk_axis(struct walk *walk, int axis)
{
    if (axis == walk->sweep->axis_count) {
        walk_point(walk);
        return;
    }
    size_t values = walk->sweep->axes[axis].group == axis ? walk->sweep->axes[axis].count : 1;
    for (walk->position[axis] = 0; walk->position[axis] < values; walk->position[axis]++)
        walk_axis(walk, axis + 1);
}

static void assert_like_walk(const char *text)
{
    struct job job = parsed(text);
    struct grid *grid = expanded(&job);
    struct walk walk = {0};
    for (int s = 0; s < job.sweep_count; s++) {
        walk.sweep = &job.sweeps[s];
        walk_axis(&walk, 0);
    }
    assert_int_equal(grid_count(grid), walk.count);
    assert_int_equal(grid_size(grid)->excluded, walk.excluded);
    assert_int_equal(grid_size(grid)->duplicates, walk.duplicates);
    for (size_t i = 0; i < walk.count; i++) {
        struct point point = grid_point(grid, i);
        assert_ptr_equal(point.space, walk.points[i].space);
        assert_memory_equal(point.value, walk.points[i].value, sizeof point.value);
        assert_true(grid_id(grid, i) == point_id(&walk.points[i]));
    }
    free(walk.points);
    grid_free(grid);
    job_free(&job);
}

TEST(like_walk)
{
    assert_like_walk("sweeps: [{kernel: copy}]\n");
    assert_like_walk(
        "sweeps:\n"
        "  - kernel: copy\n"
        "    axes: {stride: [4, 1, 2], size: [1MiB, 2MiB], dtype: [u8, f32], items: [1, 2, 4, 8]}\n");
    assert_like_walk("sweeps:\n"
                     "  - kernel: copy\n"
                     "    axes: {stride: [4, 1, 2], vector: [1, 2, 4], items: [1, 2, 4], block: [32, 64]}\n"
                     "    zip: [[items, stride]]\n"
                     "    exclude:\n"
                     "      - {stride: [4, 2], vector: [1, 4]}\n"
                     "      - {items: 2, block: 32}\n"
                     "      - {dtype: f32, vector: 2, stride: 1}\n");
}

TEST(excludes_on_axes_of_one_value)
{
    assert_like_walk("sweeps:\n"
                     "  - kernel: copy\n"
                     "    axes: {size: 1MiB, stride: [1, 2]}\n"
                     "    exclude:\n"
                     "      - {size: 1MiB, stride: 2}\n");
}

TEST(64_excludes)
{
    struct text text = {0};
    text_add(&text,
             "sweeps:\n  - kernel: copy\n    axes: {offset: {from: 0, to: 99, step: 1}, items: [1, 2]}\n"
             "    exclude:\n");
    for (int i = 0; i < JOB_EXCLUDES_MAX; i++)
        text_add(&text, "      - {offset: %d, items: %d}\n", i, i % 2 + 1);
    assert_like_walk(text.data);
    text_free(&text);
}

TEST(repetitions_count_once)
{
    assert_like_walk("sweeps:\n"
                     "  - {kernel: copy, axes: {stride: [1, 2, 4]}}\n"
                     "  - {kernel: copy, axes: {stride: [4, 8, 1], items: [1, 2]}}\n"
                     "  - {kernel: copy}\n");
}

TEST(ids_do_not_depend_on_the_job)
{
    /* The same point from two jobs: resume finds it again after the job was reordered or extended. */
    struct job a = parsed("sweeps: [{kernel: copy, axes: {stride: [1, 2], size: 1MiB}}]\n");
    struct job b = parsed("sweeps: [{kernel: copy, axes: {size: [4KiB, 1MiB], stride: [8, 2]}}]\n");
    struct grid *in_a = expanded(&a), *in_b = expanded(&b);
    assert_int_equal(grid_count(in_a), 2);
    assert_int_equal(grid_count(in_b), 4);
    assert_true(grid_id(in_a, 1) == grid_id(in_b, 3));
    assert_true(grid_id(in_a, 0) != grid_id(in_a, 1));
    grid_free(in_a);
    grid_free(in_b);
    job_free(&a);
    job_free(&b);
}
