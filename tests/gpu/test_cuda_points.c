/* Points of the copy family, and one of several sets, on the GPU: all are verified and timed, and the figures
 * are physically possible. */
#include <math.h>
#include <string.h>

#include "gpu_test.h"
#include "kernels/registry.h"

static int checked;
static struct device device;

static struct result measure(const struct point *point)
{
    struct result result = gpu_test_measure(&device, point);
    struct text text = {0};
    point_describe(point, &text);
    CHECK(result.status == STATUS_OK || result.status == STATUS_UNSUPPORTED, "%s: %s", text.data,
          result.message);
    text_free(&text);
    checked++;
    return result;
}

static void set(struct point *p, const char *axis, const char *value)
{
    struct error error = {0};
    int at = space_axis(p->space, axis);
    CHECK(axis_parse(&p->space->axes[at], value, &p->value[at], &error) == 0, "%s", error.text);
}

static struct point copy_point(const char *variant, int64_t size, enum dtype dtype, int64_t vector,
                               int64_t stride, int64_t offset, const char *cache)
{
    struct point p = point_standard(family_space("copy"));
    set(&p, "variant", variant);
    set(&p, "cache", cache);
    p.value[space_axis(p.space, "size")] = size;
    p.value[space_axis(p.space, "dtype")] = dtype;
    p.value[space_axis(p.space, "vector")] = vector;
    p.value[space_axis(p.space, "stride")] = stride;
    p.value[space_axis(p.space, "offset")] = offset;
    return p;
}

static void check_possible(const struct result *r)
{
    const double *real = r->real;
    if (r->status != STATUS_OK)
        return;
    CHECK(real[REAL_verified] > 0, "nothing was compared");
    CHECK(r->sample_count >= 10, "%u samples", r->sample_count);
    CHECK(real[REAL_time_median] > 0, "time %g", real[REAL_time_median]);
    double clock = r->samples[0].sm_clock;
    CHECK(clock > 1e8 && clock < 1.05 * device.clock_max, "SM clock %g of %g", clock, device.clock_max);
}

static double bandwidth(struct point p)
{
    struct result r = measure(&p);
    double value = result_bandwidth(&r);
    check_possible(&r);
    result_free(&r);
    return value;
}

/* Sets of buffers that stay in L2: as many as asked for, each as often as the others, and the latency is a
 * mean over them. */
static void check_sets(void)
{
    static const char *const settings[][2] = {{"result", "chained"}, {"home", "near"}, {"step", "4"},
                                              {"block", "32"},       {"blocks", "1"},  {"rounds", "128"},
                                              {"sets", "8"},         {"cache", "hot"}};
    struct point p = point_standard(family_space("atomics"));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        set(&p, settings[i][0], settings[i][1]);
    struct result r = measure(&p);
    const double *real = r.real;
    check_possible(&r);
    CHECK(real[REAL_buffer_sets] == 8 && fmod(real[REAL_launches], 8) == 0, "%g sets, %g launches",
          real[REAL_buffer_sets], real[REAL_launches]);
    CHECK(real[REAL_latency_p50] > 100 && real[REAL_latency_p50] < 1000, "latency %g",
          real[REAL_latency_p50]);
    result_free(&r);
}

int main(void)
{
    device = gpu_test_open();
    backend_cuda.characterise(PEAKS_ALL, &device);
    printf("%s: copy %.0f read %.0f write %.0f L2 read %.0f H2D %.1f D2H %.1f GB/s, nominal %.0f, launch "
           "floor %.2f us\n",
           device.name, device.peak_copy / 1e9, device.peak_read / 1e9, device.peak_write / 1e9,
           device.peak_l2_read / 1e9, device.peak_h2d / 1e9, device.peak_d2h / 1e9, device.nominal / 1e9,
           device.launch_floor * 1e6);
    CHECK(device.peak_copy > 0.5 * device.nominal && device.peak_copy < device.nominal, "copy %g",
          device.peak_copy);
    CHECK(device.peak_read < device.nominal && device.peak_write < device.nominal,
          "read or write over nominal");
    CHECK(device.peak_l2_read > device.peak_read, "L2 read %g", device.peak_l2_read);

    const char *const variants[] = {"load", "store", "gridstride"};
    const enum dtype dtypes[] = {DTYPE_U8, DTYPE_F16, DTYPE_F64};
    for (int v = 0; v < 3; v++)
        for (int d = 0; d < 3; d++)
            for (int64_t vector = 1; vector <= 32; vector *= 2)
                for (int64_t stride = 1; stride <= 137; stride += 136) {
                    struct point p = copy_point(variants[v], (1 << 20) + 8 * 1003, dtypes[d], vector, stride,
                                                vector * 3, "cold");
                    struct result r = measure(&p);
                    check_possible(&r);
                    result_free(&r);
                }

    double large = bandwidth(copy_point("load", INT64_C(1) << 30, DTYPE_F32, 4, 1, 0, "cold"));
    double vendor = bandwidth(copy_point("memcpy", INT64_C(1) << 30, DTYPE_F32, 1, 1, 0, "cold"));
    double strided = bandwidth(copy_point("load", INT64_C(1) << 30, DTYPE_F32, 1, 32, 0, "cold"));
    printf("f32 1 GiB: vector 4 %.0f GB/s, memcpy %.0f GB/s, stride 32 %.0f GB/s\n", large / 1e9,
           vendor / 1e9, strided / 1e9);
    CHECK(large < device.nominal && vendor < device.nominal, "over nominal");
    CHECK(strided < 0.5 * large, "stride 32 is not slow");
    double cold = bandwidth(copy_point("load", 4 << 20, DTYPE_F32, 4, 1, 0, "cold"));
    double hot = bandwidth(copy_point("load", 4 << 20, DTYPE_F32, 4, 1, 0, "hot"));
    double rotate = bandwidth(copy_point("load", 4 << 20, DTYPE_F32, 4, 1, 0, "rotate"));
    printf("f32 4 MiB: cold %.0f, rotate %.0f, hot %.0f GB/s\n", cold / 1e9, rotate / 1e9, hot / 1e9);
    CHECK(hot > 1.2 * cold, "hot %g, cold %g", hot, cold);

    check_sets();

    struct point huge = copy_point("load", device.memory_bytes, DTYPE_U8, 1, 1, 0, "cold");
    struct result r = measure(&huge);
    CHECK(r.status == STATUS_UNSUPPORTED, "two arrays of all memory fit: %s", r.message);
    result_free(&r);
    backend_cuda.close();
    return gpu_test_end("points", checked);
}
