#include "worker/cuda/device/cuda_device.h"

/* Release everything that the last point has on other devices. */
static void close_peer(struct cuda_session *session)
{
    struct cuda_peer *peer = &session->peer;
    uint64_t freed = 0;
    cuda_session_enter(session, 0);
    for (int i = 1; i < peer->count; i++) {
        struct cuda_end *end = &peer->end[i];
        CUDA(cudaSetDevice(end->ordinal));
        cudaFree(end->arena);
        cudaFree(end->flush);
        if (end->stream)
            cudaStreamDestroy(end->stream);
        if (end->ended)
            cudaEventDestroy(end->ended);
        freed += end->arena_bytes + end->flush_bytes;
    }
    CUDA(cudaSetDevice((int)session->device.ordinal));
    cudaEventDestroy(peer->begun);
    cuda_session_freed(freed);
}

/* One kernel for all of them? */
static int check_capabilities(const struct devices *devices, struct error *error)
{
    int first = devices->ordinal[0], own[2], its[2];
    for (int i = 1; i < devices->count; i++) {
        for (int part = 0; part < 2; part++) {
            enum cudaDeviceAttr name =
                part ? cudaDevAttrComputeCapabilityMinor : cudaDevAttrComputeCapabilityMajor;
            own[part] = cuda_attribute(name, first);
            its[part] = cuda_attribute(name, devices->ordinal[i]);
        }
        if (own[0] != its[0] || own[1] != its[1])
            return error_set(error, ERROR_ENVIRONMENT,
                             "devices %d and %d have compute capabilities %d.%d and %d.%d: one kernel "
                             "cannot run on both",
                             first, devices->ordinal[i], own[0], own[1], its[0], its[1]);
    }
    return 0;
}

/* Peer access of one device to another; it may be enabled already. */
static bool enable_access(int from, int to)
{
    int can = 0;
    CUDA(cudaDeviceCanAccessPeer(&can, from, to));
    CUDA(cudaSetDevice(from));
    cudaError_t status = can ? cudaDeviceEnablePeerAccess(to, 0) : cudaErrorPeerAccessUnsupported;
    cudaGetLastError(); /* clears it */
    return status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled;
}

static void enable_all(struct cuda_session *session, const struct devices *devices)
{
    session->peer.access = true;
    for (int i = 0; i < devices->count; i++)
        for (int j = 0; j < devices->count; j++)
            session->peer.access &= i == j || enable_access(devices->ordinal[i], devices->ordinal[j]);
    CUDA(cudaSetDevice((int)session->device.ordinal));
}

/* Stream, event, and on another device the buffer that empties its L2; that is filled and used once, so that
 * nothing is loaded later behind a blocked stream. */
static void make_end(struct cuda_session *session, int i)
{
    struct cuda_end *end = &session->peer.end[i];
    CUDA(cudaSetDevice(end->ordinal));
    CUDA(cudaStreamCreateWithFlags(&end->stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&end->ended, cudaEventDisableTiming));
    cuda_session_back(session);
    if (!session->peer.remote)
        return;
    cuda_session_enter(session, i);
    cuda_session_make_flush(session);
    for (int dirty = 0; dirty <= 2; dirty++)
        cuda_session_flush(session, 0.5 * dirty);
    cuda_session_enter(session, 0);
}

/* Had the last point the same devices? Their memory is kept then. */
static bool is_same(const struct cuda_peer *peer, const struct devices *devices, int count)
{
    bool same = peer->open && peer->count == count && peer->remote == (devices->count > 1);
    for (int i = 1; i < count && same && peer->remote; i++)
        same = peer->end[i].ordinal == devices->ordinal[i];
    return same;
}

int cuda_peer_open(struct cuda_session *session, const struct devices *devices, int parts,
                   struct error *error)
{
    struct cuda_peer *peer = &session->peer;
    bool remote = devices->count > 1;
    int count = parts > 1 ? parts : 0;
    if (remote)
        count = devices->count;
    cuda_session_enter(session, 0); /* the last point may have failed at another end */
    CUDA(cudaSetDevice((int)session->device.ordinal));
    if (count && is_same(peer, devices, count))
        return 0;
    if (peer->begun) /* also after a failure halfway */
        close_peer(session);
    *peer = (struct cuda_peer){.count = 0};
    if (remote && check_capabilities(devices, error) != 0)
        return -1;
    if (!count)
        return 0;
    CUDA(cudaEventCreateWithFlags(&peer->begun, cudaEventDisableTiming));
    peer->remote = remote;
    for (int i = 1; i < count; i++)
        peer->end[i].ordinal = remote ? devices->ordinal[i] : (int)session->device.ordinal;
    peer->count = count;
    enable_all(session, devices);
    for (int i = 1; i < count; i++)
        make_end(session, i);
    peer->open = true;
    return 0;
}
