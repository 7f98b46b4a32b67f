#include "core/metric.h"

#include <string.h>

#include "core/column_name.h"

enum {
    COALESCING = METRIC_COALESCING,
    MEMORY = METRIC_MEMORY,
    SHARED = METRIC_SHARED,
    OCCUPANCY = METRIC_OCCUPANCY,
    STALLS = METRIC_STALLS,
    ROOFLINE = METRIC_ROOFLINE,
};

#define LOAD_SECTORS  "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"
#define STORE_SECTORS "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"
#define LOADS         "smsp__sass_inst_executed_op_global_ld.sum"
#define STORES        "smsp__sass_inst_executed_op_global_st.sum"
#define SHARED_LOADS  "smsp__sass_inst_executed_op_shared_ld.sum"
#define SHARED_STORES "smsp__sass_inst_executed_op_shared_st.sum"
#define LOAD_WAVES    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
#define STORE_WAVES   "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
#define ASYNC_SECTORS "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"
#define ASYNC_COPIES  "smsp__sass_inst_executed_op_ldgsts.sum"
#define THREAD_OP(op) "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"
#define STALL(reason, text)                                                                                  \
    {                                                                                                        \
        "stall_" reason, "warps", "warps stalled per issued instruction: " text,                             \
            {"smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"}, {NULL}, 1, STALLS       \
    }

#define STALL_SHARE(reason, text)                                                                            \
    {                                                                                                        \
        "stall_share_" reason, "%", "share of resident warps' cycles, stalled: " text,                       \
            {"smsp__warp_issue_stalled_" reason "_per_warp_active.pct"}, {NULL}, 1, STALLS                   \
    }

/* Requests, sectors and wavefronts are taken at the instructions (smsp__sass_...), in one cheap pass, and are
 * exact. The units' own counters are not, for this: l1tex__data_pipe_..._wavefronts counts other traffic of
 * L1 too (up to a fifth more, seen on GH100), and smsp__inst_executed_op_... counts instructions whose lanes
 * are all predicated off. */
