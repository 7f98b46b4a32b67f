/* Memory that was freed costs nothing that is timed afterwards: the driver overwrites it in the background,
 * which slows down what runs meanwhile, and the arena waits for that when it grows. */
#include "base/clock.h"
#include "gpu_test.h"
#include "worker/cuda/device/cuda_device.h"

#define SMALL ((uint64_t)6 << 30)
#define LARGE ((uint64_t)12 << 30)
#define COPY  ((uint64_t)512 << 20)

enum { COPIES = 20 };

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The median of copies one after another, milliseconds; the first few, after an idle time, do not count. */
static float copy_time(struct cuda_session *session, char *arena)
{
    cudaEvent_t start, end;
    float times[COPIES];
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    for (int i = -4; i < COPIES; i++) {
        CUDA(cudaEventRecord(start, session->stream));
        CUDA(cudaMemcpyAsync(arena + COPY, arena, COPY, cudaMemcpyDeviceToDevice, session->stream));
        CUDA(cudaEventRecord(end, session->stream));
        CUDA(cudaEventSynchronize(end));
        CUDA(cudaEventElapsedTime(&times[i < 0 ? 0 : i], start, end));
    }
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    qsort(times, COPIES, sizeof *times, ascending);
    return times[COPIES / 2];
}

int main(void)
{
    static struct cuda_session session;
    struct error error;
    if (cuda_session_open(&session, 0, &error) != 0) {
        printf("skipped: %s\n", error.text);
        return 77;
    }
    cuda_session_prepare(&session);
    if (cuda_session_room(&session) < SMALL + LARGE) {
        printf("skipped: this device has less than 18 GiB free\n");
        return 77;
    }
    CUDA(cudaMemset(cuda_session_arena(&session, SMALL), 1, SMALL));
    CUDA(cudaDeviceSynchronize());
    char *arena = cuda_session_arena(&session, LARGE);
    float at_once = copy_time(&session, arena);
    clock_sleep(0.5);
    float later = copy_time(&session, arena);
    printf("512 MiB copied in %.4f ms after the arena grew, in %.4f ms half a second later\n", at_once,
           later);
    CHECK(at_once < 1.03F * later, "copies after the arena grew take %.1f %% longer",
          100 * (at_once / later - 1));
    cuda_session_close(&session);
    return gpu_test_end("growing arenas", 1);
}
