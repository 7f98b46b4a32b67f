#include "worker/cuda/device/point.h"

uint64_t cuda_point_bytes(const struct cuda_point *p, int buffer)
{
    return p->setup.buffer[buffer].count * dtype_size(p->setup.buffer[buffer].dtype);
}

char *cuda_point_buffer(const struct cuda_point *p, uint32_t set, int buffer)
{
    if (p->host[buffer])
        return p->host[buffer];
    return p->arena + set * p->set_bytes + p->offset[buffer];
}
