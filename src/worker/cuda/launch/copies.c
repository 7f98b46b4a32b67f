#include "worker/cuda/launch/cuda_launch.h"

#include <stdlib.h>

#include "base/memory.h"

enum { MESSAGE_BYTES, SENDS, RECEIVES, STOPS }; /* of setup.shape */

/* Of one part: a stream for each of its messages, so that all are under way at the same time. */
struct side {
    int count;
    cudaStream_t stream[DEVICES_MAX];
    cudaEvent_t ended[DEVICES_MAX], begun;
};

struct cuda_copies {
    struct side part[DEVICES_MAX];
    void *stop[DEVICES_MAX]; /* on the device of each part: the kernel's array, or NULL */
};

static uint32_t mask_of(uint64_t flows, int part)
{
    return (uint32_t)(flows >> 8 * part) & 0xff;
}

/* The slot that a message has among those of a part. */
static uint64_t slot_of(uint64_t flows, int part, int bit)
{
    return (uint64_t)__builtin_popcount(mask_of(flows, part) & ((UINT32_C(1) << bit) - 1));
}

uint32_t cuda_copies_count(const struct setup *setup)
{
    return (uint32_t)__builtin_popcountll(setup->shape[SENDS]);
}

static void use_part(const struct cuda_point *p, int part)
{
    const struct cuda_session *session = p->session;
    if (session->peer.remote)
        CUDA(cudaSetDevice(part ? session->peer.end[part].ordinal : (int)session->device.ordinal));
}

static void open_part(const struct cuda_point *p, int part, struct cuda_copies *copies)
{
    struct side *side = &copies->part[part];
    int messages = __builtin_popcount(mask_of(p->setup.shape[SENDS], part));
    size_t bytes;
    use_part(p, part);
    CUDA(cudaEventCreateWithFlags(&side->begun, cudaEventDisableTiming));
    for (; side->count < messages; side->count++) {
        CUDA(cudaStreamCreateWithFlags(&side->stream[side->count], cudaStreamNonBlocking));
        CUDA(cudaEventCreateWithFlags(&side->ended[side->count], cudaEventDisableTiming));
    }
    if (p->setup.shape[STOPS])
        CUDA(cudaLibraryGetGlobal(&copies->stop[part], &bytes, p->library, "stop"));
}

struct cuda_copies *cuda_copies_new(const struct cuda_point *p)
{
    if (p->setup.engine != ENGINE_PEER_COPIES)
        return NULL;
    struct cuda_copies *copies = memory_new(1, sizeof *copies);
    for (int part = 0; part < p->setup.parts; part++)
        if (mask_of(p->setup.shape[SENDS], part))
            open_part(p, part, copies);
    use_part(p, 0);
    return copies;
}

void cuda_copies_free(struct cuda_copies *copies)
{
    for (int part = 0; copies && part < DEVICES_MAX; part++) {
        struct side *side = &copies->part[part];
        for (int i = 0; i < side->count; i++) {
            cudaStreamDestroy(side->stream[i]);
            cudaEventDestroy(side->ended[i]);
        }
        if (side->begun)
            cudaEventDestroy(side->begun);
    }
    free(copies);
}

static void queue_message(struct cuda_point *p, cudaStream_t stream, uint32_t set, int part, int further)
{
    const uint64_t *shape = p->setup.shape;
    int to = (part + further) % p->setup.parts;
    char *from = cuda_point_buffer(p, set, setup_part_buffer(&p->setup, part, 0)) +
                 slot_of(shape[SENDS], part, further) * shape[MESSAGE_BYTES];
    char *at = cuda_point_buffer(p, set, setup_part_buffer(&p->setup, to, 1)) +
               slot_of(shape[RECEIVES], to, p->setup.parts - further) * shape[MESSAGE_BYTES];
    CUDA(cudaMemcpyAsync(at, from, shape[MESSAGE_BYTES], cudaMemcpyDefault, stream));
}

void cuda_copies_queue(struct cuda_point *p, cudaStream_t stream, uint32_t set, int part)
{
    const struct side *side = &p->copies->part[part];
    uint32_t mask = mask_of(p->setup.shape[SENDS], part);
    CUDA(cudaEventRecord(side->begun, stream));
    for (int i = 0; i < side->count; i++, mask &= mask - 1) {
        CUDA(cudaStreamWaitEvent(side->stream[i], side->begun, 0));
        queue_message(p, side->stream[i], set, part, __builtin_ctz(mask));
        CUDA(cudaEventRecord(side->ended[i], side->stream[i]));
    }
}

void cuda_copies_join(struct cuda_point *p, cudaStream_t stream, int part)
{
    const struct side *side = &p->copies->part[part];
    char *stop = p->copies->stop[part];
    for (int i = 1; stop && i < side->count; i++)
        CUDA(cudaStreamWaitEvent(side->stream[0], side->ended[i], 0));
    if (stop) {
        CUDA(cudaMemsetAsync(stop + 4 * part, 1, 1, side->stream[0]));
        CUDA(cudaEventRecord(side->ended[0], side->stream[0]));
    }
    for (int i = 0; i < side->count; i++)
        CUDA(cudaStreamWaitEvent(stream, side->ended[i], 0));
}
