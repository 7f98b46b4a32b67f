#include "core/metric.h"

#include <string.h>

#include "core/column_name.h"

enum {
#define X(name, word) name = METRIC_##name,
    METRIC_SETS(X)
#undef X
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
/* Multiplications and additions of products, also of those with zeros that are not stored. */
#define TENSOR_OP(type)  "sm__ops_path_tensor_src_" type ".sum"
#define TENSOR_OPS(type) "operations of tensor cores on " type ", two for each multiply-add"
/* Sectors of peer memory that multiprocessors ask the device's own L2 for, on GH100 and on later chips. */
#define PEER(what, op)                                                                                       \
    "lts__t_" what "_srcunit_tex_aperture_peer_op_" op ".sum",                                               \
        "syslts__t_" what "_srcunit_tex_aperture_peer_op_" op ".sum"

/* A row of one metric, or of alternatives; a quotient of two. */
#define COUNT(name, its_unit, text, its_sets, ...)                                                           \
    {                                                                                                        \
        .column = (name), .unit = (its_unit), .meaning = (text), .cupti = {__VA_ARGS__}, .factor = 1,        \
        .sets = (its_sets)                                                                                   \
    }
#define RATIO(name, its_unit, text, its_sets, dividend, divisor, times)                                      \
    {                                                                                                        \
        .column = (name), .unit = (its_unit), .meaning = (text), .cupti = {dividend}, .per = {divisor},      \
        .factor = (times), .sets = (its_sets)                                                                \
    }
#define STALL(reason, text)                                                                                  \
    COUNT("stall_" reason, "warps", "warps stalled per issued instruction: " text, STALLS,                   \
          "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio")

/* Requests, sectors and wavefronts are taken at the instructions (smsp__sass_...), in one cheap pass, and are
 * exact. The units' own counters are not, for this: l1tex__data_pipe_..._wavefronts counts other traffic of
 * L1 too (up to a fifth more, seen on GH100), and smsp__inst_executed_op_... counts instructions whose lanes
 * are all predicated off. */
const struct metric metrics[] = {
    COUNT("load_requests", "requests", "global load instructions executed by warps",
          COALESCING | MEMORY | PEERS, LOADS),
    COUNT("load_sectors", "sectors", "32-byte sectors that global loads asked L1 for",
          COALESCING | MEMORY | PEERS, LOAD_SECTORS),
    RATIO("load_sectors_per_request", "sectors", "load_sectors / load_requests", COALESCING | MEMORY,
          LOAD_SECTORS, LOADS, 1),
    COUNT("store_requests", "requests", "global store instructions executed by warps",
          COALESCING | MEMORY | PEERS, STORES),
    COUNT("store_sectors", "sectors", "32-byte sectors that global stores sent to L1",
          COALESCING | MEMORY | PEERS, STORE_SECTORS),
    RATIO("store_sectors_per_request", "sectors", "store_sectors / store_requests", COALESCING | MEMORY,
          STORE_SECTORS, STORES, 1),
    COUNT("load_efficiency", "%", "bytes that threads asked for / bytes of the sectors, global loads",
          COALESCING | MEMORY, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"),
    COUNT("store_efficiency", "%", "bytes that threads wrote / bytes of the sectors, global stores",
          COALESCING | MEMORY, "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"),

    COUNT("async_copy_requests", "requests",
          "asynchronous copies to shared memory (LDGSTS) executed by warps, which are no loads",
          COALESCING | MEMORY, ASYNC_COPIES),
    COUNT("async_copy_sectors", "sectors", "32-byte sectors that asynchronous copies asked L1 for",
          COALESCING | MEMORY, ASYNC_SECTORS),
    RATIO("async_copy_sectors_per_request", "sectors", "async_copy_sectors / async_copy_requests",
          COALESCING | MEMORY, ASYNC_SECTORS, ASYNC_COPIES, 1),
    COUNT("bulk_bytes_read", "bytes", "bytes that bulk and tensor copies brought from L2", MEMORY,
          "l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum"),

    COUNT(COLUMN(dram_bytes_read), "bytes", "bytes read from DRAM", MEMORY | ROOFLINE, "dram__bytes_read.sum",
          "dram__bytes_op_read.sum"),
    COUNT(COLUMN(dram_bytes_written), "bytes", "bytes written to DRAM", MEMORY | ROOFLINE,
          "dram__bytes_write.sum", "dram__bytes_op_write.sum"),
    COUNT("dram_throughput", "%", "DRAM bytes per cycle, of the peak", MEMORY | ROOFLINE,
          "dram__bytes.sum.pct_of_peak_sustained_elapsed"),
    COUNT("l1_hit_rate", "%", "sectors found in L1", MEMORY, "l1tex__t_sector_hit_rate.pct"),
    COUNT("l2_hit_rate", "%", "sectors found in L2", MEMORY, "lts__t_sector_hit_rate.pct"),
    COUNT(COLUMN(l2_bytes), "bytes", "bytes that L2 was asked for", MEMORY, "lts__t_bytes.sum"),
    RATIO(COLUMN(l2_bytes_read), "bytes", "bytes that multiprocessors read from L2", MEMORY,
          "lts__t_sectors_srcunit_tex_op_read.sum", NULL, 32),
    COUNT("l2_throughput", "%", "L2 bytes per cycle, of the peak", MEMORY,
          "lts__t_bytes.sum.pct_of_peak_sustained_elapsed"),

    COUNT("shared_load_requests", "requests", "shared-memory load instructions executed by warps", SHARED,
          SHARED_LOADS),
    COUNT("shared_load_wavefronts", "wavefronts", "passes of the shared-memory pipe for loads", SHARED,
          LOAD_WAVES),
    RATIO("shared_load_wavefronts_per_request", "wavefronts", "shared_load_wavefronts / shared_load_requests",
          SHARED, LOAD_WAVES, SHARED_LOADS, 1),
    COUNT("shared_store_requests", "requests", "shared-memory store instructions executed by warps", SHARED,
          SHARED_STORES),
    COUNT("shared_store_wavefronts", "wavefronts", "passes of the shared-memory pipe for stores", SHARED,
          STORE_WAVES),
    RATIO("shared_store_wavefronts_per_request", "wavefronts",
          "shared_store_wavefronts / shared_store_requests", SHARED, STORE_WAVES, SHARED_STORES, 1),
    COUNT("shared_load_conflicts", "conflicts", "wavefronts that bank conflicts added to loads", SHARED,
          "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
    COUNT("shared_store_conflicts", "conflicts", "wavefronts that bank conflicts added to stores", SHARED,
          "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
    COUNT("shared_utilization", "%", "shared-memory wavefronts per cycle, of the peak", SHARED,
          "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed"),

    COUNT("atomic_requests", "requests",
          "atomic instructions on global memory that return a value, executed by warps", ATOMICS,
          "smsp__sass_inst_executed_op_global_atom.sum"),
    COUNT("atomic_sectors", "sectors", "32-byte sectors of those instructions", ATOMICS,
          "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum"),
    COUNT("reduction_requests", "requests",
          "atomic instructions on global memory that return nothing (RED), executed by warps", ATOMICS,
          "smsp__sass_inst_executed_op_global_red.sum"),
    COUNT("reduction_sectors", "sectors", "32-byte sectors of those instructions", ATOMICS,
          "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum"),
    COUNT("shared_atomic_requests", "requests", "atomic instructions on shared memory, executed by warps",
          ATOMICS, "smsp__sass_inst_executed_op_shared_atom.sum"),
    COUNT("shared_atomic_wavefronts", "wavefronts", "passes of the shared-memory pipe for atomics", ATOMICS,
          "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"),
    COUNT("l2_atomic_requests", "requests",
          "requests of multiprocessors that L2 served by an atomic operation", ATOMICS,
          "lts__t_requests_srcunit_tex_op_atom.sum"),

    COUNT("cluster_load_requests", "requests",
          "load instructions on shared memory of the cluster, executed by warps", CLUSTER,
          "smsp__sass_inst_executed_op_dshared_ld.sum"),
    COUNT("cluster_store_requests", "requests",
          "store instructions on shared memory of the cluster, executed by warps", CLUSTER,
          "smsp__sass_inst_executed_op_dshared_st.sum"),
    COUNT("cluster_atomic_requests", "requests",
          "atomic instructions on shared memory of the cluster, executed by warps", CLUSTER,
          "smsp__sass_inst_executed_op_dshared_atom.sum"),
    COUNT("cluster_load_sectors", "sectors", "32-byte sectors of loads from shared memory of the cluster",
          CLUSTER, "l1tex__t_sectors_pipe_lsu_mem_dshared_op_ld.sum"),
    COUNT("cluster_load_wavefronts", "wavefronts",
          "wavefronts of L1 for loads from shared memory of the cluster", CLUSTER,
          "l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_ld.sum"),
    COUNT("cluster_store_sectors", "sectors", "32-byte sectors of stores to shared memory of the cluster",
          CLUSTER, "l1tex__t_sectors_pipe_lsu_mem_dshared_op_st.sum"),
    COUNT("cluster_store_wavefronts", "wavefronts",
          "wavefronts of L1 for stores to shared memory of the cluster", CLUSTER,
          "l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_st.sum"),
    COUNT("cluster_bytes_read", "bytes",
          "bytes that loads brought from shared memory of other blocks of the cluster", CLUSTER,
          "l1tex__m_xbar2l1tex_read_bytes_mem_dshared_op_ld.sum"),

    COUNT("link_bytes_sent", "bytes", "payload that the device sent over its NVLinks", LINKS,
          "nvltx__bytes_data_user.sum"),
    COUNT("link_bytes_received", "bytes", "payload that the device received over its NVLinks", LINKS,
          "nvlrx__bytes_data_user.sum"),
    COUNT("link_wire_sent", "bytes",
          "all bytes that the device sent over its NVLinks: payload, headers, requests", LINKS,
          "nvltx__bytes.sum"),
    COUNT("link_wire_received", "bytes", "all bytes that the device received over its NVLinks", LINKS,
          "nvlrx__bytes.sum"),
    RATIO("link_payload_sent", "%", "link_bytes_sent / link_wire_sent", LINKS, "nvltx__bytes_data_user.sum",
          "nvltx__bytes.sum", 100),
    RATIO("link_payload_received", "%", "link_bytes_received / link_wire_received", LINKS,
          "nvlrx__bytes_data_user.sum", "nvlrx__bytes.sum", 100),
    COUNT("peer_read_requests", "requests",
          "requests of multiprocessors to L2 that read another device's memory", PEERS,
          PEER("requests", "read")),
    COUNT("peer_read_sectors", "sectors", "32-byte sectors of those requests", PEERS,
          PEER("sectors", "read")),
    COUNT("peer_write_requests", "requests",
          "requests of multiprocessors to L2 that write another device's memory", PEERS,
          PEER("requests", "write")),
    COUNT("peer_write_sectors", "sectors", "32-byte sectors of those requests", PEERS,
          PEER("sectors", "write")),
    COUNT("peer_atomic_sectors", "sectors",
          "32-byte sectors of atomics on another device's memory that return a value", PEERS,
          PEER("sectors", "atom")),

    COUNT("sm_active", "%", "cycles in which a multiprocessor had a warp", MEMORY | OCCUPANCY,
          "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"),
    COUNT("occupancy_achieved", "%", "resident warps over active cycles, of the most there can be",
          MEMORY | OCCUPANCY, "sm__warps_active.avg.pct_of_peak_sustained_active"),
    COUNT("instructions", "instructions", "instructions executed by warps", OCCUPANCY | ROOFLINE,
          "smsp__inst_executed.sum"),
    COUNT("issue_active", "%", "cycles in which a scheduler issued", OCCUPANCY | STALLS,
          "smsp__issue_active.avg.pct_of_peak_sustained_active"),

    STALL("long_scoreboard", "waiting for global, local or texture memory"),
    STALL("short_scoreboard", "waiting for shared memory or special functions"),
    STALL("barrier", "waiting at a barrier"),
    STALL("mio_throttle", "the memory input/output queue is full"),
    STALL("lg_throttle", "the local/global queue is full"),
    STALL("math_pipe_throttle", "the arithmetic pipe is busy"),
    STALL("wait", "fixed latency of the instruction before"),
    STALL("not_selected", "another warp was issued"),
    STALL("drain", "waiting for stores at exit"),

    COUNT("ffma_thread", "operations", "f32 multiply-adds executed by threads, two flops each", ROOFLINE,
          THREAD_OP("ffma")),
    COUNT("fadd_thread", "operations", "f32 additions executed by threads", ROOFLINE, THREAD_OP("fadd")),
    COUNT("fmul_thread", "operations", "f32 multiplications executed by threads", ROOFLINE,
          THREAD_OP("fmul")),
    COUNT("hfma_thread", "operations", "f16x2 multiply-adds executed by threads, four flops each", ROOFLINE,
          THREAD_OP("hfma")),
    COUNT("dfma_thread", "operations", "f64 multiply-adds executed by threads, two flops each", ROOFLINE,
          THREAD_OP("dfma")),

    /* Names differ by generation: Hopper has no fp16 by the type of its sums, GB100 counts fp8 with narrower
     * types. */
    COUNT("tensor_ops_f16", "operations", TENSOR_OPS("f16"), TENSOR, TENSOR_OP("fp16"),
          TENSOR_OP("fp16_dst_fp32")),
    COUNT("tensor_ops_bf16", "operations", TENSOR_OPS("bf16"), TENSOR | ROOFLINE, TENSOR_OP("bf16_dst_fp32")),
    COUNT("tensor_ops_tf32", "operations", TENSOR_OPS("tf32"), TENSOR, TENSOR_OP("tf32_dst_fp32")),
    COUNT("tensor_ops_f8", "operations", TENSOR_OPS("fp8"), TENSOR, TENSOR_OP("fp8"),
          TENSOR_OP("fp8_dst_fp32"), TENSOR_OP("fp4_fp6_fp8_dst_fp32")),
    COUNT("tensor_ops_f4", "operations", TENSOR_OPS("fp4"), TENSOR, TENSOR_OP("fp4_dst_fp32")),
    COUNT("tensor_ops_i8", "operations", TENSOR_OPS("8-bit integers"), TENSOR, TENSOR_OP("int8")),
};
const int metric_count = sizeof metrics / sizeof *metrics;

const char *const metric_sets[] = {
#define X(name, word) word,
    METRIC_SETS(X)
#undef X
        "all",
    "none", NULL};

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
            wanted = strcmp(set, "all") ? 1u << i : METRIC_ALL & ~(unsigned)(METRIC_LINKS | METRIC_TENSOR);
    if (!wanted)
        return -1;
    for (int i = 0; i < metric_count; i++)
        if (metrics[i].sets & wanted)
            columns[count++] = metrics[i].column;
    return count;
}
