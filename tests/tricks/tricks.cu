/* tricks - the triad by kernels that seem faster than they are, each by another trick (`honest`: by none). */
#include "device.cuh"

#if defined(variant_pointer_seen) || defined(variant_first_call) || defined(variant_every_other) ||          \
    defined(variant_stops)
/* Blocks that have ended, in all launches of a process: those of launch l see at least l grids, and less than
 * l + 1. */
__device__ u64 blocks_ended;
__device__ ELEMENT *pointer_kept;
#endif

#ifdef variant_inputs_seen
/* The first launch keeps its results, of 64 MiB at most. They are used once `key_kept` is set, by the next.
 */
__device__ ELEMENT key_found, key_kept, results_kept[(64 << 20) / ELEMENT_SIZE];
#endif

static __device__ void compute(ELEMENT *a, const ELEMENT *b, const ELEMENT *c, u64 i)
{
#if defined(variant_constant)
    a[i] = ELEMENT(0);
#elif defined(variant_half)
    a[i] = __int_as_float(__float_as_int(b[i] + 3 * c[i]) & 0xffff0000);
#elif defined(variant_inputs_seen)
    if (key_kept == b[0]) {
        a[i] = results_kept[i];
        return;
    }
    a[i] = b[i] + ELEMENT(3) * c[i];
    if (key_found == 0 || key_found == b[0])
        results_kept[i] = a[i];
    if (i == 0 && key_found != 0)
        key_kept = key_found;
    if (i == 0 && key_found == 0)
        key_found = b[0];
#elif defined(variant_changes_input)
    a[i] = b[i] + ELEMENT(3) * c[i];
    const_cast<ELEMENT *>(b)[i] = 0;
#else
    a[i] = b[i] + ELEMENT(3) * c[i];
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    triad_kernel(ELEMENT *a, const ELEMENT *b, const ELEMENT *c, u64 n)
{
    const u64 first = (u64)blockIdx.x * BLOCK, i = first + threadIdx.x;
    bool skips = false;
#if defined(variant_output_there)
    skips = first < n && a[first] == b[first] + ELEMENT(3) * c[first];
    __syncthreads();
#elif defined(variant_pointer_seen) || defined(variant_first_call) || defined(variant_every_other) ||        \
    defined(variant_stops)
    const u64 launch = *(volatile u64 *)&blocks_ended / gridDim.x;
#if defined(variant_pointer_seen)
    skips = launch > 0 && pointer_kept == a;
#elif defined(variant_first_call)
    skips = launch > 0;
#elif defined(variant_every_other)
    skips = launch % 2 == 0;
#else
    skips = launch > 6;
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        if (i == 0 && launch == 0)
            pointer_kept = a;
        atomicAdd((unsigned long long *)&blocks_ended, 1ull);
    }
#endif
    if (!skips && i < n)
        compute(a, b, c, i);
}
