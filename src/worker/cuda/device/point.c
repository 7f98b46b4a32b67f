#include "worker/cuda/device/point.h"

uint64_t cuda_point_bytes(const struct cuda_point *p, int buffer)
{
    return p->setup.buffer[buffer].count * dtype_size(p->setup.buffer[buffer].dtype);
}

int cuda_point_mirrored(const struct cuda_point *p, int buffer)
{
    int half = p->setup.mirror;
    return buffer < half ? buffer + half : buffer < 2 * half ? buffer - half : buffer;
}

bool cuda_point_is_far(const struct cuda_point *p, int buffer)
{
    return p->session->peer.remote && p->setup.buffer[buffer].on_far;
}

char *cuda_point_buffer(const struct cuda_point *p, uint32_t set, int buffer)
{
    if (p->host[buffer])
        return p->host[buffer];
    return (cuda_point_is_far(p, buffer) ? p->far_arena : p->arena) + set * p->set_bytes + p->offset[buffer];
}
