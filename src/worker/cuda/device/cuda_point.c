#include "worker/cuda/device/cuda_device.h"

uint64_t cuda_point_bytes(const struct cuda_point *p, int buffer)
{
    return dtype_bytes(p->setup.buffer[buffer].dtype, p->setup.buffer[buffer].count);
}

int cuda_point_devices(const struct cuda_point *p)
{
    return p->session->peer.remote ? p->session->peer.count : 1;
}

int cuda_point_device(const struct cuda_point *p, int buffer)
{
    return p->session->peer.remote ? p->setup.buffer[buffer].device : 0;
}

char *cuda_point_buffer(const struct cuda_point *p, uint32_t set, int buffer)
{
    if (p->host[buffer])
        return p->host[buffer];
    return p->arena[cuda_point_device(p, buffer)] + set * p->set_bytes + p->offset[buffer];
}
