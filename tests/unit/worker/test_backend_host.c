/* The host back end through its interface: every stage of a point, every cache mode, and verification that
 * notices a reference which computes something else from arrays than from generated inputs. */
#include "unit_test.h"

#include "family/family.h"
#include "family_test.h"
#include "kernels/registry.h"
#include "worker/stages.h"

static const struct backend *backend;
static struct device device;
static struct config config;

static int set_up(void **state)
{
    struct error error = {0};
    config = config_standard();
    config.threads = 2;
    config.seed = 11;
    config.timing.replicates = 1;
    config.timing.max_time = 0.02;
    config.timing.max_samples = 12;
    backend = backend_find("host");
    if (!backend || backend->open(0, &device, &error) != 0)
        return -1;
    backend->configure(&config);
    return 0;
}

static int tear_down(void **state)
{
    backend->close();
    return 0;
}

static char stages[256]; /* of the last point */

static void note(void *context, const char *stage)
{
    strcat(stages, stage);
    strcat(stages, ";");
}

static struct stages way_of(const struct backend *some)
{
    *stages = '\0';
    return (struct stages){.backend = some,
                           .config = config,
                           .device = &device,
                           .target = target_of_device(&device),
                           .report = note};
}

/* Until the next one. */
static struct result measure(const struct point *point)
{
    static struct result result;
    struct stages way = way_of(backend);
    result_free(&result);
    result = result_new();
    result.id = point_id(point);
    stages_measure(&way, point, &result);
    return result;
}

TEST(the_device_is_labelled)
{
    char host[64] = "", uuid[80] = "host-";
    gethostname(host, sizeof host - 1);
    strcat(uuid, host);
    assert_string_equal(device.backend, "host");
    assert_string_equal(device.uuid, uuid);
    assert_string_equal(device.host, host);
    assert_true(strlen(device.name) > 0);
    assert_int_equal(device.capability, 0);
    assert_true(device.multiprocessors >= 1);
    assert_true(device.memory_bytes > 64 << 20);
    assert_true(device.l2_bytes == -1 || device.l2_bytes >= 1 << 18);
    assert_true(isnan(device.nominal));
    assert_true(isnan(device.peak_copy)); /* not measured yet */
    assert_true(target_of_device(&device).host);
}

TEST(peaks)
{
    struct device peaks = device;
    backend->characterise(PEAKS_ALL, &peaks);
    assert_int_equal(peaks.multiprocessors, 2); /* the threads it was configured with */
    assert_true(peaks.launch_floor > 0 && peaks.launch_floor < 0.1);
    assert_true(isnan(peaks.peak_h2d) && isnan(peaks.peak_d2h) && isnan(peaks.datasheet));
    if (isnan(peaks.peak_copy))
        skip(); /* not enough memory for arrays beyond the caches */
    assert_true(peaks.peak_copy > 1e8 && peaks.peak_copy < 1e13);
    assert_true(peaks.peak_read > 1e8 && peaks.peak_read < 1e13);
    assert_true(peaks.peak_write > 1e8 && peaks.peak_write < 1e13);
}

TEST(a_point_goes_through_every_stage)
{
    struct point point = family_point("copy", "size=1MiB stride=2");
    struct result r = measure(&point);
    assert_int_equal(r.status, STATUS_OK);
    assert_string_equal(stages, "compile;verify;warm up;measure;verify;");
    assert_true(r.real[REAL_verified] == 1 << 18);
    assert_true(r.real[REAL_error_max] == 0);
    assert_true(r.real[REAL_bytes_read] == 1 << 19);
    assert_true(r.real[REAL_bytes_written] == 1 << 19);
    assert_true(r.sample_count >= 10 && r.stop != STOP_NONE);
    assert_true(r.real[REAL_time_median] > 0);
    for (uint32_t i = 0; i < r.sample_count; i++) {
        assert_true(r.samples[i].seconds > 0);
        assert_true(isnan(r.samples[i].sm_clock));
    }
    /* What a CPU does not have is missing, not 0. */
    assert_true(isnan(r.real[REAL_registers]) && isnan(r.real[REAL_grid_blocks]) &&
                isnan(r.real[REAL_power]));
}