const struct metric metrics[] = {
    {"load_requests",
     "requests",
     "global load instructions executed by warps",
     {LOADS},
     {NULL},
     1,
     COALESCING | MEMORY},
    {"load_sectors",
     "sectors",
     "32-byte sectors that global loads asked L1 for",
     {LOAD_SECTORS},
     {NULL},
     1,
     COALESCING | MEMORY},
    {COLUMN(load_sectors_per_request),
     "sectors",
     "load_sectors / load_requests",
     {LOAD_SECTORS},
     {LOADS},
     1,
     COALESCING | MEMORY},
    {"store_requests",
     "requests",
     "global store instructions executed by warps",
     {STORES},
     {NULL},
     1,
     COALESCING | MEMORY},
    {"store_sectors",
     "sectors",
     "32-byte sectors that global stores sent to L1",
     {STORE_SECTORS},
     {NULL},
     1,
     COALESCING | MEMORY},
    {COLUMN(store_sectors_per_request),
     "sectors",
     "store_sectors / store_requests",
     {STORE_SECTORS},
     {STORES},
     1,
     COALESCING | MEMORY},
    {"load_efficiency",
     "%",
     "bytes that threads asked for / bytes of the sectors, global loads",
     {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"},
     {NULL},
     1,
     COALESCING | MEMORY},
    {"store_efficiency",
     "%",
     "bytes that threads wrote / bytes of the sectors, global stores",
     {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"},
     {NULL},
     1,
     COALESCING | MEMORY},

    {"async_copy_requests",
     "requests",
     "asynchronous copies to shared memory (LDGSTS) executed by warps, which are no loads",
     {ASYNC_COPIES},
     {NULL},
     1,
     COALESCING | MEMORY},
    {"async_copy_sectors",
     "sectors",
     "32-byte sectors that asynchronous copies asked L1 for",
     {ASYNC_SECTORS},
     {NULL},
     1,
     COALESCING | MEMORY},
    {"async_copy_sectors_per_request",
     "sectors",
     "async_copy_sectors / async_copy_requests",
     {ASYNC_SECTORS},
     {ASYNC_COPIES},
     1,
     COALESCING | MEMORY},
    {"bulk_bytes_read",
     "bytes",
     "bytes that bulk and tensor copies brought from L2",
     {"l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum"},
     {NULL},
     1,
     MEMORY},

    {COLUMN(dram_bytes_read),
     "bytes",
     "bytes read from DRAM",
     {"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
     {NULL},
     1,
     MEMORY | ROOFLINE},
    {COLUMN(dram_bytes_written),
     "bytes",
     "bytes written to DRAM",
     {"dram__bytes_write.sum", "dram__bytes_op_write.sum"},
     {NULL},
     1,
     MEMORY | ROOFLINE},
    {"dram_throughput",
     "%",
     "DRAM bytes per cycle, of the peak",
     {"dram__bytes.sum.pct_of_peak_sustained_elapsed"},
     {NULL},
     1,
     MEMORY | ROOFLINE},
    {"l1_hit_rate", "%", "sectors found in L1", {"l1tex__t_sector_hit_rate.pct"}, {NULL}, 1, MEMORY},
    {"l2_hit_rate", "%", "sectors found in L2", {"lts__t_sector_hit_rate.pct"}, {NULL}, 1, MEMORY},
    {COLUMN(l2_bytes), "bytes", "bytes that L2 was asked for", {"lts__t_bytes.sum"}, {NULL}, 1, MEMORY},
    {COLUMN(l2_bytes_read),
     "bytes",
     "bytes that multiprocessors read from L2",
     {"lts__t_sectors_srcunit_tex_op_read.sum"},
     {NULL},
     32,
     MEMORY},
    {"l2_throughput",
     "%",
     "L2 bytes per cycle, of the peak",
     {"lts__t_bytes.sum.pct_of_peak_sustained_elapsed"},
     {NULL},
     1,
     MEMORY},

    {"shared_load_requests",
     "requests",
     "shared-memory load instructions executed by warps",
     {SHARED_LOADS},
     {NULL},
     1,
     SHARED},
    {"shared_load_wavefronts",
     "wavefronts",
     "passes of the shared-memory pipe for loads",
     {LOAD_WAVES},
     {NULL},
     1,
     SHARED},
    {COLUMN(shared_load_wavefronts_per_request),
     "wavefronts",
     "shared_load_wavefronts / shared_load_requests",
     {LOAD_WAVES},
     {SHARED_LOADS},
     1,
     SHARED},
    {"shared_store_requests",
     "requests",
     "shared-memory store instructions executed by warps",
     {SHARED_STORES},
     {NULL},
     1,
     SHARED},
    {"shared_store_wavefronts",
     "wavefronts",
     "passes of the shared-memory pipe for stores",
     {STORE_WAVES},
     {NULL},
     1,
     SHARED},
    {COLUMN(shared_store_wavefronts_per_request),
     "wavefronts",
     "shared_store_wavefronts / shared_store_requests",
     {STORE_WAVES},
     {SHARED_STORES},
     1,
     SHARED},
    {"shared_load_conflicts",
     "conflicts",
     "wavefronts that bank conflicts added to loads",
     {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
     {NULL},
     1,
     SHARED},
    {"shared_store_conflicts",
     "conflicts",
     "wavefronts that bank conflicts added to stores",
     {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
     {NULL},
     1,
     SHARED},
    {COLUMN(shared_utilization),
     "%",
     "shared-memory wavefronts per cycle, of the peak",
     {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed"},
     {NULL},
     1,
     SHARED},

    {COLUMN(sm_active),
     "%",
     "cycles in which a multiprocessor had a warp",
     {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
     {NULL},
     1,
     MEMORY | OCCUPANCY},
    {"occupancy_achieved",
     "%",
     "resident warps over active cycles, of the most there can be",
     {"sm__warps_active.avg.pct_of_peak_sustained_active"},
     {NULL},
     1,
     MEMORY | OCCUPANCY},
    {COLUMN(instructions),
     "instructions",
     "instructions executed by warps",
     {"smsp__inst_executed.sum"},
     {NULL},
     1,
     OCCUPANCY | ROOFLINE},
    {COLUMN(issue_active),
     "%",
     "cycles in which a scheduler issued",
     {"smsp__issue_active.avg.pct_of_peak_sustained_active"},
     {NULL},
     1,
     OCCUPANCY | STALLS},

    STALL("long_scoreboard", "waiting for global, local or texture memory"),
    STALL("short_scoreboard", "waiting for shared memory or special functions"),
    STALL("barrier", "waiting at a barrier"),
    STALL("mio_throttle", "the memory input/output queue is full"),
    STALL("lg_throttle", "the local/global queue is full"),
    STALL("math_pipe_throttle", "the arithmetic pipe is busy"),
    STALL("wait", "fixed latency of the instruction before"),
    STALL("not_selected", "another warp was issued"),
    STALL("drain", "waiting for stores at exit"),

    STALL_SHARE("long_scoreboard", "waiting for global, local or texture memory"),
    STALL_SHARE("short_scoreboard", "waiting for shared memory or special functions"),
    STALL_SHARE("barrier", "waiting at a barrier"),
    STALL_SHARE("mio_throttle", "the memory input/output queue is full"),
    STALL_SHARE("lg_throttle", "the local/global queue is full"),

    {"ffma_thread",
     "operations",
     "f32 multiply-adds executed by threads, two flops each",
     {THREAD_OP("ffma")},
     {NULL},
     1,
     ROOFLINE},
    {"fadd_thread",
     "operations",
     "f32 additions executed by threads",
     {THREAD_OP("fadd")},
     {NULL},
     1,
     ROOFLINE},
    {"fmul_thread",
     "operations",
     "f32 multiplications executed by threads",
     {THREAD_OP("fmul")},
     {NULL},
     1,
     ROOFLINE},
    {"hfma_thread",
     "operations",
     "f16x2 multiply-adds executed by threads, four flops each",
     {THREAD_OP("hfma")},
     {NULL},
     1,
     ROOFLINE},
    {"dfma_thread",
     "operations",
     "f64 multiply-adds executed by threads, two flops each",
     {THREAD_OP("dfma")},
     {NULL},
     1,
     ROOFLINE},
};
const int metric_count = sizeof metrics / sizeof *metrics;

const char *const metric_sets[] = {"coalescing", "memory", "shared", "occupancy", "stalls",
                                   "roofline",   "all",    "none",   NULL};

const struct metric *metric_find(const char *column)
{
    for (int i = 0; i < metric_count; i++)
        if (!strcmp(metrics[i].column, column))
            return &metrics[i];
    return NULL;
}

int metric_set_columns(const char *set, const char **columns)
{
    unsigned wanted = 0;
    int count = 0;
    if (!strcmp(set, "none"))
        return 0;
    for (int i = 0; metric_sets[i]; i++)
        if (!strcmp(set, metric_sets[i]))
            wanted = strcmp(set, "all") ? 1u << i : METRIC_ALL;
    if (!wanted)
        return -1;
    for (int i = 0; i < metric_count; i++)
        if (metrics[i].sets & wanted)
            columns[count++] = metrics[i].column;
    return count;
}
