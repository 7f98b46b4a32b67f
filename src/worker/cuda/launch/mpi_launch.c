#include "worker/cuda/launch/mpi_launch.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "worker/cuda/device/error.h"
#include "worker/spans.h"

_Static_assert(sizeof(cudaIpcMemHandle_t) == MPI_HANDLE_SIZE, "a handle travels in a packet");

#define WARM_UP_SECONDS 0.05 /* until MPI has made its connections and registered the buffers */

static int ordinal_of(const struct cuda_point *p, int d)
{
    return d ? p->session->peer.end[d].ordinal : (int)p->session->device.ordinal;
}

void cuda_mpi_open(struct cuda_point *p, struct result *result)
{
    int ordinal[DEVICES_MAX];
    char reason[MPI_REASON_SIZE];
    bool unsupported = false;
    if (p->setup.engine != ENGINE_MPI)
        return;
    enum phase before = spans_enter(PHASE_open_call);
    for (int d = 0; d < cuda_point_devices(p); d++)
        ordinal[d] = ordinal_of(p, d);
    p->job = mpi_job_open(&p->setup, ordinal, &unsupported, reason, sizeof reason);
    if (!p->job && unsupported)
        cuda_refuse("%s", reason);
    if (!p->job)
        cuda_fail("%s", reason);
    spans_leave(before);
    result->real[REAL_library_version] = mpi_job_version(p->job);
    if (!result->message[0])
        result_fail(result, STATUS_OK, "%s", mpi_job_library(p->job));
}

char *cuda_mpi_arena(struct cuda_point *p, int d, uint64_t bytes)
{
    char reason[MPI_REASON_SIZE];
    int none;
    cudaIpcMemHandle_t handle;
    if (p->imported[d])
        CUDA(cudaIpcCloseMemHandle(p->imported[d]));
    p->imported[d] = NULL;
    if (mpi_job_allocate(p->job, d, bytes, &none, (unsigned char *)&handle, reason, sizeof reason) != 0)
        cuda_fail("%s", reason);
    cudaError_t status =
        cudaIpcOpenMemHandle((void **)&p->imported[d], handle, cudaIpcMemLazyEnablePeerAccess);
    if (status == cudaSuccess)
        return p->imported[d];
    p->imported[d] = NULL;
    cudaGetLastError(); /* clears it */
    cuda_refuse("the driver does not map memory of another process here (cudaIpcOpenMemHandle: %s)",
                cudaGetErrorName(status));
}

void cuda_mpi_placed(struct cuda_point *p)
{
    mpi_job_place(p->job, p->offset, p->set_bytes, p->sets);
}

/* Each end is left when its stream has ended. */
static void wait_for_all(struct cuda_point *p)
{
    CUDA(cudaStreamSynchronize(p->session->stream));
    for (int d = 1; d < cuda_point_devices(p); d++)
        cuda_session_enter(p->session, d);
    cuda_session_enter(p->session, 0);
}

double cuda_mpi_launch(struct cuda_point *p, uint32_t set, uint32_t launches)
{
    char reason[MPI_REASON_SIZE];
    double seconds = 0;
    wait_for_all(p);
    if (mpi_job_run(p->job, set, launches, &seconds, reason, sizeof reason) != 0)
        cuda_fail("%s", reason);
    return seconds;
}

void cuda_mpi_warm_up(struct cuda_point *p, struct trial *trial)
{
    double start = clock_now(), elapsed;
    uint32_t launches = 0;
    do {
        cuda_mpi_launch(p, launches++ % p->sets, 1);
        elapsed = clock_now() - start;
    } while (elapsed < WARM_UP_SECONDS);
    trial->launch_seconds = elapsed / launches;
}

void cuda_mpi_take(struct cuda_point *p, const struct trial *trial, uint32_t count, struct sample *samples)
{
    for (uint32_t i = 0; i < count; i++) {
        double seconds = cuda_mpi_launch(p, p->next_set, trial->launches);
        p->next_set = (p->next_set + trial->launches) % p->sets;
        samples[i] = (struct sample){.seconds = seconds / trial->launches, .sm_clock = NAN};
    }
    trial->result->throttle |= nvml_reasons(p->session->nvml);
}

/* The memory is unmapped before the process that owns it frees it. Its driver overwrites it then. */
void cuda_mpi_close(struct cuda_point *p)
{
    if (!p->job)
        return;
    for (int d = 0; d < DEVICES_MAX; d++) {
        if (!p->imported[d])
            continue;
        cudaSetDevice(ordinal_of(p, d));
        cudaIpcCloseMemHandle(p->imported[d]);
        p->imported[d] = NULL;
    }
    cudaSetDevice((int)p->session->device.ordinal);
    cudaGetLastError();
    mpi_job_close(p->job);
    p->job = NULL;
    cuda_session_freed(p->sets * p->set_bytes);
}