TEST(every_variant_type_and_cache_mode)
{
    static const char *const variants[] = {"load", "store", "gridstride", "memcpy"};
    static const char *const types[] = {"u8", "f16", "bf16", "f32", "f64"};
    for (int i = 0; i < 12; i++) {
        char settings[96];
        snprintf(settings, sizeof settings, "size=%s variant=%s dtype=%s cache=%s", i % 2 ? "64KiB" : "2MiB",
                 variants[i % 4], types[i % 5], cache_words[i % 3]);
        struct point point = family_point("copy", settings);
        struct result r = measure(&point);
        if (r.status != STATUS_OK)
            fail_msg("%s", r.message);
        if (i % 3 == CACHE_COLD)
            assert_true(r.real[REAL_launches] == 1); /* a second launch of a sample would be hot */
        if (i % 3 == CACHE_ROTATE)
            assert_true(r.real[REAL_buffer_sets] >= 2);
        else
            assert_true(r.real[REAL_buffer_sets] == 1);
    }
}

TEST(quick_launches_are_batched)
{
    struct point point = family_point("copy", "size=256 variant=memcpy cache=hot");
    struct result r = measure(&point);
    assert_int_equal(r.status, STATUS_OK);
    assert_true(r.real[REAL_launches] > 5);
    assert_true(r.real[REAL_time_median] < 10e-6);
}

static double last_sample; /* of a group; the others are of 1 us */

static void take_made_up(struct trial *trial, uint32_t count, struct sample *samples)
{
    for (uint32_t i = 0; i < count; i++)
        samples[i] = (struct sample){.seconds = i + 1 < count ? 1e-6 : last_sample, .sm_clock = NAN};
}

/* What is taken off for timing may be more than what a short launch took. No results file may have such a
 * time. */
TEST(samples_without_a_time_fail_the_point)
{
    static const double bad[] = {-1e-7, 0, NAN, INFINITY};
    struct point point = family_point("copy", "size=4KiB");
    struct backend off = *backend;
    off.take = take_made_up;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct result r = result_new();
        struct stages way = way_of(&off);
        last_sample = bad[i];
        stages_measure(&way, &point, &r);
        assert_int_equal(r.status, STATUS_FAILED);
        assert_non_null(strstr(r.message, i ? "a launch took " : "a launch took -1e-07 s"));
        assert_int_equal(r.sample_count, 0);
        result_free(&r);
    }
}

static void take_of_pair(struct trial *const trial[2], const unsigned char *version, uint32_t count,
                         struct sample *samples)
{
    for (uint32_t i = 0; i < count; i++)
        samples[i] = (struct sample){.seconds = version[i] ? last_sample : 1e-6, .sm_clock = NAN};
}

/* Of a pair, it fails the point that the sample is of; the other one is timed alone. */
TEST(samples_without_a_time_in_a_pair)
{
    const struct point a = family_point("copy", "size=4KiB variant=load"),
                       b = family_point("copy", "size=4KiB variant=store");
    struct result first = result_new(), second = result_new();
    struct backend off = *backend;
    struct stages way = way_of(&off);
    off.take_pair = take_of_pair;
    last_sample = -1e-7;
    stages_measure_pair(&way, 0, (const struct point *const[]){&a, &b},
                        (struct result *const[]){&first, &second});
    assert_int_equal(second.status, STATUS_FAILED);
    assert_non_null(strstr(second.message, "a launch took -1e-07 s"));
    assert_int_equal(first.status, STATUS_OK);
    assert_string_equal(first.message, "timed without its pair: the other point failed");
    result_free(&first);
    result_free(&second);
}

TEST(unsupported_points_say_why)
{
    struct point point = family_point("copy", "size=1MiB arch=sm_90");
    struct result r = measure(&point);
    assert_int_equal(r.status, STATUS_UNSUPPORTED);
    assert_non_null(strstr(r.message, "sm_90"));
    assert_int_equal(r.sample_count, 0);
    assert_int_equal(r.stop, STOP_NONE);
    assert_true(isnan(r.real[REAL_time_median]));

    point = family_point("copy", "size=16TiB items=64");
    r = measure(&point);
    assert_int_equal(r.status, STATUS_UNSUPPORTED);
    assert_non_null(strstr(r.message, "GiB"));
    assert_string_equal(stages, "");
}

static bool broken;

static const char *never_skip(const struct point *point, const struct target *target, char *reason,
                              size_t size)
{
    return NULL;
}

