#include "family/time/roof.h"

#include <math.h>

#include "family/family.h"

double roof_of_mix(double read, double peak_read, double peak_copy, double peak_write)
{
    double edge = read >= 0.5 ? peak_read : peak_write;
    double share = fabs(2 * read - 1); /* position between a copy (0) and the edge (1) */
    if (isnan(edge))
        edge = peak_copy;
    if (isnan(peak_copy))
        return share == 1 ? edge : NAN;
    return 1 / ((1 - share) / peak_copy + share / edge);
}

/* Do all buffers fit into L2? If so, the roof assumes that they stay there. */
static bool fits_l2(const struct point *point, const struct device *device)
{
    struct target target = target_of_device(device);
    struct setup setup = point_setup(point, &target);
    return device->l2_bytes > 0 && setup_bytes(&setup, 512) <= (uint64_t)device->l2_bytes;
}

static struct roof roof_of_dram(const struct point *point, enum cache_mode cache, const struct device *device,
                                const struct work *work)
{
    double bytes = (double)work->bytes_read + (double)work->bytes_written;
    double read = (double)work->bytes_read / bytes;
    if (cache == CACHE_HOT && fits_l2(point, device))
        return (struct roof){
            ROOF_l2, roof_of_mix(read, device->peak_l2_read, device->peak_l2_copy, device->peak_l2_write),
            NAN};
    enum roof_kind mixed = read == 0 ? ROOF_dram_write : ROOF_dram_mix;
    return (struct roof){.kind = read == 1 ? ROOF_dram_read : mixed,
                         .rate = roof_of_mix(read, device->peak_read, device->peak_copy, device->peak_write)};
}

/* The two directions are independent: the slower one is the roof. */
static struct roof roof_of_link(const struct device *device, const struct work *work)
{
    double to = (double)work->bytes_read, from = (double)work->bytes_written;
    double in = to > 0 ? to / device->peak_h2d : 0, out = from > 0 ? from / device->peak_d2h : 0;
    double seconds = in > out ? in : out;
    if (isnan(in) || isnan(out))
        seconds = NAN;
    return (struct roof){in >= out ? ROOF_link_h2d : ROOF_link_d2h, (to + from) / seconds, NAN};
}

static bool is_remote(const struct point *point)
{
    return family_of(point)->memory == MEMORY_PEER && family_devices(point).count == 2;
}

/* A message's bytes count once, as read or as written. With both ways at once, each device that sends has a
 * link of its own; one that has buffers only has none. Each device of a collective sends a part of its bytes.
 * Work beside messages, within the devices, crosses no link. Within one device, each byte is read and written
 * in its memory. */
static struct roof roof_of_peer(const struct point *point, enum cache_mode cache, const struct device *device,
                                const struct work *work, double link_peak)
{
    double bytes = (double)(work->bytes_read + work->bytes_written);
    bool messages = work->flops == 0 && (work->bytes_read == 0 || work->bytes_written == 0);
    if (is_remote(point) && messages) {
        struct target target = target_of_device(device);
        struct setup setup = point_setup(point, &target);
        double ways = setup.parts > 1 ? setup.parts - __builtin_popcount(setup.idle) : 1;
        if (work->bus_bytes)
            ways = bytes / (double)work->bus_bytes;
        return (struct roof){ROOF_link_peer, link_peak * ways, NAN};
    }
    if (family_devices(point).count > 1) /* of more than two: links share their ends */
        return (struct roof){ROOF_none, NAN, NAN};
    struct work twice = {.bytes_read = (uint64_t)bytes, .bytes_written = (uint64_t)bytes};
    struct roof roof = roof_of_dram(point, cache, device, &twice);
    roof.rate /= 2;
    return roof;
}

static struct roof roof_of_memory(const struct point *point, enum cache_mode cache,
                                  const struct device *device, const struct work *work, double link_peak)
{
    struct roof roof = {ROOF_none, NAN, NAN};
    switch (family_of(point)->memory) {
    case MEMORY_DRAM:
        roof = roof_of_dram(point, cache, device, work);
        break;
    case MEMORY_SHARED:
        roof = (struct roof){ROOF_shared, device->peak_shared, NAN};
        break;
    case MEMORY_LINK:
        roof = roof_of_link(device, work);
        break;
    case MEMORY_PEER:
        roof = roof_of_peer(point, cache, device, work, link_peak);
        break;
    case MEMORY_NONE:
        break;
    }
    roof.seconds = ((double)work->bytes_read + (double)work->bytes_written) / roof.rate;
    return roof;
}

