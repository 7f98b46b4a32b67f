#include "fake_cuda.h"

#include <stdlib.h>
#include <string.h>

struct fake_cuda fake;

enum { NODES_MAX = 1 << 16 };
struct CUgraph_st {
    uint32_t count;
    unsigned char node[NODES_MAX];
};
struct CUgraphExec_st {
    uint32_t count;
};
struct CUevent_st {
    double at;
};

static struct CUgraph_st *captured; /* NULL: no capture */
static bool invalid, unjoined;
static struct CUgraph_st two_kernels = {.count = 2};

cudaError_t fake_queue(enum fake_node node)
{
    if (captured) {
        captured->node[captured->count++] = (unsigned char)node;
        return cudaSuccess;
    }
    fake.behind_gate += fake.gate && *fake.gate != fake.ticket;
    fake.now += fake.node_seconds;
    return fake.lost ? cudaErrorIllegalAddress : cudaSuccess;
}

cudaError_t fake_wait(void)
{
    invalid |= captured != NULL;
    return captured ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

void fake_leave_unjoined(void)
{
    unjoined = captured != NULL;
}

static cudaError_t outcome(void)
{
    return fake.lost ? cudaErrorIllegalAddress : cudaSuccess;
}

/* ---- The runtime's functions that are used ---- */

const char *cudaGetErrorString(cudaError_t error)
{
    if (error == cudaErrorStreamCaptureUnsupported)
        return "not permitted when stream is capturing";
    if (error == cudaErrorStreamCaptureInvalidated)
        return "capture invalidated";
    if (error == cudaErrorIllegalAddress)
        return "illegal memory access";
    return error == cudaErrorNotSupported ? "not supported" : "another error";
}
const char *cudaGetErrorName(cudaError_t error)
{
    return cudaGetErrorString(error);
}
cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}
/* Functions that only succeed or fail. */
#define PLAIN(name, parameters)                                                                              \
    cudaError_t name parameters                                                                              \
    {                                                                                                        \
        return outcome();                                                                                    \
    }
PLAIN(cudaDeviceSynchronize, (void))
PLAIN(cudaStreamSynchronize, (cudaStream_t stream))
PLAIN(cudaStreamQuery, (cudaStream_t stream))
PLAIN(cudaSetDevice, (int device))
PLAIN(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags))
PLAIN(cudaEventSynchronize, (cudaEvent_t event))
PLAIN(cudaGraphUpload, (cudaGraphExec_t executable, cudaStream_t stream))

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    if (bytes > fake.free_bytes)
        return cudaErrorMemoryAllocation;
    fake.allocations++;
    *memory = calloc(1, bytes);
    return cudaSuccess;
}
cudaError_t cudaFree(void *memory)
{
    fake.allocations -= memory != NULL;
    free(memory);
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    return cudaMalloc(memory, bytes);
}
cudaError_t cudaFreeHost(void *memory)
{
    return cudaFree(memory);
}
cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    *available = fake.free_bytes;
    *total = UINT64_C(1) << 36;
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    if (kind != cudaMemcpyDeviceToHost) { /* addresses of the device are made up */
        fake.copied_from = from;
        return fake_queue(FAKE_COPY);
    }
    memcpy(to, from, bytes);
    return outcome();
}
cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    fake.zeroed += bytes;
    return fake_queue(FAKE_COPY);
}
cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library, const char *name)
{
    *address = (void *)4096;
    *bytes = 4;
    return outcome();
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *launch, const void *kernel, void **arguments)
{
    return fake_queue(FAKE_KERNEL);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    fake.streams++;
    *stream = calloc(1, 1);
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    fake.streams--;
    free(stream);
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    *event = calloc(1, sizeof **event);
    fake.events++;
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    if (fake.lost)
        return cudaErrorIllegalAddress;
    return event->at <= fake.reached ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    fake.events--;
    free(event);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    event->at = fake.now;
    return outcome();
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    *milliseconds = (float)(1e3 * (to->at - from->at));
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    captured = calloc(1, sizeof *captured);
    fake.graphs++;
    invalid = unjoined = false;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = captured;
    captured = NULL;
    if (!invalid && !unjoined)
        return cudaSuccess;
    cudaGraphDestroy(*graph);
    *graph = NULL;
    return invalid ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    fake.graphs--;
    free(graph);
    return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    for (size_t i = 0; nodes && i < *count; i++)
        nodes[i] = (cudaGraphNode_t)&graph->node[i];
    *count = graph->count;
    return cudaSuccess;
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    static const enum cudaGraphNodeType types[] = {
        [FAKE_KERNEL] = cudaGraphNodeTypeKernel,       [FAKE_COPY] = cudaGraphNodeTypeMemcpy,
        [FAKE_ALLOCATION] = cudaGraphNodeTypeMemAlloc, [FAKE_FREE] = cudaGraphNodeTypeMemFree,
        [FAKE_CHILD] = cudaGraphNodeTypeGraph,
    };
    *type = types[*(unsigned char *)node];
    return cudaSuccess;
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    *graph = &two_kernels;
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
{
    if (fake.no_graphs)
        return cudaErrorNotSupported;
    fake.executables++;
    *executable = calloc(1, sizeof **executable);
    (*executable)->count = graph->count;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    fake.executables--;
    free(executable);
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    fake.now += executable->count * fake.node_seconds;
    return outcome();
}
