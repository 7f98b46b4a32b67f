#include "worker/cuda/device/device.h"

#define OTHER_CAPABILITY                                                                                     \
    "devices %d and %d have compute capabilities %d.%d and %d.%d: one kernel cannot run on both"

/* Release everything of the last point: its memory on other devices is other ranks', too. */
static void close_peer(struct cuda_session *session)
{
    struct cuda_peer *peer = &session->peer;
    uint64_t freed = 0;
    cuda_session_enter(session, 0);
    for (int i = 1; i < peer->count; i++) {
        struct cuda_end *end = &peer->end[i];
        CUDA(cudaSetDevice(end->ordinal));
        if (end->handed) {
            cuda_handed_close(end->handed);
        } else {
            cudaFree(end->arena);
            cudaFree(end->flush);
        }
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

/* Is device `other` of the point visible, and like the first one? */
static int check_device(const struct devices *devices, int other, int visible, struct error *error)
{
    int first = devices->ordinal[0], ordinal = devices->ordinal[other], own[2], its[2];
    if (ordinal >= visible)
        return error_set(error, ERROR_ENVIRONMENT,
                         "device %d is not visible: the rank of device %d sees %d; let each rank see all "
                         "devices of its node (Slurm: --gpus-per-node, not --gpus-per-task)",
                         ordinal, first, visible);
    for (int i = 0; i < 2; i++) {
        enum cudaDeviceAttr name = i ? cudaDevAttrComputeCapabilityMinor : cudaDevAttrComputeCapabilityMajor;
        own[i] = cuda_attribute(name, first);
        its[i] = cuda_attribute(name, ordinal);
    }
    if (own[0] == its[0] && own[1] == its[1])
        return 0;
    return error_set(error, ERROR_ENVIRONMENT, OTHER_CAPABILITY, first, ordinal, own[0], own[1], its[0],
                     its[1]);
}

static int check_devices(const struct devices *devices, struct error *error)
{
    int visible = 0, failed = 0;
    CUDA(cudaGetDeviceCount(&visible));
    for (int i = 1; i < devices->count && !failed; i++)
        failed = check_device(devices, i, visible, error);
    return failed;
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

/* Stream, event, and on another device the buffer that empties its L2; that is filled and used once, so that nothing is loaded
 * later behind a blocked stream. */
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

/* Reach the other ranks, whose memory the ends have. -1 with the reason if it cannot be used here. */
static int take_over(struct cuda_session *session, const struct devices *devices, struct error *error)
{
    struct cuda_peer *peer = &session->peer;
    for (int i = 1; i < peer->count; i++) {
        struct cuda_handed *handed = peer->end[i].handed =
            cuda_handed_open(&session->config, devices->ordinal[i], error);
        if (!handed)
            return -1;
        int own = (int)session->device.capability, its = handed->capability;
        if (own != its)
            return error_set(error, ERROR_ENVIRONMENT, OTHER_CAPABILITY, devices->ordinal[0],
                             devices->ordinal[i], own / 10, own % 10, its / 10, its % 10);
    }
    peer->access = true; /* of this device to them: nothing runs there */
    return 0;
}

bool cuda_peer_is_handed(const struct cuda_session *session)
{
    return session->peer.open && session->peer.remote && session->config.place.handover[0];
}

void cuda_peer_check(const struct cuda_session *session)
{
    for (int i = 1; i < session->peer.count && cuda_peer_is_handed(session); i++)
        cuda_handed_check(session->peer.end[i].handed);
}

/* Is the end device `ordinal` of the point, and still there? */
static bool is_end(const struct cuda_end *end, int ordinal)
{
    return end->handed ? end->handed->seat == ordinal && cuda_handed_is_alive(end->handed)
                       : end->ordinal == ordinal;
}

/* Had the last point the same devices? Their memory is kept then. */
static bool is_same(const struct cuda_peer *peer, const struct devices *devices, int count)
{
    bool same = peer->open && peer->count == count && peer->remote == (devices->count > 1);
    for (int i = 1; i < count && same && peer->remote; i++)
        same = is_end(&peer->end[i], devices->ordinal[i]);
    return same;
}

int cuda_peer_open(struct cuda_session *session, const struct devices *devices, int parts,
                   struct error *error)
{
    struct cuda_peer *peer = &session->peer;
    bool remote = devices->count > 1;
    int count = remote ? devices->count : parts > 1 ? parts : 0;
    cuda_session_enter(session, 0); /* the last point may have failed at another end */
    CUDA(cudaSetDevice((int)session->device.ordinal));
    if (count && is_same(peer, devices, count))
        return 0;
    if (peer->begun) /* also after a failure halfway */
        close_peer(session);
    *peer = (struct cuda_peer){.count = 0};
    bool handed = remote && session->config.place.handover[0];
    if (remote && !handed && check_devices(devices, error) != 0)
        return -1;
    if (!count)
        return 0;
    CUDA(cudaEventCreateWithFlags(&peer->begun, cudaEventDisableTiming));
    peer->remote = remote;
    for (int i = 1; i < count; i++)
        peer->end[i].ordinal = remote && !handed ? devices->ordinal[i] : (int)session->device.ordinal;
    peer->count = count;
    if (!handed)
        enable_all(session, devices);
    else if (take_over(session, devices, error) != 0)
        return -1; /* what is open is closed with the next point */
    for (int i = 1; i < count; i++)
        make_end(session, i);
    peer->open = true;
    return 0;
}
