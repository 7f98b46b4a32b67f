/* Axis values that depend on the device become numbers in the text of the job. */
#include "unit_test.h"

#include "plan/job.h"
#include "plan/grid.h"

static const struct target none = {0},
                           b200 = {.multiprocessors = 148,
                                   .l2_bytes = 132644864,
                                   .shared_bytes = 232448,
                                   .memory_bytes = 191514411008},
                           gb10 = {.multiprocessors = 48,
                                   .l2_bytes = 25165824,
                                   .shared_bytes = 101376,
                                   .memory_bytes = 128000000000};

static int asked;

static struct target ask(void *target)
{
    asked++;
    return *(const struct target *)target;
}

/* How often the device is asked for while the job is read. */
static int asks(struct job_source source, int expected)
{
    struct error error;
    struct job job;
    source.device = &(struct job_device){ask, (void *)&b200};
    asked = 0;
    assert_int_equal(compose_job(&source, &job, &error), expected);
    if (!expected)
        job_free(&job);
    return asked;
}

static void assert_text(const struct target *target, const char *text, const char *expected)
{
    struct error error;
    struct job job;
    if (job_parse("t.yaml", text, strlen(text), &(struct job_device){ask, (void *)target}, &job, &error) != 0)
        fail_msg("%s", error.text);
    assert_string_equal(job.text, expected);
    job_free(&job);
}

/* Each word alone makes a job depend on the device. */
TEST(is_relative)
{
    static const struct job_source source[] = {{.kernel = "l2_topology", .set = {"sm=all"}, .sets = 1},
                                               {.kernel = "latency", .set = {"size=l2*4"}, .sets = 1},
                                               {.kernel = "latency", .set = {"size=l2"}, .sets = 1},
                                               {.kernel = "latency", .set = {"size=shared/2"}, .sets = 1},
                                               {.kernel = "latency", .set = {"size=memory"}, .sets = 1},
                                               {.kernel = "tensor_matmul", .set = {"stages=fit"}, .sets = 1}};
    for (size_t i = 0; i < sizeof source / sizeof *source; i++)
        assert_true(asks(source[i], 0) > 0);
    assert_int_equal(asks((struct job_source){.path = "/dev/null"}, -1), 0);
    assert_int_equal(asks((struct job_source){.kernel = "pages", .set = {"chasers=all"}, .sets = 1}, 0), 0);
    assert_int_equal(asks((struct job_source){.kernel = "latency", .set = {"size=1KiB"}, .sets = 1}, 0), 0);
}

TEST(set)
{
    struct job_source source = {.kernel = "l2_topology", .set = {"sm=all", "size=l2/8"}, .sets = 2};
    struct error error;
    struct job job;
    struct grid *grid;
    source.device = &(struct job_device){ask, (void *)&b200};
    assert_int_equal(compose_job(&source, &job, &error), 0);
    assert_int_equal(grid_expand(&job, &grid, &error), 0);
    assert_int_equal(grid_count(grid), 148);
    grid_free(grid);
    job_free(&job);
}

TEST(every_word)
{
    static const char
        all[] = "sweeps: [{kernel: l2_topology, axes: {sm: all}}] # all\n",
        numbers[] = "sweeps: [{kernel: l2_topology, axes: {sm: [0, {from: 2, to: sms-2, step: 4}], other: "
                    "[sms/2, sms-1]}}]\n",
        sizes[] =
            "sweeps: [{kernel: latency, axes: {size: [1KiB, l2, l2*4, l2/8, shared, shared/2, memory]}}]\n",
        stages[] = "defaults: {stages: fit}\nsweeps: [{kernel: tensor_matmul}]\n";
    assert_text(&none, all,
                "sweeps:\n  - kernel: l2_topology\n    axes: {sm: {from: 0, to: 131, step: 1}}\n");
    assert_text(&b200, all,
                "sweeps:\n  - kernel: l2_topology\n    axes: {sm: {from: 0, to: 147, step: 1}}\n");
    assert_text(&gb10, numbers,
                "sweeps:\n  - kernel: l2_topology\n"
                "    axes: {sm: [0, {from: 2, to: 46, step: 4}], other: [24, 47]}\n");
    assert_text(&none, sizes,
                "sweeps:\n  - kernel: latency\n"
                "    axes: {size: [1KiB, 64MiB, 256MiB, 8MiB, 128KiB, 64KiB, 64GiB]}\n");
    assert_text(&b200, sizes,
                "sweeps:\n  - kernel: latency\n"
                "    axes: {size: [1KiB, 128MiB, 512MiB, 16MiB, 128KiB, 64KiB, 128GiB]}\n");
    assert_text(&gb10, stages, "defaults: {stages: 2}\nsweeps:\n  - kernel: tensor_matmul\n");
    assert_text(&b200, stages, "defaults: {stages: 4}\nsweeps:\n  - kernel: tensor_matmul\n");
}

/* Of a list, a value that is there already is left out; other words stay, and so do jobs without such values,
 * byte for byte. */
TEST(doubles_and_words)
{
    assert_text(&gb10,
                "# Größe all\ntitle: \"Größe: l2\"\nsweeps:\n  - kernel: cluster # all\n"
                "    axes: {size: [4KiB, 16KiB, shared/4]}\n    exclude: [{size: shared/4}]\n",
                "title: \"Größe: l2\"\nsweeps:\n  - kernel: cluster\n    axes: {size: [4KiB, 16KiB]}\n"
                "    exclude: [{size: 16KiB}]\n");
    assert_text(&gb10, "sweeps: [{kernel: cluster, axes: {size: [shared/4, 16KiB]}}]\n",
                "sweeps:\n  - kernel: cluster\n    axes: {size: [16KiB]}\n");
    assert_text(&gb10, "sweeps: [{kernel: cluster, axes: {size: [shared/4, shared/4, 4KiB]}}]\n",
                "sweeps:\n  - kernel: cluster\n    axes: {size: [16KiB, 4KiB]}\n");
    assert_text(&b200, "sweeps: [{kernel: pages, axes: {chasers: [two, all]}}] # a word of that axis\n",
                "sweeps: [{kernel: pages, axes: {chasers: [two, all]}}] # a word of that axis\n");
}

/* A message names the place in the job as it was written. */
TEST(place)
{
    struct error error;
    struct job job;
    const char *text = "sweeps:\n  - kernel: latency\n    axes: {size: [l2, memory], cache: luke}\n";
    assert_int_equal(job_parse("t.yaml", text, strlen(text), NULL, &job, &error), -1);
    assert_non_null(strstr(error.text, "t.yaml:3:39: cache has no value 'luke'"));
}

static void assert_refused(const char *text)
{
    struct error error;
    struct job job;
    assert_int_equal(job_parse("t.yaml", text, strlen(text), NULL, &job, &error), -1);
}

TEST(what_is_none)
{
    assert_refused("sweeps: [{kernel: latency, axes: {size: l3}}]\n");
    assert_refused("sweeps: [{kernel: latency, axes: {size: l2*0}}]\n");
    assert_refused("sweeps: [{kernel: latency, axes: {size: l2-1}}]\n");
    assert_refused("sweeps: [{kernel: latency, axes: {size: l2*}}]\n");
    assert_refused(
        "sweeps: [{kernel: l2_topology, axes: {sm: 'all'}}]\n"); /* quoted: a word, and no number */
    assert_refused("sweeps: [{kernel: l2_topology, axes: {sm: sms-133}}]\n");
    assert_refused("sweeps: [{kernel: l2_topology, axes: {sm: [all, 0]}}]\n"); /* 0 twice */
}
