#include "worker/cuda/device/peer.h"

#include <stdio.h>

#include "worker/cuda/device/error.h"

/* Release everything of the last pair: its memory on the other device is other ranks', too. */
static void close_peer(struct cuda_session *session)
{
    struct cuda_peer *peer = &session->peer;
    cuda_session_enter(session, false);
    CUDA(cudaSetDevice(peer->end.ordinal));
    cudaFree(peer->end.arena);
    cudaFree(peer->end.flush);
    if (peer->end.stream)
        cudaStreamDestroy(peer->end.stream);
    if (peer->ended)
        cudaEventDestroy(peer->ended);
    cuda_session_back(session);
    if (peer->begun)
        cudaEventDestroy(peer->begun);
    cuda_session_freed(peer->end.arena_bytes + peer->end.flush_bytes);
}

static const char *find_other(struct cuda_session *session, const struct ends *ends, char *reason,
                              size_t size)
{
    int count = 0, own[2] = {0}, other[2] = {0};
    CUDA(cudaGetDeviceCount(&count));
    if (ends->far >= count) {
        snprintf(reason, size,
                 "device %d is not visible: the rank of device %d sees %d; let each rank see all devices of "
                 "its node (Slurm: --gpus-per-node, not --gpus-per-task)",
                 ends->far, ends->near, count);
        return reason;
    }
    for (int i = 0; i < 2; i++) {
        enum cudaDeviceAttr name = i ? cudaDevAttrComputeCapabilityMinor : cudaDevAttrComputeCapabilityMajor;
        CUDA(cudaDeviceGetAttribute(&own[i], name, (int)session->device.ordinal));
        CUDA(cudaDeviceGetAttribute(&other[i], name, ends->far));
    }
    if (own[0] == other[0] && own[1] == other[1])
        return NULL;
    snprintf(reason, size,
             "devices %d and %d have compute capabilities %d.%d and %d.%d: one kernel cannot run on both",
             ends->near, ends->far, own[0], own[1], other[0], other[1]);
    return reason;
}

/* Peer access of the current device to another; it may be enabled already. */
static bool enable_access(int from, int to)
{
    int can = 0;
    CUDA(cudaDeviceCanAccessPeer(&can, from, to));
    CUDA(cudaSetDevice(from));
    cudaError_t status = can ? cudaDeviceEnablePeerAccess(to, 0) : cudaErrorPeerAccessUnsupported;
    if (status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
        return true;
    }
    cudaGetLastError();
    return false;
}

/* Whether a graph can span both devices: asked by making one. */
static bool can_capture(struct cuda_session *session)
{
    cudaStream_t stream = session->stream, far = session->peer.end.stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t made = NULL;
    cudaLaunchConfig_t launch = {.gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .stream = far};
    cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (status != cudaSuccess) {
        cudaGetLastError(); /* clears it */
        return false;
    }
    cudaError_t failed[5] = {cudaEventRecord(session->peer.begun, stream),
                             cudaStreamWaitEvent(far, session->peer.begun, 0)};
    CUDA(cudaSetDevice(session->peer.end.ordinal));
    failed[2] = cudaLaunchKernelExC(&launch, session->nothing, NULL);
    failed[3] = cudaEventRecord(session->peer.ended, far);
    cuda_session_back(session);
    failed[4] = cudaStreamWaitEvent(stream, session->peer.ended, 0);
    status = cudaStreamEndCapture(stream, &graph);
    for (int i = 0; i < 5 && status == cudaSuccess; i++)
        status = failed[i];
    if (status == cudaSuccess)
        status = cudaGraphInstantiate(&made, graph, 0);
    if (made)
        cudaGraphExecDestroy(made);
    if (graph)
        cudaGraphDestroy(graph);
    cudaGetLastError();
    return status == cudaSuccess;
}

/* Stream, events, and on another device the buffer that empties its L2; that is filled and used once, so that nothing is loaded
 * later behind a blocked stream. */
static void make_end(struct cuda_session *session)
{
    struct cuda_peer *peer = &session->peer;
    CUDA(cudaEventCreateWithFlags(&peer->begun, cudaEventDisableTiming));
    CUDA(cudaSetDevice(peer->end.ordinal));
    CUDA(cudaStreamCreateWithFlags(&peer->end.stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&peer->ended, cudaEventDisableTiming));
    cuda_session_back(session);
    if (!peer->remote)
        return;
    cuda_session_enter(session, true);
    cuda_session_make_flush(session);
    for (int dirty = 0; dirty <= 2; dirty++)
        cuda_session_flush(session, 0.5 * dirty);
    cuda_session_launch(session, session->nothing, NULL, false); /* loaded before can_capture */
    cuda_session_enter(session, false);
}

/* Is the pair of the last point the same? Its memory is kept then. */
static bool is_same(const struct cuda_session *session, const struct ends *ends)
{
    const struct cuda_peer *peer = &session->peer;
    return peer->open && (ends->far < 0 ? !peer->remote : peer->remote && peer->end.ordinal == ends->far);
}

const char *cuda_peer_open(struct cuda_session *session, const struct ends *ends, bool mirror, char *reason,
                           size_t size)
{
    struct cuda_peer *peer = &session->peer;
    bool needed = ends->far >= 0 || mirror;
    cuda_session_enter(session, false); /* the last point may have failed at the other end */
    CUDA(cudaSetDevice((int)session->device.ordinal));
    if (needed && is_same(session, ends))
        return NULL;
    if (peer->begun) /* also after a failure halfway */
        close_peer(session);
    *peer = (struct cuda_peer){0};
    if (!needed)
        return NULL;
    const char *why = ends->far >= 0 ? find_other(session, ends, reason, size) : NULL;
    if (why)
        return why;
    peer->remote = ends->far >= 0;
    peer->access = true;
    peer->end.ordinal = peer->remote ? ends->far : (int)session->device.ordinal;
    if (peer->remote) {
        bool there = enable_access((int)session->device.ordinal, ends->far),
             back = enable_access(ends->far, (int)session->device.ordinal);
        CUDA(cudaSetDevice((int)session->device.ordinal));
        peer->access = there && back;
    }
    make_end(session);
    peer->captures = can_capture(session);
    peer->open = true;
    return NULL;
}
