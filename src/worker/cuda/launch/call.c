#include "worker/cuda/launch/cuda_launch.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "worker/backend.h"
#include "worker/cuda/baselines/baselines.h"
#include "worker/phases.h"

/* End the point with the function's reason, unless the device has failed: then the process must end, too. */
static void fail(const struct call *call)
{
    cudaGetLastError(); /* the function has seen it */
    if (!cuda_capturing)
        CUDA(cudaDeviceSynchronize());
    cuda_end_point(call_status(call), "%.255s", call_reason(call));
}

static void set_addresses(struct cuda_point *p, cudaStream_t stream, uint32_t set, int part)
{
    p->call.call.stream = p->call.call.device_stream[0] = stream;
    for (int b = 0; b < p->setup.buffers; b++)
        p->call.call.buffer[b] = cuda_point_buffer(p, set, setup_part_buffer(&p->setup, part, b));
}

static void set_devices(struct cuda_point *p)
{
    const struct cuda_peer *peer = &p->session->peer;
    struct call *call = &p->call.call;
    call->devices = cuda_point_devices(p);
    call->ordinal[0] = (int)p->session->device.ordinal;
    for (int d = 1; d < call->devices; d++) {
        call->ordinal[d] = peer->end[d].ordinal;
        call->device_stream[d] = peer->end[d].stream;
    }
}

/* A call of several devices may use the streams of all of them; the built-in ones have one. */
static int streams_of(const struct cuda_point *p)
{
    return p->setup.engine == ENGINE_CALL ? p->call.call.devices : 1;
}

/* The other devices wait for `stream`. */
static void fork_streams(struct cuda_point *p, cudaStream_t stream)
{
    if (streams_of(p) > 1)
        cuda_session_begin(p->session, stream);
    for (int d = 1; d < streams_of(p); d++)
        cuda_session_fork(p->session, d);
    cuda_session_back(p->session);
}

static void join_streams(struct cuda_point *p, cudaStream_t stream)
{
    for (int d = 1; d < streams_of(p); d++)
        cuda_session_join(p->session, stream, d);
}

static int queue(struct cuda_point *p, cudaStream_t stream)
{
    if (!p->call.in_row)
        fork_streams(p, stream);
    int failed = p->call.functions->call(&p->call.call);
    cuda_session_back(p->session); /* the function may have changed it */
    if (!failed && !p->call.in_row)
        join_streams(p, stream);
    return failed;
}

void cuda_call_begin_row(void *point, cudaStream_t stream)
{
    struct cuda_point *p = point;
    fork_streams(p, stream);
    p->call.in_row = true;
}

void cuda_call_end_row(void *point, cudaStream_t stream)
{
    struct cuda_point *p = point;
    join_streams(p, stream);
    p->call.in_row = false;
}

static void take_workspace(struct cuda_point *p)
{
    uint64_t bytes = p->call.call.workspace_bytes;
    if (!bytes || cudaMalloc(&p->call.call.workspace, bytes) == cudaSuccess)
        return;
    p->call.call.workspace = NULL;
    cudaGetLastError();
    cuda_fail("its workspace needs %.4g GiB; %.4g GiB are free on device %d beside the buffers",
              (double)bytes / 0x1p30, (double)cuda_memory_free() / 0x1p30, (int)p->session->device.ordinal);
}

void cuda_call_open(struct cuda_point *p)
{
    bool own = p->setup.engine == ENGINE_CALL;
    if (p->setup.engine == ENGINE_KERNEL || p->setup.engine == ENGINE_PEER_COPIES)
        return;
    enum phase before = phases_enter(PHASE_open_call);
    p->call = (struct cuda_call){.call = {.point = p->point, .setup = &p->setup},
                                 .functions = own ? p->family : cuda_baseline(p->setup.engine),
                                 .kernel = p->kernel,
                                 .waits = own,
                                 .uncaptured = own};
    set_devices(p);
    set_addresses(p, p->session->stream, 0, 0);
    /* close_call frees what there is if open_call fails */
    if (p->call.functions->open_call && p->call.functions->open_call(&p->call.call) != 0)
        fail(&p->call.call);
    cuda_session_back(p->session); /* the function may have made another device current */
    CUDA(cudaStreamSynchronize(p->session->stream));
    take_workspace(p);
    phases_leave(before);
}

uint64_t cuda_call_hash(const struct cuda_point *p, uint64_t hash)
{
    const struct call *call = &p->call.call;
    const uint64_t version = (uint64_t)call->library_version;
    switch (p->setup.engine) {
    case ENGINE_KERNEL:
        return hash;
    case ENGINE_CALL: /* a family's own */
        return p->family->loaded ? hash_u64(hash_u64(hash, p->family->loaded), version) : 0;
    case ENGINE_GEMM_LT:
        return hash_u64(hash_u64(hash_text(hash, "cuBLASLt"), version), p->call.algorithm);
    case ENGINE_GEAM:
    case ENGINE_GEMM: /* its version chooses the algorithm by the product */
        return hash_u64(hash_text(hash, "cuBLAS"), version);
    case ENGINE_CUB_REDUCE:
    case ENGINE_CUB_COPY:
    case ENGINE_CUB_ADD:
    case ENGINE_CUB_SILU_MUL:
        return hash_u64(hash_u64(hash_text(hash, "CUB"), version), CUDART_VERSION); /* nvcc's */
    default: /* the driver's copies, and perhaps a kernel beside them */
        return !hash ? 0 : hash_text(hash_text(hash, "driver"), p->session->device.driver);
    }
}

