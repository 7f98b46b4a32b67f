/* Jobs from the command line: what is written reads back as the same job, whatever the file says; edits do
 * what they say. */

#include "unit_test.h"

#include "job_fixture.h"
#include "plan/job.h"
#include "plan/grid.h"

static struct job composed(const struct job_source *source)
{
    struct job job;
    struct error error = {0};
    if (compose_job(source, &job, &error) != 0)
        fail_msg("%s", error.text);
    return job;
}

static void refused(const struct job_source *source, const char *said)
{
    struct job job;
    struct error error = {0};
    assert_int_equal(compose_job(source, &job, &error), -1);
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.text, said))
        fail_msg("'%s' does not say '%s'", error.text, said);
}

static char path[] = "/tmp/compose.XXXXXX";

static struct job_source with_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return (struct job_source){.path = path};
}

/* --set stands for all that the sweep said of the axis, also in its excludes. */
TEST(set)
{
    struct job_source source = with_file("timing: {max_time: 1s, replicates: 2}\n"
                                         "defaults: {size: 1MiB}\n"
                                         "sweeps:\n"
                                         "  - kernel: copy\n"
                                         "    axes: {stride: [1, 2, 4], vector: [1, 2]}\n"
                                         "    exclude:\n"
                                         "      - {stride: [2, 4], vector: 2}\n"
                                         "      - {stride: 4, vector: 1}\n"
                                         "  - kernel: gather\n"
                                         "    axes: {stride: [1, 2]}\n");
    source.set[source.sets++] = "stride=1,2";
    source.set[source.sets++] = "gather.stride=7";
    source.set[source.sets++] = "timing.max_time=3s";
    source.set[source.sets++] = "size={from: 1MiB, to: 4MiB, factor: 4}";
    struct job job = composed(&source);
    assert_int_equal(job.sweep_count, 2);
    assert_int_equal(job.sweeps[0].exclude_count, 1); /* nothing of the second is left */
    assert_int_equal(job.sweeps[0].excludes[0].axes[0].count, 1);
    struct grid *grid = expanded(&job);
    assert_int_equal(grid_count(grid), 2 * (2 * 2 - 1) + 2);
    struct point last = grid_point(grid, grid_count(grid) - 1);
    assert_int_equal(point_value(&last, "stride", 0), 7);
    assert_true(job.timing.max_time == 3 && job.timing.replicates == 2);
    grid_free(grid);
    job_free(&job);
}

TEST(refused)
{
    refused(&(struct job_source){.kernel = "cpoy"}, "did you mean 'copy'");
    refused(&(struct job_source){.kernel = "copy", .set = {"stride"}, .sets = 1}, "not AXIS=VALUES");
    refused(&(struct job_source){.kernel = "copy", .set = {"stride="}, .sets = 1}, "not AXIS=VALUES");
    refused(&(struct job_source){.kernel = "copy", .set = {"strid=1"}, .sets = 1}, "did you mean 'stride'?");
    refused(&(struct job_source){.kernel = "copy", .set = {"cpoy.stride=1"}, .sets = 1},
            "did you mean 'copy'?");
    refused(&(struct job_source){.kernel = "copy", .set = {"stride=1,1"}, .sets = 1}, "--set stride=1,1");
    refused(&(struct job_source){.kernel = "copy", .set = {"stride=two"}, .sets = 1},
            "whole number of accesses");
    refused(&(struct job_source){.kernel = "copy", .set = {"size=64mib"}, .sets = 1},
            "did you mean '64MiB'?");
    refused(&(struct job_source){.kernel = "copy", .set = {"stride=[1"}, .sets = 1}, "--set stride=[1");
    refused(&(struct job_source){.kernel = "copy", .set = {"timing.max_tim=1s"}, .sets = 1},
            "did you mean 'max_time'?");
    refused(&(struct job_source){.path = "/no/such/job.yaml"}, "/no/such/job.yaml");
    struct job_source zipped = with_file(
        "sweeps: [{kernel: copy, axes: {stride: [1, 2], vector: [1, 2]}, zip: [[stride, vector]]}]\n");
    zipped.set[zipped.sets++] = "stride=1,2,4";
    refused(&zipped, "axes that move together have equally many");
}

static int make_path(void **state)
{
    return mkstemp(path) < 0;
}

static int remove_path(void **state)
{
    return remove(path);
}

GROUP(make_path, remove_path)
