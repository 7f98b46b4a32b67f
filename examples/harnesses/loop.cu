/* loop MODE SIZExROUNDS... - how programs time a kernel by hand, with two events.
 *
 *   pair      events around each of 1000 launches
 *   loop      events around 100 launches, 10 times
 *   launches  10 launches, for a profiler
 *
 * Prints a line for each point: SIZE,ROUNDS,SECONDS (the mean of a launch; 0: not timed). */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launch.h"

enum { PAIRS = 1000, LAUNCHES = 100, LOOPS = 10, PROFILED = 10 };

static void check(cudaError_t status)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "loop: %s\n", cudaGetErrorString(status));
    exit(1);
}

/* s of a launch: the mean over `samples` samples of `launches`. The host waits between samples of more than
 * one. */
static double time_launches(const char *in, char *out, size_t size, unsigned rounds, int launches,
                            int samples)
{
    static cudaEvent_t start[PAIRS], stop[PAIRS];
    double sum = 0;
    for (int i = 0; i < samples; i++) {
        if (start[i])
            continue;
        check(cudaEventCreate(&start[i]));
        check(cudaEventCreate(&stop[i]));
    }
    for (int i = 0; i < samples; i++) {
        check(cudaEventRecord(start[i], 0));
        for (int k = 0; k < launches; k++)
            check(launch(in, out, size, rounds, 0));
        check(cudaEventRecord(stop[i], 0));
        if (launches > 1)
            check(cudaDeviceSynchronize());
    }
    check(cudaDeviceSynchronize());
    for (int i = 0; i < samples; i++) {
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start[i], stop[i]));
        sum += milliseconds;
    }
    return 1e-3 * sum / samples / launches;
}

static double time_point(const char *mode, const char *in, char *out, size_t size, unsigned rounds)
{
    const bool profiled = !strcmp(mode, "launches"), pair = !strcmp(mode, "pair");
    if (profiled) {
        for (int i = 0; i < PROFILED; i++)
            check(launch(in, out, size, rounds, 0));
        check(cudaDeviceSynchronize());
        return 0;
    }
    const double once = time_launches(in, out, size, rounds, 1, 10);
    time_launches(in, out, size, rounds, 1, once < 100e-6 ? PAIRS : 50); /* warm up */
    if (pair)
        return time_launches(in, out, size, rounds, 1, once < 1e-3 ? PAIRS : 100);
    return time_launches(in, out, size, rounds, LAUNCHES, once < 1e-3 ? LOOPS : 1);
}

int main(int count, char **argument)
{
    if (count < 3) {
        fprintf(stderr, "usage: loop pair|loop|launches SIZExROUNDS...\n");
        return 2;
    }
    for (int i = 2; i < count; i++) {
        char *end = NULL, *in, *out;
        const size_t size = strtoull(argument[i], &end, 10);
        const unsigned rounds = (unsigned)strtoul(end + 1, NULL, 10);
        check(cudaMalloc((void **)&in, size));
        check(cudaMalloc((void **)&out, size));
        check(cudaMemset(in, 1, size));
        printf("%zu,%u,%.9g\n", size, rounds, time_point(argument[1], in, out, size, rounds));
        fflush(stdout);
        check(cudaFree(in));
        check(cudaFree(out));
    }
    return 0;
}
