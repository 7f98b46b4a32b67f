/* device.h - properties of the device of a worker; one row of /devices.
 *
 * One table defines the struct, the wire format and the columns: X(name, unit, meaning). An unknown number is NaN (-1 in
 * integers), never 0. */
#ifndef CORE_DEVICE_H
#define CORE_DEVICE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define DEVICE_TEXTS(X)                                                                                      \
    X(name, "", "product name, or the processor's on the host back end")                                     \
    X(uuid, "", "the driver's UUID; host-<hostname> on the host back end")                                   \
    X(backend, "", "cuda, host or fake; predicted: no device was there")                                     \
    X(host, "", "host name of the node")                                                                     \
    X(pci, "", "PCI address, domain:bus:device.function")                                                    \
    X(driver, "", "driver version, as NVML or /proc reports it")                                             \
    X(toolkit, "", "CUDA version of the driver / of NVRTC / of CCCL, whose headers kernels include")

#define DEVICE_INTS(X)                                                                                       \
    X(ordinal, "", "index among the devices visible to the worker")                                          \
    X(capability, "", "compute capability, major * 10 + minor; 0 on the host")                               \
    X(multiprocessors, "", "streaming multiprocessors; worker threads on the host back end")                 \
    X(l2_bytes, "bytes", "L2 cache; last-level cache on the host")                                           \
    X(memory_bytes, "bytes", "device memory in all")                                                         \
    X(shared_bytes, "bytes", "shared memory that one block can ask for")                                     \
    X(shared_sm_bytes, "bytes", "shared memory of one multiprocessor")                                       \
    X(threads_sm, "", "resident threads of one multiprocessor")                                              \
    X(bus_width, "bits", "memory bus width")                                                                 \
    X(numa_node, "", "NUMA node the device hangs on")

/* Peaks are measured by the worker in this run, before any point. Bytes read and written both count. */
#define DEVICE_REALS(X)                                                                                      \
    X(clock_max, "Hz", "highest SM clock the driver reports")                                                \
    X(memory_clock, "Hz", "memory clock the driver reports")                                                 \
    X(nominal, "bytes/s",                                                                                    \
      "nominal memory bandwidth: 2 x memory clock x bus width, as the driver reports them")                  \
    X(datasheet, "bytes/s", "the vendor's data sheet, when the product is known")                            \
    X(peak_copy, "bytes/s", "measured: device-to-device copy, bytes read + written")                         \
    X(peak_read, "bytes/s", "measured: read-only kernel")                                                    \
    X(peak_write, "bytes/s", "measured: write-only kernel")                                                  \
    X(peak_l2_read, "bytes/s", "measured: reads that hit L2")                                                \
    X(peak_l2_copy, "bytes/s", "measured: a copy within L2, bytes read + written")                           \
    X(peak_l2_write, "bytes/s", "measured: writes that stay in L2")                                          \
    X(peak_shared, "bytes/s", "measured: 16-byte loads from shared memory without bank conflicts")           \
    X(peak_flop_f16, "flop/s", "measured: FP16 fused multiply-adds, two a lane (HFMA2)")                     \
    X(peak_flop_f32, "flop/s", "measured: FP32 fused multiply-adds")                                         \
    X(peak_flop_f64, "flop/s", "measured: FP64 fused multiply-adds, no tensor cores")                        \
    X(peak_h2d, "bytes/s", "measured: pinned host to device")                                                \
    X(peak_d2h, "bytes/s", "measured: device to pinned host")                                                \
    X(event_floor, "s", "measured: two events with nothing between them")                                    \
    X(launch_floor, "s", "measured: an empty kernel between two events")                                     \
    X(graph_floor, "s", "measured: each further empty kernel of a CUDA graph")

#define DEVICE_TEXT_SIZE 96

struct device {
#define X(name, unit, meaning) char name[DEVICE_TEXT_SIZE];
    DEVICE_TEXTS(X)
#undef X
#define X(name, unit, meaning) int64_t name;
    DEVICE_INTS(X)
#undef X
#define X(name, unit, meaning) double name;
    DEVICE_REALS(X)
#undef X
};

/* Is a number of /devices measured by the run, so that it varies, rather than reported by the driver or the system? */
bool device_is_measured(const char *column);

/* Of one product: name, back end, multiprocessors (not of processors, whose number is each rank's share), memory within 1 %. */
bool device_same_product(const struct device *a, const struct device *b);

/* Every text empty, every number missing. */
struct device device_unknown(void);

/* Which peaks to measure: all; the device's own, which other devices of the node do not disturb (with the host link to follow, or
 * not); the host link, which the devices of a node share. */
enum peaks_part { PEAKS_ALL, PEAKS_OWN, PEAKS_OWN_FIRST, PEAKS_LINK, PEAKS_PARTS };

#endif
