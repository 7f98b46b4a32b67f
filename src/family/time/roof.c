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

/* Clean lines of L2 may take what is written, and keep it: this much at most. */
static double kept_by_l2(enum cache_mode cache, const struct device *device, const struct work *work)
{
    return cache == CACHE_CLEAN ? fmin((double)work->bytes_written, (double)device->l2_bytes) : 0;
}

static struct roof roof_of_dram(const struct point *point, enum cache_mode cache, const struct device *device,
                                const struct work *work)
{
    double bytes = (double)work->bytes_read + (double)work->bytes_written;
    double moved = bytes - kept_by_l2(cache, device, work), read = (double)work->bytes_read / moved;
    if (cache == CACHE_HOT && fits_l2(point, device))
        return (struct roof){
            ROOF_l2, roof_of_mix(read, device->peak_l2_read, device->peak_l2_copy, device->peak_l2_write),
            NAN};
    enum roof_kind mixed = read == 0 ? ROOF_dram_write : ROOF_dram_mix;
    return (struct roof){.kind = read == 1 ? ROOF_dram_read : mixed,
                         .rate = roof_of_mix(read, device->peak_read, device->peak_copy, device->peak_write) *
                                 bytes / moved};
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

/* Links that messages between devices use at once: each device that sends has one of its own; one that has
 * buffers only has none. Each device of a collective sends a part of its bytes. 0: within one device. NaN:
 * work beside messages crosses no link, and of more than two devices the links share their ends. */
static double links_of(const struct point *point, const struct device *device, const struct work *work)
{
    bool messages = work->flops == 0 && (work->bytes_read == 0 || work->bytes_written == 0);
    if (family_of(point)->memory != MEMORY_PEER)
        return NAN;
    if (family_devices(point).count <= 1)
        return 0;
    if (!is_remote(point) || !messages)
        return NAN;
    if (work->bus_bytes)
        return (double)(work->bytes_read + work->bytes_written) / (double)work->bus_bytes;
    struct target target = target_of_device(device);
    struct setup setup = point_setup(point, &target);
    return setup.parts > 1 ? setup.parts - __builtin_popcount(setup.idle) : 1;
}

/* A message's bytes count once, as read or as written. Within one device, each byte is read and written in
 * its memory. */
static struct roof roof_of_peer(const struct point *point, enum cache_mode cache, const struct device *device,
                                const struct work *work, double links, double link_peak)
{
    if (links > 0)
        return (struct roof){ROOF_link_peer, link_peak * links, NAN};
    if (isnan(links))
        return (struct roof){ROOF_none, NAN, NAN};
    uint64_t bytes = work->bytes_read + work->bytes_written;
    struct work twice = {.bytes_read = bytes, .bytes_written = bytes};
    struct roof roof = roof_of_dram(point, cache, device, &twice);
    roof.rate /= 2;
    return roof;
}

static struct roof roof_of_memory(const struct point *point, enum cache_mode cache,
                                  const struct device *device, const struct work *work, double links,
                                  double link_peak)
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
        roof = roof_of_peer(point, cache, device, work, links, link_peak);
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

static struct roof lower_of(const struct point *point, enum cache_mode cache, const struct device *device,
                            const struct work *work, double links, double link_peak)
{
    struct roof memory = roof_of_memory(point, cache, device, work, links, link_peak);
    struct roof arithmetic = roof_of_arithmetic(point, device, work);
    if (arithmetic.seconds > memory.seconds || (isnan(memory.seconds) && arithmetic.seconds > 0))
        return family_of(point)->memory == MEMORY_NONE ? (struct roof){ROOF_none, NAN, NAN} : arithmetic;
    return isnan(memory.seconds) ? (struct roof){ROOF_none, NAN, NAN} : memory;
}

struct roof roof_of(const struct point *point, enum cache_mode cache, const struct device *device,
                    double link_peak)
{
    struct work work = family_of(point)->work(point);
    return lower_of(point, cache, device, &work, links_of(point, device, &work), link_peak);
}

void roof_fill(struct result *result, const struct point *point, enum cache_mode cache,
               const struct device *device)
{
    struct work work = family_of(point)->work(point);
    double links = links_of(point, device, &work);
    result->real[REAL_roof_links] = links;
    result->roof = lower_of(point, cache, device, &work, links, result->real[REAL_link_peak]).kind;
}