void cuda_call_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set, int part)
{
    set_addresses(p, stream, set, part);
    if (queue(p, stream) != 0)
        fail(&p->call.call);
}

/* ---- Can a launch be captured? ---- */

/* What a graph consists of, those in it included. */
struct tally {
    uint32_t nodes, kernels, allocations, frees;
};

static cudaError_t count_nodes(cudaGraph_t graph, struct tally *tally)
{
    size_t count = 0;
    cudaError_t status = cudaGraphGetNodes(graph, NULL, &count);
    cudaGraphNode_t *node = memory_new(count + 1, sizeof *node);
    if (status == cudaSuccess && count)
        status = cudaGraphGetNodes(graph, node, &count);
    for (size_t i = 0; i < count && status == cudaSuccess; i++) {
        enum cudaGraphNodeType type;
        cudaGraph_t child;
        status = cudaGraphNodeGetType(node[i], &type);
        if (status == cudaSuccess && type == cudaGraphNodeTypeGraph) {
            status = cudaGraphChildGraphNodeGetGraph(node[i], &child);
            status = status == cudaSuccess ? count_nodes(child, tally) : status;
            continue;
        }
        tally->nodes++;
        tally->kernels += type == cudaGraphNodeTypeKernel;
        tally->allocations += type == cudaGraphNodeTypeMemAlloc;
        tally->frees += type == cudaGraphNodeTypeMemFree;
    }
    free(node);
    return status;
}

/* Make the graph of a captured launch ready. NULL, or why it cannot be. */
static const char *make_graph(struct cuda_point *p, cudaGraph_t graph)
{
    struct tally tally = {0};
    cudaError_t status = count_nodes(graph, &tally);
    if (status == cudaSuccess && !tally.nodes) {
        cudaGraphDestroy(graph);
        cuda_fail("the call queues nothing on its stream: its work must be on call->stream, or on streams "
                  "that this one waits for");
    }
    p->call.nodes = tally.nodes;
    p->call.kernels = tally.kernels;
    p->call.places = tally.kernels < tally.nodes ? tally.nodes : 0;
    if (p->call.call.devices > 1) /* devices signal each other in their queues */
        p->call.places = tally.nodes + 2 * (uint32_t)p->call.call.devices;
    if (status == cudaSuccess && tally.allocations != tally.frees)
        return "it allocates memory that it does not free, or frees what it did not allocate";
    if (status == cudaSuccess)
        status = cudaGraphInstantiate(&p->call.graph, graph, 0);
    p->call.uncaptured = status != cudaSuccess;
    if (status == cudaSuccess)
        return NULL;
    p->call.graph = NULL;
    cudaGetLastError();
    return cudaGetErrorString(status);
}

/* NULL, or why a launch cannot be captured; the point goes on. What the call does wrong while it is captured,
 * it does not do in a stream. */
static const char *capture_once(struct cuda_point *p)
{
    cudaStream_t stream = p->session->stream;
    cudaGraph_t graph = NULL;
    set_addresses(p, stream, 0, 0);
    p->call.call.reason[0] = '\0';
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cuda_capturing = stream; /* a baseline may end the point */
    int failed = queue(p, stream);
    cuda_capturing = NULL;
    cudaError_t status = cudaStreamEndCapture(stream, &graph);
    cudaGetLastError();
    const char *why;
    if (failed)
        why = call_reason(&p->call.call);
    else
        why = status == cudaSuccess ? make_graph(p, graph) : cudaGetErrorString(status);
    if (status == cudaSuccess && graph)
        cudaGraphDestroy(graph);
    if (!failed && status == cudaErrorStreamCaptureUnjoined)
        cuda_fail("the call leaves work on another stream, and call->stream does not wait for it");
    CUDA(cudaDeviceSynchronize());
    return why;
}

void cuda_call_probe(struct cuda_point *p, struct result *result)
{
    enum phase before = phases_enter(PHASE_open_call);
    for (int i = 0; i < 2; i++) { /* the first one may load code and allocate */
        cuda_call_launch(p, p->session->stream, 0, 0);
        CUDA(cudaStreamSynchronize(p->session->stream));
    }
    p->launched = true;
    if (p->call.call.library_version && result)
        result->real[REAL_library_version] = p->call.call.library_version;
    const char *why = p->setup.in_a_row ? NULL : capture_once(p); /* a library may be slower after it */
    if (why && result)
        result_remark(result, "timed launch by launch, because a call cannot be captured: %.255s", why);
    phases_leave(before);
}

void cuda_call_close(struct cuda_point *p)
{
    if (!p->call.functions)
        return;
    if (p->call.graph)
        cudaGraphExecDestroy(p->call.graph);
    if (p->call.functions->close_call)
        p->call.functions->close_call(&p->call.call);
    if (p->call.call.workspace && cudaFree(p->call.call.workspace) == cudaSuccess)
        cuda_session_freed(p->call.call.workspace_bytes);
    cudaGetLastError();
    p->call = (struct cuda_call){0};
}
