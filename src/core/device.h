/* device.h - properties of the device of a worker; one row of /devices.
 *
 * One table defines the struct, the wire format and the columns: X(name, unit, meaning). An unknown number is
 * NaN (-1 in integers), never 0. */
#pragma once

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
    X(toolkit, "", "CUDA version of the driver / of NVRTC / of CCCL, whose headers kernels include")         \
    X(vbios, "", "version of the board's firmware, by NVML")                                                 \
    X(board_part, "", "part number of the board, by NVML")                                                   \
    X(ecc, "", "error correction of the memory: on or off")                                                  \
    X(mig, "", "multi-instance mode of the GPU: on or off")                                                  \
    X(fabric, "", "NVLink fabric: not_supported, not_started, in_progress or completed")                     \
    X(host_kernel, "", "kernel of the node: name and release")                                               \
    X(host_cpu, "", "model of the node's processors")                                                        \
    X(host_system, "", "maker and product of the node, by DMI")                                              \
    X(host_distribution, "", "distribution of the system or container, by os-release")                       \
    X(host_hypervisor, "", "what the node is a virtual machine of: kvm, vmware, ...; none")                  \
    X(host_container, "", "engine of the container: docker, podman, apptainer, ...; none")                   \
    X(iommu, "", "type of the device's IOMMU domain (DMA, DMA-FQ, identity); none: it is in no group")       \
    X(transparent_hugepages, "", "the node's setting: always, madvise or never")

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
    X(numa_node, "", "NUMA node the device hangs on")                                                        \
    X(host_sockets, "", "processors of the node")                                                            \
    X(host_cores, "", "cores of the node that are online")                                                   \
    X(host_threads, "", "hardware threads of the node that are online")                                      \
    X(host_memory, "bytes", "memory of the node, without control groups' limits")                            \
    X(hugepages, "", "huge pages that the node has reserved, of its standard size")                          \
    X(bar1_bytes, "bytes", "window of the device memory that PCIe maps (BAR1)")                              \
    X(nvlinks, "", "NVLinks that are active, by NVML")

/* An integer of a device that is not known, in /devices, too. */
#define DEVICE_NO_INTEGER (-1)

/* Peaks are measured by the worker in this run, before any point. Bytes read and written both count. P(X,
 * name, unit, meaning). */
#define DEVICE_PEAKS(P, X)                                                                                   \
    P(X, peak_copy, "bytes/s",                                                                               \
      "measured: device-to-device copy, bytes read + written; the faster of the driver's and a kernel's")    \
    P(X, peak_read, "bytes/s", "measured: read-only kernel, the faster of two")                              \
    P(X, peak_write, "bytes/s", "measured: write-only kernel, the faster of two")                            \
    P(X, peak_l2_read, "bytes/s", "measured: reads that hit L2, median over places in memory")               \
    P(X, peak_l2_copy, "bytes/s", "measured: a copy within L2, bytes read + written, over places")           \
    P(X, peak_l2_write, "bytes/s", "measured: writes that stay in L2, median over places in memory")         \
    P(X, peak_shared, "bytes/s", "measured: 16-byte loads from shared memory without bank conflicts")        \
    P(X, peak_flop_f16, "flop/s", "measured: FP16 fused multiply-adds, two a lane (HFMA2), on all pipes")    \
    P(X, peak_flop_bf16, "flop/s", "measured: BF16 fused multiply-adds, two a lane (HFMA2.BF16)")            \
    P(X, peak_flop_f32, "flop/s", "measured: FP32 fused multiply-adds")                                      \
    P(X, peak_flop_f64, "flop/s", "measured: FP64 fused multiply-adds, no tensor cores")                     \
    P(X, peak_tensor_f16, "flop/s", "measured: FP16 products of tensor cores; of jobs that use them")        \
    P(X, peak_tensor_bf16, "flop/s", "measured: the same in BF16")                                           \
    P(X, peak_tensor_tf32, "flop/s", "measured: the same in TF32")                                           \
    P(X, peak_tensor_f8, "flop/s", "measured: the same in FP8 (E4M3)")                                       \
    P(X, peak_tensor_i8, "op/s", "measured: the same in 8-bit integers")                                     \
    P(X, peak_tensor_f4, "flop/s", "measured: the same in FP4 (E2M1) with block scales")                     \
    P(X, peak_h2d, "bytes/s", "measured: pinned host to device")                                             \
    P(X, peak_d2h, "bytes/s", "measured: device to pinned host")

