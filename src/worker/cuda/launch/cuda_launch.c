#include "worker/cuda/launch/cuda_launch.h"

/* Of a launch: programmatic dependent launch, and a window of L2. Returns how many. */
enum { ATTRIBUTES_MAX = 2 };
static uint32_t attributes_of(const struct cuda_point *p, uint32_t set, cudaLaunchAttribute *attribute)
{
    uint32_t count = 0;
    if (p->setup.programmatic_launch)
        attribute[count++] = (cudaLaunchAttribute){.id = cudaLaunchAttributeProgrammaticStreamSerialization,
                                                   .val.programmaticStreamSerializationAllowed = 1};
    if (p->setup.l2.window)
        attribute[count++] = (cudaLaunchAttribute){.id = cudaLaunchAttributeAccessPolicyWindow,
                                                   .val.accessPolicyWindow = cuda_l2_window(p, set)};
    return count;
}

static void launch_kernel(struct cuda_point *p, cudaStream_t stream, uint32_t set,
                          struct cuda_arguments *arguments)
{
    const struct setup *s = &p->setup;
    cudaLaunchAttribute attribute[ATTRIBUTES_MAX];
    cudaLaunchConfig_t launch = {.gridDim = {s->grid[0], s->grid[1], s->grid[2]},
                                 .blockDim = {s->block[0], s->block[1], s->block[2]},
                                 .dynamicSmemBytes = s->shared_dynamic,
                                 .stream = stream,
                                 .attrs = attribute,
                                 .numAttrs = attributes_of(p, set, attribute)};
    CUDA(cudaLaunchKernelExC(&launch, p->kernel, arguments->pointer));
    p->session->launches++;
}

static void launch_part(struct cuda_point *p, cudaStream_t stream, uint32_t set, int part)
{
    if (p->copies)
        cuda_copies_queue(p, stream, set, part);
    if (p->setup.engine == ENGINE_KERNEL || (p->copies && p->setup.entry))
        launch_kernel(p, stream, set, &p->arguments[(uint32_t)part * p->sets + set]);
    if (p->copies)
        cuda_copies_join(p, stream, part);
    else if (p->setup.engine != ENGINE_KERNEL)
        cuda_call_launch(p, stream, set, part);
}

static bool is_idle(const struct setup *setup, int part)
{
    return setup->idle >> part & 1;
}

/* All parts run at the same time; the launch ends when all have ended. */
static void launch_parts(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    cuda_session_begin(p->session, stream);
    for (int part = 1; part < p->setup.parts; part++)
        if (!is_idle(&p->setup, part))
            launch_part(p, cuda_session_fork(p->session, part), set, part);
    cuda_session_back(p->session);
    if (!is_idle(&p->setup, 0))
        launch_part(p, stream, set, 0);
    for (int part = 1; part < p->setup.parts; part++)
        if (!is_idle(&p->setup, part))
            cuda_session_join(p->session, stream, part);
}

void cuda_point_launch(void *context, cudaStream_t stream, uint64_t turn)
{
    struct cuda_point *p = context;
    uint32_t set = (uint32_t)(turn % p->sets);
    if (setup_has_parts(&p->setup))
        launch_parts(p, stream, set);
    else
        launch_part(p, stream, set, 0);
}
