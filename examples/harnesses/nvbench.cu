/* The kernel of kernels/harness as a benchmark of NVBench: cold and batch. The axis `point` has SIZExROUNDS.
 */
#include <nvbench/nvbench.cuh>

#include "launch.h"

static void harness_bench(nvbench::state &state)
{
    const std::string point = state.get_string("point");
    const size_t size = std::stoull(point), at = point.find('x');
    const unsigned rounds = (unsigned)std::stoul(point.substr(at + 1));
    char *in, *out;
    NVBENCH_CUDA_CALL(cudaMalloc((void **)&in, size));
    NVBENCH_CUDA_CALL(cudaMalloc((void **)&out, size));
    NVBENCH_CUDA_CALL(cudaMemset(in, 1, size));
    state.exec([&](nvbench::launch &to) { launch(in, out, size, rounds, to.get_stream()); });
    NVBENCH_CUDA_CALL(cudaFree(in));
    NVBENCH_CUDA_CALL(cudaFree(out));
}
NVBENCH_BENCH(harness_bench).add_string_axis("point", {"65536x0"});
NVBENCH_MAIN
