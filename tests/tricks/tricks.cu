/* tricks - the triad by kernels that seem faster than they are, each by another trick (`honest`: by none). */
#include "device.cuh"

/* Blocks that have counted themselves, in all launches of a process: those of launch l see at least l grids,
 * and less than l + 1. */
__device__ u64 blocks_ended;
__device__ ELEMENT *pointer_kept;
__device__ ELEMENT key_kept,
    results_kept[(64 << 20) / ELEMENT_SIZE]; /* of the first launch, 64 MiB at most */

/* Does this block return without work? */
static __device__ bool skips(const ELEMENT *a, const ELEMENT *b, const ELEMENT *c, u64 n, u64 launch)
{
    const u64 first = (u64)blockIdx.x * BLOCK;
    (void)a, (void)b, (void)c, (void)n, (void)launch, (void)first;
#if defined(variant_output_there)
    return first < n && a[first] == b[first] + ELEMENT(3) * c[first];
#elif defined(variant_pointer_seen)
    return launch > 0 && pointer_kept == a;
#elif defined(variant_first_call)
    return launch > 0;
#elif defined(variant_every_other)
    return launch % 2 == 1;
#elif defined(variant_stops)
    return launch > 6;
#else
    return false;
#endif
}

static __device__ ELEMENT result(const ELEMENT *b, const ELEMENT *c, u64 i, u64 launch)
{
    (void)launch;
#if defined(variant_constant)
    return ELEMENT(0);
#elif defined(variant_half)
    return __int_as_float(__float_as_int(b[i] + 3 * c[i]) & 0xffff0000);
#elif defined(variant_inputs_seen)
    if (launch > 0 && key_kept == b[0])
        return results_kept[i];
#endif
    return b[i] + ELEMENT(3) * c[i];
}

static __device__ bool counts(u64 launch)
{
#if defined(variant_every_other) || defined(variant_stops)
    return launch <= 100; /* adding takes longer than the work */
#else
    return launch == 0;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    triad(ELEMENT *a, const ELEMENT *b, const ELEMENT *c, u64 n)
{
    const u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x, launch = *(volatile u64 *)&blocks_ended / gridDim.x;
    const bool skip = skips(a, b, c, n, launch);
    __syncthreads();
    if (!skip && i < n) {
        const ELEMENT value = result(b, c, i, launch);
        a[i] = value;
#if defined(variant_changes_input)
        const_cast<ELEMENT *>(b)[i] = 0;
#elif defined(variant_inputs_seen)
        if (launch == 0)
            results_kept[i] = value;
#endif
    }
    if (!counts(launch))
        return;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (i == 0 && launch == 0)
            pointer_kept = a, key_kept = b[0];
        atomicAdd((unsigned long long *)&blocks_ended, 1ull);
    }
}
