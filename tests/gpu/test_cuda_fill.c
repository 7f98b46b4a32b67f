/* The GPU's fill and the CPU's are equal, bit for bit, for every dtype and kind: verification rests on it. */
#include <string.h>

#include "gpu_test.h"
#include "worker/cuda/device/cuda_device.h"

enum { COUNT = 100003 };

static void compare(struct cuda_session *session, enum dtype dtype, struct fill spec)
{
    uint64_t bytes = dtype_bytes(dtype, COUNT), count = COUNT, seed = 12345 + (uint64_t)dtype;
    char *device = cuda_session_arena(session, COUNT * 8), *actual = malloc(bytes), *expected = malloc(bytes);
    int type = dtype;
    void *arguments[] = {&device, &count, &type, &spec, &seed};
    cuda_session_launch(session, session->fill, arguments, true);
    CUDA(cudaMemcpyAsync(actual, device, bytes, cudaMemcpyDeviceToHost, session->stream));
    CUDA(cudaStreamSynchronize(session->stream));
    int wrong = 0, zeros = 0;
    static double values[COUNT];
    fill_range(&spec, dtype, seed, 0, COUNT, expected);
    for (uint64_t i = 0; i < bytes; i++)
        wrong += expected[i] != actual[i];
    dtype_load_range(dtype, actual, values, COUNT);
    for (int i = 0; i < COUNT; i++)
        zeros += values[i] == 0;
    CHECK(wrong == 0, "%d of %d bytes of %s of fill kind %d differ", wrong, (int)bytes, dtype_words[dtype],
          spec.kind);
    CHECK(zeros < COUNT / (dtype == DTYPE_E2M1 ? 3 : 8), "%d of %d %s elements of fill kind %d are zero",
          zeros, COUNT, dtype_words[dtype], spec.kind);
    free(actual);
    free(expected);
}

int main(void)
{
    const struct fill fills[] = {
        {.kind = FILL_RANDOM, .low = -1, .high = 1},
        {.kind = FILL_RANDOM, .low = -70000, .high = 70000},
        {.kind = FILL_RANDOM, .low = 0.25, .high = 4},
        {.kind = FILL_INDEX, .multiplier = 137, .addend = 5, .modulus = 65521},
        {.kind = FILL_BELOW, .modulus = 1000003},
        {.kind = FILL_FEISTEL, .modulus = COUNT},
        {.kind = FILL_METADATA, .modulus = 4},
    };
    static struct cuda_session session;
    struct error error;
    int checked = 0;
    if (cuda_session_open(&session, 0, &error) != 0) {
        printf("skipped: %s\n", error.text);
        return 77;
    }
    cuda_session_prepare(&session);
    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
        for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
            bool whole = dtype == DTYPE_U8 || dtype == DTYPE_I32 || dtype == DTYPE_I64;
            if (!whole && fills[i].kind != FILL_RANDOM)
                continue; /* the other kinds are of whole numbers */
            if (dtype == DTYPE_E8M0 && fills[i].low < 0)
                continue; /* scales have no sign */
            compare(&session, (enum dtype)dtype, fills[i]);
            checked++;
        }
    cuda_session_close(&session);
    return gpu_test_end("fills", checked);
}