enum roof_kind roof_of_type(const struct point *point)
{
    bool tensor_cores = family_of(point)->tensor_cores;
    switch ((enum dtype)point_value(point, "dtype", tensor_cores ? DTYPE_F16 : DTYPE_F32)) {
    case DTYPE_F64:
        return tensor_cores ? ROOF_none : ROOF_flop_f64;
    case DTYPE_F16:
        return tensor_cores ? ROOF_tensor_f16 : ROOF_flop_f16;
    case DTYPE_BF16:
        return tensor_cores ? ROOF_tensor_bf16 : ROOF_flop_bf16;
    case DTYPE_F32:
        return tensor_cores ? ROOF_tensor_tf32 : ROOF_flop_f32;
    case DTYPE_E4M3:
    case DTYPE_E5M2:
        return tensor_cores ? ROOF_tensor_f8 : ROOF_flop_f32;
    case DTYPE_U8:
        return tensor_cores ? ROOF_tensor_i8 : ROOF_flop_f32;
    case DTYPE_E2M1:
        return tensor_cores ? ROOF_tensor_f4 : ROOF_none;
    default:
        return tensor_cores ? ROOF_none : ROOF_flop_f32;
    }
}

static struct roof roof_of_arithmetic(const struct point *point, const struct device *device,
                                      const struct work *work)
{
    const double peaks[ROOF_COUNT] = {[ROOF_none] = NAN,
#define X(name) [ROOF_##name] = device->peak_##name,
                                      FLOP_ROOFS(X)
#undef X
    };
    enum roof_kind kind = roof_of_type(point);
    return (struct roof){kind, peaks[kind],
                         work->flops ? (double)work_flops_executed(work) / peaks[kind] : NAN};
}

struct roof roof_of(const struct point *point, enum cache_mode cache, const struct device *device,
                    double link_peak)
{
    struct work work = family_of(point)->work(point);
    struct roof memory = roof_of_memory(point, cache, device, &work, link_peak);
    struct roof arithmetic = roof_of_arithmetic(point, device, &work);
    if (arithmetic.seconds > memory.seconds || (isnan(memory.seconds) && arithmetic.seconds > 0))
        return family_of(point)->memory == MEMORY_NONE ? (struct roof){ROOF_none, NAN, NAN} : arithmetic;
    return isnan(memory.seconds) ? (struct roof){ROOF_none, NAN, NAN} : memory;
}

double roof_of_shared(double peak, double bytes, double wavefronts, double conflicts)
{
    double served = 128 * (wavefronts - conflicts);
    return served > 0 && bytes > 0 ? peak * bytes / served : peak;
}

/* The roof of loads or of stores, whichever the point's work counts. */
static double rate_of_shared(const double *real, double peak)
{
    bool reads = real[REAL_bytes_read] > 0;
    return roof_of_shared(
        peak, reads ? real[REAL_bytes_read] : real[REAL_bytes_written],
        real[reads ? REAL_predicted_shared_load_wavefronts : REAL_predicted_shared_store_wavefronts],
        real[reads ? REAL_predicted_shared_load_conflicts : REAL_predicted_shared_store_conflicts]);
}

/* Of the same roof at one end of the ranges of all peaks; NaN if none has a range, or the other end has
 * another roof. */
static double rate_at_end(const double *real, const struct roof *roof, const struct point *point,
                          enum cache_mode cache, const struct device *device, enum peak_end end)
{
    struct device at = device_at_end(device, end);
    struct roof other = roof_of(point, cache, &at, NAN);
    if (!device_has_ranges(device) || other.kind != roof->kind)
        return NAN;
    return roof->kind == ROOF_shared ? rate_of_shared(real, other.rate) : other.rate;
}

void roof_fill(struct result *result, const struct point *point, enum cache_mode cache,
               const struct device *device)
{
    double *real = result->real;
    struct roof roof = roof_of(point, cache, device, real[REAL_link_peak]);
    bool dram = family_of(point)->memory == MEMORY_DRAM && roof.kind != ROOF_l2;
    if (roof.kind == ROOF_shared) {
        double rate = rate_of_shared(real, roof.rate);
        roof.seconds *= roof.rate / rate;
        roof.rate = rate;
    }
    result->roof = roof.kind;
    real[REAL_roof_rate] = roof.rate;
    real[REAL_roof_rate_low] = rate_at_end(real, &roof, point, cache, device, PEAK_LOW);
    real[REAL_roof_rate_high] = rate_at_end(real, &roof, point, cache, device, PEAK_HIGH);
    real[REAL_fraction_peak] = roof.seconds / real[REAL_time_median];
    struct roof_interval share = roof_share(
        real[REAL_fraction_peak],
        (struct roof_interval){real[REAL_time_median], real[REAL_time_ci_low], real[REAL_time_ci_high]},
        (struct roof_interval){roof.rate, real[REAL_roof_rate_low], real[REAL_roof_rate_high]});
    real[REAL_fraction_peak_low] = share.low;
    real[REAL_fraction_peak_high] = share.high;
    real[REAL_fraction_nominal] = dram ? real[REAL_bandwidth] / device->nominal : NAN;
    if (is_remote(point)) /* both ways: the roof is that of two links */
        real[REAL_fraction_nominal] = real[REAL_bandwidth] / device->link_nominal *
                                      (real[REAL_link_peak] > 0 ? real[REAL_link_peak] / roof.rate : NAN);
    real[REAL_fraction_datasheet] = dram ? real[REAL_bandwidth] / device->datasheet : NAN;
}
