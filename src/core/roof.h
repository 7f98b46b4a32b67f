/* roof.h - what can bound a point: the columns `roof` of results, and the peaks of a device. */
#ifndef CORE_ROOF_H
#define CORE_ROOF_H

/* X(name, words for people): the word in the file is the name. */
#define ROOFS(X)                                                                                             \
    X(none, "none")                                                                                          \
    X(dram_read, "DRAM read")                                                                                \
    X(dram_write, "DRAM write")                                                                              \
    X(dram_mix, "DRAM read and write")                                                                       \
    X(l2, "L2")                                                                                              \
    X(shared, "shared memory")                                                                               \
    X(link_h2d, "host to device")                                                                            \
    X(link_d2h, "device to host")                                                                            \
    X(flop_f16, "FP16 arithmetic")                                                                           \
    X(flop_f32, "FP32 arithmetic")                                                                           \
    X(flop_f64, "FP64 arithmetic")

enum roof_kind {
#define X(name, words) ROOF_##name,
    ROOFS(X)
#undef X
        ROOF_COUNT
};
extern const char *const roof_words[ROOF_COUNT + 1]; /* the names, NULL-terminated */

/* The roof that a file calls so; -1 for "", and for what only a newer release knows. */
int roof_find(const char *word);

/* A roof's words for people: "DRAM read". */
const char *roof_name(enum roof_kind kind);

/* The same of a file's word; the word itself where it is of no roof known here. */
const char *roof_in_words(const char *word);

#endif
