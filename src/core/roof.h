/* roof.h - kinds of roofs of the roofline model: the column `roof` of results. */
#pragma once

#include <stdbool.h>

/* X(name, description). Files contain the name. */
#define ROOFS(X)                                                                                             \
    X(none, "none")                                                                                          \
    X(dram_read, "DRAM read")                                                                                \
    X(dram_write, "DRAM write")                                                                              \
    X(dram_mix, "DRAM read and write")                                                                       \
    X(l2, "L2")                                                                                              \
    X(shared, "shared memory")                                                                               \
    X(link_h2d, "host to device")                                                                            \
    X(link_d2h, "device to host")                                                                            \
    X(link_peer, "link between devices")                                                                     \
    X(flop_f16, "FP16 arithmetic")                                                                           \
    X(flop_bf16, "BF16 arithmetic")                                                                          \
    X(flop_f32, "FP32 arithmetic")                                                                           \
    X(flop_f64, "FP64 arithmetic")                                                                           \
    X(tensor_f16, "FP16 tensor cores")                                                                       \
    X(tensor_bf16, "BF16 tensor cores")                                                                      \
    X(tensor_tf32, "TF32 tensor cores")                                                                      \
    X(tensor_f8, "FP8 tensor cores")                                                                         \
    X(tensor_i8, "8-bit integer tensor cores")                                                               \
    X(tensor_f4, "FP4 tensor cores")

/* Those of arithmetic: peak_NAME of a device and of a profile. */
#define FLOP_ROOFS(X)                                                                                        \
    X(flop_f16)                                                                                              \
    X(flop_bf16)                                                                                             \
    X(flop_f32)                                                                                              \
    X(flop_f64)                                                                                              \
    X(tensor_f16)                                                                                            \
    X(tensor_bf16)                                                                                           \
    X(tensor_tf32)                                                                                           \
    X(tensor_f8)                                                                                             \
    X(tensor_i8)                                                                                             \
    X(tensor_f4)

enum roof_kind {
#define X(name, words) ROOF_##name,
    ROOFS(X)
#undef X
        ROOF_COUNT
};
extern const char *const roof_words[ROOF_COUNT + 1]; /* the names, NULL-terminated */

/* A number and the ends of its interval; NaN: unknown. */
struct roof_interval {
    double value, low, high;
};

/* The interval of the share that a time has of a roof: the relative deviations of both, which are independent, added in squares.
 * NaN where an end of either is unknown. */
struct roof_interval roof_share(double share, struct roof_interval time, struct roof_interval rate);
