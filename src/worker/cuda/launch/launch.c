#include "worker/cuda/launch/launch.h"

#include "worker/cuda/device/error.h"
#include "worker/cuda/launch/arguments.h"
#include "worker/cuda/launch/call.h"

static void launch_kernel(struct cuda_point *p, cudaStream_t stream, struct cuda_arguments *arguments)
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
    CUDA(cudaLaunchKernelExC(&launch, p->kernel, arguments->pointer));
    p->session->launches++;
}

/* `far`: of a mirrored point, the half that runs on the far device. */
static void launch_half(struct cuda_point *p, cudaStream_t stream, uint32_t set, bool far)
{
    if (p->setup.engine == ENGINE_KERNEL)
        launch_kernel(p, stream, &p->arguments[far ? p->sets + set : set]);
    else
        cuda_call_launch(p, stream, set, far);
}

/* Both halves of a mirrored point run at the same time; the launch ends when both have ended. */
void cuda_point_launch(void *context, cudaStream_t stream, uint64_t turn)
{
    struct cuda_point *p = context;
    uint32_t set = (uint32_t)(turn % p->sets);
    if (p->setup.mirror) {
        launch_half(p, cuda_session_fork(p->session, stream), set, true);
        cuda_session_back(p->session);
    }
    launch_half(p, stream, set, false);
    if (p->setup.mirror)
        cuda_session_join(p->session, stream);
}
