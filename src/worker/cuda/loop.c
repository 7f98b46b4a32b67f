#include "worker/cuda/measure.h"

#include <math.h>

#include "base/clock.h"

/* A chunk is longer than a reading, which takes some milliseconds, so that the device never waits for the
 * host; but the end of a chunk is seen late by up to a reading, so there must be many in the window. */
#define CHUNK_SECONDS 10e-3
#define PAUSE_SECONDS 2e-3

/* More launches than the driver's queue holds, some 1024, block the host until the device has room for them.
 * Nothing waits for the host here, so that is no deadlock; but reading would wait for longer than a chunk. */
#define CHUNK_SAMPLES 1000

static void begin(struct cuda_loop *loop, double sample_seconds)
{
    loop->samples = (uint32_t)fmin(fmax(1, ceil(CHUNK_SECONDS / sample_seconds)), CHUNK_SAMPLES);
    for (int i = 0; i < LOOP_CHUNKS; i++)
        CUDA(cudaEventCreateWithFlags(&loop->event[i], cudaEventDisableTiming));
}

static uint64_t count_ended(struct cuda_loop *loop)
{
    while (loop->ended < loop->queued) {
        cudaError_t status = cudaEventQuery(loop->event[loop->ended % LOOP_CHUNKS]);
        if (status == cudaErrorNotReady) {
            cudaGetLastError(); /* CUB takes it for an error of its own launches */
            break;
        }
        CUDA(status);
        loop->ended++;
    }
    return loop->ended;
}

/* The slow reading of the counter comes first: time and launches are those of its end. */
void cuda_loop_read(struct cuda_loop *loop, struct cuda_session *session, struct meter *reading)
{
    struct nvml *nvml = session->nvml;
    *reading = (struct meter){.launches = 0};
    reading->joules = nvml_joules(nvml);
    reading->time = clock_now();
    reading->launches = loop ? (double)count_ended(loop) * loop->samples : 0;
    reading->watts = nvml_watts(nvml, &reading->lag);
    reading->sm_clock = nvml_sm_clock(nvml);
    reading->reasons = nvml_reasons(nvml);
}

void cuda_loop_go_on(struct cuda_loop *loop, struct timer_job *job, double sample_seconds,
                     struct cuda_session *session, struct meter *reading)
{
    if (!loop->samples)
        begin(loop, sample_seconds);
    while (loop->queued - loop->ended < LOOP_CHUNKS) {
        for (uint32_t i = 0; i < loop->samples; i++)
            timer_queue(job, session->stream);
        CUDA(cudaEventRecord(loop->event[loop->queued++ % LOOP_CHUNKS], session->stream));
    }
    clock_sleep(PAUSE_SECONDS);
    cuda_loop_read(loop, session, reading);
    reading->launches *= job->launches;
}

cudaError_t cuda_loop_end(struct cuda_loop *loop, struct cuda_session *session)
{
    cudaError_t status = cudaSuccess;
    if (loop->samples)
        status = cudaStreamSynchronize(session->stream);
    for (int i = 0; i < LOOP_CHUNKS && loop->event[i]; i++)
        cudaEventDestroy(loop->event[i]);
    *loop = (struct cuda_loop){.samples = 0};
    return status;
}
