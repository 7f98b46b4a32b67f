/* link_probe.cu - bandwidth of the host link in GB/s, without any code of warpsweep: each way and both ways
 * with cudaMemcpyAsync, from write-combined memory, and with kernels that read and write pinned memory. One
 * line each: name, tab, the median of 15 times of 256 MiB by two events. Exits with 77 without a GPU. Build:
 * nvcc -O3 link_probe.cu -o link_probe */
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static void check(cudaError_t status, int line)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "link_probe.cu:%d: %s\n", line, cudaGetErrorString(status));
        exit(1);
    }
}
#define CHECK(call) check((call), __LINE__)

static const size_t BYTES = size_t(256) << 20;
static const int ROUNDS = 15;

__global__ void move(const uint4 *from, uint4 *to, size_t count)
{
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x)
        to[i] = from[i];
}

static cudaStream_t one, other;
static cudaEvent_t begin, end, fork_, join_;

/* `work` queues on `one` and, between fork and join, on `other`. */
template <typename Work> static void measure(const char *name, double bytes, bool two, Work work)
{
    double rates[ROUNDS];
    for (int round = -2; round < ROUNDS; round++) {
        float ms;
        CHECK(cudaEventRecord(begin, one));
        if (two) {
            CHECK(cudaEventRecord(fork_, one));
            CHECK(cudaStreamWaitEvent(other, fork_, 0));
        }
        work();
        CHECK(cudaGetLastError());
        if (two) {
            CHECK(cudaEventRecord(join_, other));
            CHECK(cudaStreamWaitEvent(one, join_, 0));
        }
        CHECK(cudaEventRecord(end, one));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (round >= 0)
            rates[round] = bytes / ms / 1e6;
    }
    std::sort(rates, rates + ROUNDS);
    printf("%s\t%.3f\n", name, rates[ROUNDS / 2]);
}

int main()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || !devices)
        return 77;
    char *host, *back, *combined, *device, *source;
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaMallocHost(&back, BYTES));
    CHECK(cudaHostAlloc(&combined, BYTES, cudaHostAllocWriteCombined));
    CHECK(cudaMalloc(&device, BYTES));
    CHECK(cudaMalloc(&source, BYTES));
    for (char *at : {host, back, combined})
        for (size_t i = 0; i < BYTES / 8; i++)
            reinterpret_cast<unsigned long long *>(at)[i] = i * 0x9e3779b97f4a7c15ull;
    CHECK(cudaMemcpy(source, back, BYTES, cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join_, cudaEventDisableTiming));
    auto copy = [](void *to, const void *from, cudaMemcpyKind kind, cudaStream_t stream) {
        CHECK(cudaMemcpyAsync(to, from, BYTES, kind, stream));
    };
    auto kernel = [](void *to, const void *from) {
        move<<<1024, 256, 0, one>>>(static_cast<const uint4 *>(from), static_cast<uint4 *>(to), BYTES / 16);
    };
    measure("h2d", BYTES, false, [&] { copy(device, host, cudaMemcpyHostToDevice, one); });
    measure("d2h", BYTES, false, [&] { copy(back, source, cudaMemcpyDeviceToHost, one); });
    measure("both", 2.0 * BYTES, true, [&] {
        copy(device, host, cudaMemcpyHostToDevice, one);
        copy(back, source, cudaMemcpyDeviceToHost, other);
    });
    measure("write_combined", BYTES, false, [&] { copy(device, combined, cudaMemcpyHostToDevice, one); });
    measure("zero_copy_read", BYTES, false, [&] { kernel(device, host); });
    measure("zero_copy_write", BYTES, false, [&] { kernel(back, source); });
    measure("zero_copy_both", 2.0 * BYTES, false, [&] { kernel(back, host); });
    return 0;
}