static struct setup double_setup(const struct point *point, const struct target *target)
{
    return (struct setup){
        .buffer = {{"in", BUFFER_INPUT, DTYPE_F64, 5000, {.kind = FILL_RANDOM, .low = 1, .high = 2}, 0, 0},
                   {"out", BUFFER_OUTPUT, DTYPE_F64, 5000, {0}, 0, 0}},
        .buffers = 2,
        .entry = "doubling",
        .argument = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}},
        .arguments = 2,
        .grid = {1, 1, 1},
        .block = {1, 1, 1}};
}

static struct work double_work(const struct point *point)
{
    return (struct work){.bytes_read = 40000, .bytes_written = 40000, .flops = 5000};
}

static struct tolerance exact(const struct point *point)
{
    return (struct tolerance){0};
}

static void double_reference(const struct point *point, const struct inputs *inputs, int buffer,
                             uint64_t first, uint64_t count, void *out)
{
    for (uint64_t i = first; i < first + count; i++)
        ((double *)out)[i - first] =
            (broken && inputs->data[0] && i == 4321 ? 3 : 2) * inputs_real(inputs, 0, i);
}

static const struct axis one_axis[] = {AXIS_CACHE};
static const struct family doubling = {.space = {.kernel = "doubling", .axes = one_axis, .count = 1},
                                       .skip = never_skip,
                                       .setup = double_setup,
                                       .work = double_work,
                                       .tolerance = exact,
                                       .reference = double_reference};

TEST(wrong_output_fails_the_point)
{
    struct point point = point_standard(&doubling.space);
    broken = false;
    struct result r = measure(&point);
    assert_int_equal(r.status, STATUS_OK);
    assert_true(r.real[REAL_flops] == 5000 && r.real[REAL_time_median] > 0);
    broken = true;
    r = measure(&point);
    assert_int_equal(r.status, STATUS_FAILED);
    assert_non_null(strstr(r.message, "output 'out'[4321]: expected "));
    assert_non_null(strstr(r.message, "1 of 5000 compared elements differ"));
    assert_string_equal(stages, "compile;verify;"); /* nothing wrong is ever timed */
    assert_int_equal(r.sample_count, 0);
    assert_true(fabs(r.real[REAL_error_max] - 0.5) < 1e-12);
}

static bool spoiled;

/* The family's own, but for one word of the array that goes to the host. */
static void spoiling_reference(const struct point *point, const struct inputs *inputs, int buffer,
                               uint64_t first, uint64_t count, void *out)
{
    family_find("host_copy")->reference(point, inputs, buffer, first, count, out);
    if (spoiled && inputs->data[0] && buffer == 3 && first <= 1234 && 1234 < first + count)
        ((uint32_t *)out)[1234 - first] ^= 2;
}

static struct result measure_host_copy(struct family *family, const char *settings)
{
    struct point point = family_point("host_copy", settings);
    *family = *family_find("host_copy");
    family->reference = spoiling_reference;
    point.space = &family->space;
    return measure(&point);
}

TEST(copies_in_host_memory)
{
    static const char *const settings[] = {"variant=pinned",
                                           "variant=pageable direction=d2h",
                                           "direction=both",
                                           "variant=zero_copy width=16",
                                           "variant=zero_copy direction=both",
                                           "variant=round_trip",
                                           "variant=pinned direction=both numa=0"};
    struct family family;
    char sized[128];
    spoiled = false;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        snprintf(sized, sizeof sized, "size=64KiB cache=hot %s", settings[i]);
        struct result r = measure_host_copy(&family, sized);
        bool refused = strstr(settings[i], "numa") && strstr(r.message, "CAP_SYS_NICE"); /* a container */
        if (r.status != STATUS_OK && !refused)
            fail_msg("%s: %s", settings[i], r.message);
    }
    spoiled = true;
    struct result r = measure_host_copy(&family, "variant=pinned direction=both size=64KiB");
    assert_int_equal(r.status, STATUS_FAILED);
    assert_non_null(strstr(r.message, "output 'out_back'[1234]: expected "));
    assert_non_null(strstr(r.message, "1 of 32768 compared elements differ"));
}

/* No machine of a test has eight nodes. */
TEST(a_missing_node_is_unavailable)
{
    struct family family;
    struct result r = measure_host_copy(&family, "variant=pinned size=64KiB numa=7");
    assert_int_equal(r.status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(r.message, "NUMA node 7"));
    assert_string_equal(stages, "");
}

GROUP(set_up, tear_down)