/* A peak is the median over its launches; the range that they span is beside it. */
#define DEVICE_PEAK_COLUMNS(X, name, unit, meaning)                                                          \
    X(name, unit, meaning)                                                                                   \
    X(name##_low, unit, "measured: 5th percentile of the launches whose median is " #name)                   \
    X(name##_high, unit, "measured: 95th percentile of the launches whose median is " #name)

/* Share of clock_max below which the SM clock is lowered; readers have the same (condition.py). */
#define CLOCK_LOWERED 0.98

#define DEVICE_REALS(X)                                                                                      \
    X(clock_max, "Hz", "highest SM clock the driver reports")                                                \
    X(clock_applied, "Hz", "application clock of the SMs, by NVML: lower than clock_max where it was set")   \
    X(memory_clock, "Hz", "highest memory clock the driver reports")                                         \
    X(memory_clock_applied, "Hz", "application clock of the memory, by NVML")                                \
    X(memory_clock_load, "Hz", "measured: memory clock right after the peaks, by NVML")                      \
    X(pcie_generation, "", "measured: generation of the PCIe link right after the peaks, by NVML")           \
    X(pcie_width, "", "measured: lanes of the PCIe link right after the peaks, by NVML")                     \
    X(power_limit, "W", "power limit in force, by NVML")                                                     \
    X(idle_power, "W", "measured: power of the idle device with an open context, before any point, by NVML") \
    X(power_limit_default, "W", "power limit that the board starts with, by NVML")                           \
    X(nominal, "bytes/s",                                                                                    \
      "nominal memory bandwidth: 2 x memory clock x bus width, as the driver reports them")                  \
    X(link_nominal, "bytes/s",                                                                               \
      "nominal bandwidth of the active NVLinks together, one way, without their encoding")                   \
    X(datasheet, "bytes/s", "memory bandwidth by the vendor's data sheet, when the product is known")        \
    X(datasheet_flop_f16, "flop/s", "FP16 without tensor cores, by the same")                                \
    X(datasheet_flop_bf16, "flop/s", "BF16 without tensor cores, by the same")                               \
    X(datasheet_flop_f32, "flop/s", "FP32, by the same")                                                     \
    X(datasheet_flop_f64, "flop/s", "FP64 without tensor cores, by the same")                                \
    DEVICE_PEAKS(DEVICE_PEAK_COLUMNS, X)                                                                     \
    X(event_floor, "s", "measured: two events with nothing between them")                                    \
    X(launch_floor, "s", "measured: an empty kernel between two events")                                     \
    X(graph_floor, "s", "measured: each further empty kernel of a CUDA graph")

#define DEVICE_TEXT_SIZE 96

#define BACKEND_PREDICTED "predicted" /* the `backend` of a device that was not there */

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

/* Is a number of /devices measured by the run, so that it varies, rather than reported by the driver or the
 * system? */
bool device_is_measured(const char *column);

/* Of one product: name, back end, multiprocessors (not of processors, whose number is each rank's share),
 * memory within 1 %. */
bool device_same_product(const struct device *a, const struct device *b);

/* Every text empty, every number missing. */
struct device device_unknown(void);

/* Set a peak and its range from the rates of its launches, in any order. */
#define DEVICE_PEAK_SET(device, name, statistics)                                                            \
    ((device)->name = (statistics).median, (device)->name##_low = (statistics).p05,                          \
     (device)->name##_high = (statistics).p95)

/* Which peaks to measure: all; the device's own, which other devices of the node do not disturb (with the
 * host link to follow, or not); the host link, which the devices of a node share. */
enum peaks_part { PEAKS_ALL, PEAKS_OWN, PEAKS_OWN_FIRST, PEAKS_LINK, PEAKS_PARTS };

/* Fill the columns `datasheet...` of a device whose name is in the table of what vendors publish
 * (datasheet.c); what a sheet does not say stays missing. Measured peaks are held against it
 * (tests/gpu/roofs.sh). */
void datasheet_fill(struct device *device);
