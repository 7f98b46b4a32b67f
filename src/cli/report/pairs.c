#include "cli/report/pairs.h"

#include <stddef.h>

#define SAYS(value)                                                                                          \
    {                                                                                                        \
        value, 0, 1                                                                                          \
    }
#define RANGE(low, high)                                                                                     \
    {                                                                                                        \
        low, high, 1                                                                                         \
    }
#define PAIR(before, after)                                                                                  \
    {                                                                                                        \
        SAYS(before), SAYS(after)                                                                            \
    }
#define TIME_MS(...)                                                                                         \
    {                                                                                                        \
        "time", "ms", "time_median", NULL, NULL, 1e3, __VA_ARGS__, NULL                                      \
    }
#define PERCENT(name, column, ...)                                                                           \
    {                                                                                                        \
        name, "%", column, NULL, NULL, 1, __VA_ARGS__, NULL                                                  \
    }
#define BANDWIDTH                                                                                            \
    {                                                                                                        \
        "bandwidth, useful bytes", "GB/s", "bandwidth", NULL, NULL, 1e-9, {{0}}, NULL                        \
    }
#define DRAM_SHARE(...) PERCENT("DRAM throughput, of the peak", "dram_throughput", __VA_ARGS__)

const struct pair pairs[] = {
    {
        .table = "7-1",
        .title = "coalescing, 1 Mi elements moved: every second element, then every element",
        .kernel = "copy",
        .where = {"variant=load", "dtype=f32", "vector=1"},
        .cases = {{"stride 2 over 8MiB", {"stride=2", "size=8MiB"}},
                  {"stride 1 over 4MiB", {"stride=1", "size=4MiB"}}},
        .quantity = {TIME_MS(PAIR(4.8, 1.3)),
                     DRAM_SHARE(PAIR(25, 90)),
                     PERCENT("global load efficiency", "load_efficiency", PAIR(23, 99)),
                     {"load sectors per request", "", "load_sectors_per_request", NULL, NULL, 1, PAIR(8, 4),
                      NULL},
                     PERCENT("SM active", "sm_active", PAIR(62, 99)),
                     BANDWIDTH},
        .job = "jobs/pair_7_1.yaml",
    },
    {
        .table = "7-1",
        .title = "coalescing, 256 Mi elements moved: every second element, then every element",
        .kernel = "copy",
        .where = {"variant=load", "dtype=f32", "vector=1"},
        .cases = {{"stride 2 over 2GiB", {"stride=2", "size=2GiB"}},
                  {"stride 1 over 1GiB", {"stride=1", "size=1GiB"}}},
        .quantity = {TIME_MS(PAIR(4.8, 1.3)),
                     DRAM_SHARE(PAIR(25, 90)),
                     PERCENT("global load efficiency", "load_efficiency", PAIR(23, 99)),
                     {"load sectors per request", "", "load_sectors_per_request", NULL, NULL, 1, PAIR(8, 4),
                      NULL},
                     PERCENT("SM active", "sm_active", PAIR(62, 99)),
                     BANDWIDTH},
        .job = "jobs/pair_7_1.yaml",
    },
    {
        .table = "7-2, 7-3",
        .title = "vectorization: 4 bytes an access, then 16",
        .kernel = "copy",
        .where = {"variant=load", "dtype=f32", "stride=1"},
        .free = {"size"},
        .cases = {{"4 bytes", {"vector=1"}}, {"16 bytes", {"vector=4"}}},
        .quantity =
            {TIME_MS(PAIR(4.2, 1.2)),
             DRAM_SHARE(PAIR(25, 90)),
             PERCENT("global load efficiency", "load_efficiency", PAIR(28, 97)),
             {"load sectors per request", "", "load_sectors_per_request", NULL, NULL, 1, PAIR(31.8, 4),
              "the source counts sectors per 128-byte line, warpsweep per load instruction of a warp"},
             BANDWIDTH},
        .job = "jobs/pair_7_2.yaml",
    },
    {
        .table = "7-4",
        .title = "matrix product: from global memory, then tiled in shared memory",
        .kernel = "matmul",
        .where = {"m=1024,4096", "n=1024,4096", "k=1024,4096"},
        .free = {"m", "n", "k"},
        .source_where = {"m=1024", "n=1024", "k=1024"},
        .cases = {{"naive", {"variant=naive"}}, {"tiled, 32", {"variant=tiled", "tile=32"}}},
        .quantity = {{"arithmetic", "GFLOP/s", "flop_rate", NULL, NULL, 1e-9, PAIR(15, 170), NULL},
                     TIME_MS({{0}}),
                     DRAM_SHARE(PAIR(90, 25)),
                     PERCENT("achieved occupancy", "occupancy_achieved", PAIR(42, 89)),
                     {"global load sectors", "", "load_sectors", NULL, NULL, 1, PAIR(9800, 1200),
                      "the source does not say what its sector counts are per"},
                     PERCENT("shared-memory throughput", "shared_utilization", PAIR(52, 99))},
        .job = "jobs/pair_7_4.yaml",
    },
    {
        .table = "7-5",
        .title = "transpose: a tile with bank conflicts, then a padded one",
        .kernel = "transpose",
        .where = {"dtype=f32", "tile=32"},
        .free = {"rows", "columns"},
        .cases = {{"shared", {"variant=shared"}}, {"padded", {"variant=padded"}}},
        .quantity = {TIME_MS(PAIR(4, 1.3)),
                     {"shared load bank conflicts", "", "shared_load_conflicts", NULL, NULL, 1,
                      PAIR(4.8e6, 0), NULL},
                     PERCENT("shared-memory utilization", "shared_utilization", PAIR(52, 100)),
                     {"stalls on shared memory (short scoreboard)", "warps per issue",
                      "stall_short_scoreboard", NULL, NULL, 1, PAIR(38, 0.5),
                      "the source gives memory stalls in % of cycles"},
                     BANDWIDTH},
        .job = "jobs/pair_7_5.yaml",
    },
    {
        .table = "7-6",
        .title = "lookups in a table of 1024 floats: may alias, then restrict",
        .kernel = "lookup",
        .where = {"dtype=f32", "table=4KiB"},
        .free = {"size", "items"},
        .cases = {{"plain", {"variant=plain"}}, {"restrict", {"variant=restrict"}}},
        .quantity = {TIME_MS(PAIR(2.5, 1)),
                     PERCENT("global load efficiency", "load_efficiency", PAIR(52, 97)),
                     {"DRAM traffic", "GB/s", "dram_bytes_read", "dram_bytes_written", "time_median", 1e-9,
                      PAIR(600, 200), NULL},
                     {"L2 traffic", "GB/s", "l2_bytes", NULL, "time_median", 1e-9, PAIR(1500, 1800),
                      "the source counts reads, warpsweep reads and writes"},
                     PERCENT("SM active", "sm_active", PAIR(45, 93)),
                     BANDWIDTH},
        .job = "jobs/pair_7_6.yaml",
    },
    {
        .table = "7-7",
        .title = "prefetching: load and wait, then double-buffered by asynchronous copies",
        .kernel = "prefetch",
        .free = {"size", "tile_bytes", "work", "resident"},
        .cases = {{"sync", {"variant=sync", "stages=1"}},
                  {"cp_async, 2 stages", {"variant=cp_async", "stages=2"}}},
        .quantity = {TIME_MS(PAIR(18, 7)),
                     PERCENT("global load efficiency", "load_efficiency", PAIR(23, 99)),
                     {"load sectors per request", "", "load_sectors_per_request", NULL, NULL, 1, PAIR(6.4, 4),
                      NULL},
                     DRAM_SHARE(PAIR(25, 90)),
                     PERCENT("SM active", "sm_active", PAIR(62, 100)),
                     BANDWIDTH},
        .job = "jobs/pair_7_7.yaml",
    },
    {
        .table = "add",
        .title = "addition: instruction width against arithmetic width",
        .kernel = "add",
        .where = {"restrict=yes"},
        .free = {"rows", "columns"},
        .source_where = {"rows=2048", "columns=2048"},
        .cases = {{"f32", {"dtype=f32", "variant=scalar"}},
                  {"f32x4", {"dtype=f32", "variant=vector"}},
                  {"f16", {"dtype=f16", "variant=scalar"}},
                  {"f16x2", {"dtype=f16", "variant=half2"}},
                  {"f16x8", {"dtype=f16", "variant=unpacked"}},
                  {"f16x8pack", {"dtype=f16", "variant=packed"}}},
        .quantity = {TIME_MS({SAYS(0.258), SAYS(0.238), SAYS(0.116), SAYS(0.072), SAYS(0.115), SAYS(0.059)}),
                     BANDWIDTH},
        .job = "jobs/pair_add.yaml",
    },
    {
        .table = "silu",
        .title = "a gated activation over the width of its rows",
        .kernel = "silu_mul",
        .where = {"variant=silu", "dtype=f16"},
        .free = {"batch"},
        .source_where = {"batch=32"},
        .cases =
            {{"d 512", {"d=512"}}, {"d 1024", {"d=1024"}}, {"d 2048", {"d=2048"}}, {"d 4096", {"d=4096"}}},
        .quantity = {{"bandwidth",
                      "GB/s",
                      "bandwidth",
                      NULL,
                      NULL,
                      1e-9,
                      {SAYS(350), SAYS(411), SAYS(436), SAYS(448)},
                      NULL},
                     {"of the nominal peak",
                      "%",
                      "fraction_nominal",
                      NULL,
                      NULL,
                      100,
                      {RANGE(40, 50), RANGE(40, 50), RANGE(40, 50), RANGE(40, 50)},
                      NULL},
                     TIME_MS({{0}})},
        .job = "jobs/pair_silu.yaml",
    },
    {
        .table = "latency",
        .title = "the latency ladder",
        .kernel = "latency",
        .cases = {{"shared", {"variant=shared", "size=32KiB"}},
                  {"L1", {"variant=l1", "size=32KiB"}},
                  {"L2", {"variant=l2", "size=4MiB"}},
                  {"DRAM", {"variant=dram", "size=1GiB"}}},
        .quantity = {{"latency, median",
                      "cycles",
                      "latency_p50",
                      NULL,
                      NULL,
                      1,
                      {RANGE(20, 30), RANGE(30, 50), SAYS(200), RANGE(300, 600)},
                      "the source has registers at about 1 cycle"},
                     {"5th percentile", "cycles", "latency_p05", NULL, NULL, 1, {{0}}, NULL},
                     {"95th percentile", "cycles", "latency_p95", NULL, NULL, 1, {{0}}, NULL},
                     {"latency", "ns", "latency_seconds", NULL, NULL, 1e9, {{0}}, NULL}},
        .job = "jobs/pair_latency.yaml",
    },
    {0},
};
