/* The GPU's fill and the CPU's are equal, bit for bit, for every dtype and kind: verification rests on it. */
#include <string.h>

#include "gpu_test.h"
#include "worker/cuda/device/error.h"
#include "worker/cuda/device/session.h"

enum { COUNT = 100003 };

static void compare(struct cuda_session *session, enum dtype dtype, struct fill spec)
{
    uint64_t size = dtype_size(dtype), count = COUNT, seed = 12345 + (uint64_t)dtype;
    char *device = cuda_session_arena(session, COUNT * 8), *actual = malloc(COUNT * size), expected[8];
    int type = dtype;
    void *arguments[] = {&device, &count, &type, &spec, &seed};
    cuda_session_launch(session, session->fill, arguments, true);
    CUDA(cudaMemcpyAsync(actual, device, COUNT * size, cudaMemcpyDeviceToHost, session->stream));
    CUDA(cudaStreamSynchronize(session->stream));
    int wrong = 0, zeros = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        fill_element(&spec, dtype, seed, i, expected);
        wrong += memcmp(expected, actual + i * size, size) != 0;
        zeros += dtype_load(dtype, actual + i * size) == 0;
    }
    CHECK(wrong == 0, "%d of %d %s elements of fill kind %d differ", wrong, COUNT, dtype_words[dtype],
          spec.kind);
    CHECK(zeros < COUNT / 8, "%d of %d %s elements of fill kind %d are zero", zeros, COUNT,
          dtype_words[dtype], spec.kind);
    free(actual);
}

int main(void)
{
    const struct fill fills[] = {
        {.kind = FILL_RANDOM, .low = -1, .high = 1},
        {.kind = FILL_RANDOM, .low = -70000, .high = 70000},
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
            compare(&session, (enum dtype)dtype, fills[i]);
            checked++;
        }
    cuda_session_close(&session);
    return gpu_test_end("fills", checked);
}
