/* axis.h - one dimension of a grid: its name, its values, and their text form.
 *
 * A value is an int64_t: a number of bytes, a count, the index of a word, or an architecture. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "core/arch.h"
#include "core/dtype.h"

enum axis_kind {
    AXIS_BYTES, /* a size; job files write 64KiB */
    AXIS_COUNT, /* a whole number: elements, threads, stages ... */
    AXIS_WORD,  /* one of `words`; the value is the index */
    AXIS_ARCH,  /* an architecture flag (core/arch.h) */
};

struct axis {
    const char *name;
    enum axis_kind kind;
    const char *unit;         /* "bytes", "elements", "threads" ...; "" for words */
    const char *summary;      /* one line for `warpsweep kernels` and /columns */
    const char *standard;     /* the default value, as written in a job file */
    const char *const *words; /* AXIS_WORD: NULL-terminated */
    int64_t least, most;      /* AXIS_BYTES, AXIS_COUNT: inclusive */
    bool compiled;            /* becomes a -D macro: each value needs another compiled kernel */
    bool late; /* younger than its family: points with the default value keep the ids that files have */
};

#define AXIS_TEXT_SIZE 128 /* of words too: longer ones are refused when their family is loaded */

/* Parse a value as written in a job file. The error names what was expected and the nearest word. */
int axis_parse(const struct axis *axis, const char *text, int64_t *value, struct error *error);

/* Whether results files have the axis as text: words and architectures, not numbers. */
static inline bool axis_is_text(const struct axis *axis)
{
    return axis->kind == AXIS_WORD || axis->kind == AXIS_ARCH;
}

/* Check a computed value ({from, to, factor}). 0, or -1 with an error. */
int axis_check(const struct axis *axis, int64_t value, struct error *error);

/* Format a value as in a job file. */
void axis_format(const struct axis *axis, int64_t value, char out[AXIS_TEXT_SIZE]);

/* The state of L2 at the start of a launch, for timing, counting and the access model. */
enum cache_mode {
    CACHE_COLD,   /* no data of the point, but other data, some of it modified, as in a program */
    CACHE_CLEAN,  /* no data of the point; full of clean lines, so that L2 can absorb writes */
    CACHE_HOT,    /* as left by the previous launch on the same buffers */
    CACHE_ROTATE, /* as left by previous launches on other buffers, over 2 x L2 in total */
};
extern const char *const cache_words[]; /* "cold", "clean", "hot", "rotate", NULL: in that order */

/* How a sample is taken and what its time is: as warpsweep does, or as another harness does
 * (core/harnesses.h). */
enum harness {
    HARNESS_WARPSWEEP,
    HARNESS_EVENT_PAIR,
    HARNESS_EVENT_LOOP,
    HARNESS_DO_BENCH,
    HARNESS_DO_BENCH_CUDAGRAPH,
    HARNESS_NVBENCH_COLD,
    HARNESS_NVBENCH_BATCH,
    HARNESSES
};
extern const char *const harness_words[]; /* "warpsweep" and so on, NULL: in that order */

/* Axes that families share, with the same meaning in all: initialisers for a family's table. The argument is
 * the default value. `vector` is at most 32, which is 32 bytes of u8. */
#define AXIS_VARIANT(names, value)                                                                           \
    {                                                                                                        \
        .name = "variant", .kind = AXIS_WORD, .unit = "", .summary = "which of the family's kernels",        \
        .standard = (value), .words = (names), .compiled = true                                              \
    }
#define AXIS_SIZE(value)                                                                                     \
    {                                                                                                        \
        .name = "size", .kind = AXIS_BYTES, .unit = "bytes", .summary = "bytes of the main array",           \
        .standard = (value), .least = 1, .most = INT64_C(1) << 44                                            \
    }
#define AXIS_DTYPE(value)                                                                                    \
    {                                                                                                        \
        .name = "dtype", .kind = AXIS_WORD, .unit = "", .summary = "element type", .standard = (value),      \
        .words = dtype_words, .compiled = true                                                               \
    }
#define AXIS_NUMBER(label, units, text, value, low, high, macro)                                             \
    {                                                                                                        \
        .name = (label), .kind = AXIS_COUNT, .unit = (units), .summary = (text), .standard = (value),        \
        .least = (low), .most = (high), .compiled = (macro)                                                  \
    }
#define AXIS_WORDS(label, text, value, names, macro)                                                         \
    {                                                                                                        \
        .name = (label), .kind = AXIS_WORD, .unit = "", .summary = (text), .standard = (value),              \
        .words = (names), .compiled = (macro)                                                                \
    }
#define AXIS_VECTOR(value) AXIS_NUMBER("vector", "elements", "elements per access", value, 1, 32, true)
#define AXIS_STRIDE(value)                                                                                   \
    AXIS_NUMBER("stride", "accesses",                                                                        \
                "distance between neighbouring accesses, in accesses of `vector` elements", value, 1,        \
                1 << 20, false)
#define AXIS_OFFSET(value)                                                                                   \
    AXIS_NUMBER("offset", "elements", "elements off the aligned start", value, 0, 1 << 20, false)
#define AXIS_BLOCK(value) AXIS_NUMBER("block", "threads", "threads per block", value, 1, 1024, true)
#define AXIS_ITEMS(value) AXIS_NUMBER("items", "accesses", "accesses per thread", value, 1, 64, true)
#define AXIS_CARVEOUT(value)                                                                                 \
    AXIS_WORDS("carveout", "preferred share of L1 used as shared memory, percent", value, carveout_words,    \
               false)
/* setup.sets. `late`: families had points before they had the axis. */
#define AXIS_SETS                                                                                            \
    {                                                                                                        \
        .name = "sets", .kind = AXIS_COUNT, .unit = "sets",                                                  \
        .summary = "sets of buffers, each elsewhere in memory, that launches take in turn; fewer if they "   \
                   "have no room",                                                                           \
        .standard = "1", .least = 1, .most = 1024, .late = true                                              \
    }
/* GEMM_LT_ALGORITHM of a product by cuBLASLt. */
#define AXIS_LT_ALGORITHM(most_)                                                                             \
    {                                                                                                        \
        .name = "lt_algorithm", .kind = AXIS_COUNT, .unit = "algorithms",                                    \
        .summary = "cublaslt: which of the algorithms that its heuristic returns, in its order; 0: its "     \
                   "choice, from compute capability 10.0 on the fastest of the first 8",                     \
        .standard = "0", .least = 0, .most = (most_), .late = true                                           \
    }
#define AXIS_ARCHITECTURE                                                                                    \
    {                                                                                                        \
        .name = "arch", .kind = AXIS_ARCH, .unit = "",                                                       \
        .summary = "what the kernel is compiled for: native, sm_90, sm_90a, compute_80 ...",                 \
        .standard = "native", .compiled = true                                                               \
    }
#define AXIS_HARNESS                                                                                         \
    AXIS_WORDS("harness", "how a sample is taken: as warpsweep does, or as the named harness does",          \
               "warpsweep", harness_words, false)
#define AXIS_CACHE                                                                                           \
    {                                                                                                        \
        .name = "cache", .kind = AXIS_WORD, .unit = "",                                                      \
        .summary = "what L2 holds: cold (other data), clean, hot, rotate (over 2 x L2)", .standard = "cold", \
        .words = cache_words                                                                                 \
    }

extern const char *const carveout_words[]; /* "default", "0", "25", "50", "75", "100", NULL */
