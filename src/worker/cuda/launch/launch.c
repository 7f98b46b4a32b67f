#include "worker/cuda/launch/launch.h"

#include "worker/cuda/baselines/vendor.h"
#include "worker/cuda/device/error.h"
#include "worker/cuda/launch/arguments.h"
#include "worker/cuda/launch/host_copy.h"

static void launch_kernel(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    const struct setup *s = &p->setup;
    cudaLaunchAttribute programmatic = {.id = cudaLaunchAttributeProgrammaticStreamSerialization,
                                        .val.programmaticStreamSerializationAllowed = 1};
    cudaLaunchConfig_t launch = {.gridDim = {s->grid[0], s->grid[1], s->grid[2]},
                                 .blockDim = {s->block[0], s->block[1], s->block[2]},
                                 .dynamicSmemBytes = s->shared_dynamic,
                                 .stream = stream,
                                 .attrs = &programmatic,
                                 .numAttrs = s->programmatic_launch};
    CUDA(cudaLaunchKernelExC(&launch, p->kernel, p->arguments[set].pointer));
    p->session->launches++;
}

void cuda_point_launch(void *context, cudaStream_t stream, uint64_t turn)
{
    struct cuda_point *p = context;
    uint32_t set = (uint32_t)(turn % p->sets);
    switch (p->setup.engine) {
    case ENGINE_KERNEL:
        launch_kernel(p, stream, set);
        break;
    case ENGINE_MEMCPY:
        CUDA(cudaMemcpyAsync(cuda_point_buffer(p, set, 1), cuda_point_buffer(p, set, 0),
                             cuda_point_bytes(p, 0), cudaMemcpyDeviceToDevice, stream));
        break;
    case ENGINE_GEAM:
    case ENGINE_GEMM:
    case ENGINE_GEMM_LT:
    case ENGINE_CUB_REDUCE:
    case ENGINE_CUB_COPY:
    case ENGINE_CUB_ADD:
    case ENGINE_CUB_SILU_MUL:
        cuda_vendor_launch(p, stream, set);
        break;
    case ENGINE_HOST_COPY:
        cuda_host_copy_launch(p, stream, set);
        break;
    }
}
