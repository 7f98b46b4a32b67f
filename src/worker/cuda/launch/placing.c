#include "worker/cuda/launch/cuda_launch.h"

#include <string.h>

#include "worker/phases.h"

/* Large buffers start on the pages that the driver maps, small ones on those of the host. */
#define LARGE_ALIGNMENT (UINT64_C(2) << 20)
#define SMALL_ALIGNMENT UINT64_C(4096)

static uint64_t round_up(uint64_t bytes, uint64_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

/* Offsets of the device buffers in a set, each with a guard before and after it; host buffers where they are.
 */
static void place_set(struct cuda_point *p)
{
    uint64_t ends[DEVICES_MAX] = {0}, end = 0;
    for (int b = 0; b < p->setup.buffers; b++) {
        const struct buffer *buffer = &p->setup.buffer[b];
        uint64_t bytes = cuda_point_bytes(p, b), *at = &ends[cuda_point_device(p, b)];
        if (buffer->on_host) {
            if (!p->host[b])
                p->host[b] = host_memory_take(buffer);
            continue;
        }
        *at = round_up(*at + CUDA_GUARD_BYTES, bytes >= LARGE_ALIGNMENT ? LARGE_ALIGNMENT : SMALL_ALIGNMENT);
        p->offset[b] = *at;
        *at += bytes;
    }
    for (int d = 0; d < cuda_point_devices(p); d++)
        end = ends[d] > end ? ends[d] : end;
    end += CUDA_GUARD_BYTES;
    /* Sets of small buffers lie close, so that many fit. */
    p->set_bytes = round_up(end, end < LARGE_ALIGNMENT ? SMALL_ALIGNMENT : LARGE_ALIGNMENT);
}

static void fill_input(struct cuda_point *p, int b)
{
    const struct buffer *buffer = &p->setup.buffer[b];
    char *out = cuda_point_buffer(p, 0, b);
    uint64_t seed = p->seed + (uint64_t)b;
    if (buffer->on_host)
        materialise_buffer(buffer, seed, p->session->threads, out);
    else
        cuda_session_fill(p->session, out, buffer->dtype, buffer->count, &buffer->fill, seed);
}

/* Fill the buffers of the first set that launches change, or all of them. */
static void fill_set(struct cuda_point *p, bool all)
{
    for (int b = 0; b < p->setup.buffers; b++) {
        enum buffer_role role = p->setup.buffer[b].role;
        cuda_session_enter(p->session, cuda_point_device(p, b));
        if (role == BUFFER_IN_PLACE || (all && role == BUFFER_INPUT))
            fill_input(p, b);
        else if (role == BUFFER_ZEROED)
            CUDA(cudaMemsetAsync(cuda_point_buffer(p, 0, b), 0, cuda_point_bytes(p, b), p->session->stream));
    }
}

void cuda_point_refill(struct cuda_point *p)
{
    fill_set(p, false);
    cuda_session_enter(p->session, 0);
}

/* One copy of the table serves all sets. */
static void fill_constant(struct cuda_point *p)
{
    void *symbol = NULL;
    size_t bytes = 0, needed = cuda_point_bytes(p, p->setup.constant_buffer);
    CUDA(cudaLibraryGetGlobal(&symbol, &bytes, p->library, p->setup.constant));
    if (needed > bytes)
        cuda_fail("'%s' holds %zu bytes, its contents have %zu", p->setup.constant, bytes, needed);
    CUDA(cudaMemcpyAsync(symbol, cuda_point_buffer(p, 0, p->setup.constant_buffer), needed,
                         cudaMemcpyDeviceToDevice, p->session->stream));
}

void cuda_point_renew(struct cuda_point *p)
{
    fill_set(p, true);
    if (p->setup.constant)
        fill_constant(p);
    cuda_arguments_renew(p);
    cuda_session_enter(p->session, 0);
}

/* All sets hold the same: copies of the first ones, twice as many each time, instead of a launch a buffer and
 * set. */
static void copy_first_set(struct cuda_point *p, char *arena)
{
    for (uint32_t done = 1; done < p->sets;) {
        uint32_t more = done < p->sets - done ? done : p->sets - done;
        CUDA(cudaMemcpyAsync(arena + done * p->set_bytes, arena, more * p->set_bytes,
                             cudaMemcpyDeviceToDevice, p->session->stream));
        done += more;
    }
}

static void initialise_sets(struct cuda_point *p)
{
    fill_set(p, true);
    for (int d = 0; d < cuda_point_devices(p); d++) {
        cuda_session_enter(p->session, d);
        copy_first_set(p, p->arena[d]);
    }
    cuda_session_enter(p->session, 0);
}

static void initialise(struct cuda_point *p, bool filled)
{
    enum phase before = phases_enter(PHASE_fill);
    if (!filled)
        initialise_sets(p);
    if (p->setup.constant)
        fill_constant(p);
    phases_leave(before);
    p->arguments = cuda_arguments_new(p);
}

static void release_arguments(struct cuda_point *p)
{
    cuda_arguments_free(p->arguments, p->sets);
    p->arguments = NULL;
}

/* How many of `sets` the current device has memory for. The driver, which takes a millisecond to say what is
 * free, and more if other processes ask, is asked only if the arena has to grow. */
static uint32_t fitting_sets(struct cuda_point *p, uint32_t sets)
{
    if ((uint64_t)sets * p->set_bytes <= p->session->arena_bytes)
        return sets;
    uint64_t room = cuda_session_room(p->session);
    if (p->set_bytes > room)
        cuda_fail("its buffers need %.4g GiB; %.4g GiB are free on device %d", (double)p->set_bytes / 0x1p30,
                  (double)room / 0x1p30, (int)p->session->device.ordinal);
    return (uint64_t)sets * p->set_bytes > room ? (uint32_t)(room / p->set_bytes) : sets;
}

void cuda_point_place(struct cuda_point *p, uint32_t sets)
{
    enum phase before = phases_enter(PHASE_allocate);
    release_arguments(p);
    place_set(p);
    p->sets = sets;
    for (int pass = 0; pass < 2; pass++) /* first the room on all devices */
        for (int d = 0; d < cuda_point_devices(p); d++) {
            cuda_session_enter(p->session, d);
            if (pass == 0)
                p->sets = fitting_sets(p, p->sets);
            else
                p->arena[d] = cuda_session_arena(p->session, p->sets * p->set_bytes);
        }
    cuda_session_enter(p->session, 0);
    phases_leave(before);
    initialise(p, false);
}

uint64_t cuda_point_need(struct cuda_point *p)
{
    place_set(p);
    return p->set_bytes;
}

void cuda_point_place_at(struct cuda_point *p, char *arena, bool filled)
{
    p->sets = 1;
    p->arena[0] = arena;
    initialise(p, filled);
}

static bool is_same_buffer(const struct buffer *a, const struct buffer *b)
{
    bool kept =
        a->role != BUFFER_ZEROED && a->role != BUFFER_IN_PLACE && !a->on_host && a->device == b->device;
    return kept && a->role == b->role && a->dtype == b->dtype && a->count == b->count && !b->on_host;
}

bool cuda_point_fits(const struct cuda_point *first, const struct cuda_point *second)
{
    bool same = first->family == second->family && first->seed == second->seed &&
                first->setup.buffers == second->setup.buffers;
    for (int i = 0; i < first->setup.buffers && same; i++)
        same = is_same_buffer(&first->setup.buffer[i], &second->setup.buffer[i]);
    return same;
}

static void release_host(struct cuda_point *p)
{
    for (int b = 0; b < p->setup.buffers; b++) {
        if (!p->borrows_host)
            host_memory_put(p->host[b]);
        p->host[b] = NULL;
    }
    p->borrows_host = false;
}

void cuda_point_share(const struct cuda_point *first, struct cuda_point *second)
{
    release_arguments(second);
    release_host(second);
    memcpy(second->host, first->host, sizeof second->host);
    memcpy(second->offset, first->offset, sizeof second->offset);
    second->borrows_host = true;
    memcpy(second->arena, first->arena, sizeof second->arena);
    second->set_bytes = first->set_bytes;
    second->sets = first->sets;
    initialise(second, true);
}

void cuda_point_release(struct cuda_point *p)
{
    cuda_call_close(p);
    cuda_copies_free(p->copies);
    p->copies = NULL;
    release_arguments(p);
    release_host(p);
}
