/* harness - out = f(f(...f(in))) with f(x) = 1664525 x + 1013904223 modulo 2^32, `rounds` times.
 *
 * A kernel for comparing harnesses: `size` says how many bytes it moves, `rounds` for how long it computes.
 * Without rounds it is a copy. A thread has 16 bytes. The file includes nothing, so that the programs of
 * examples/harnesses compile the same kernel. */
#ifndef variant_rounds
#error "no variant_... is defined"
#endif

extern "C" __global__ void __launch_bounds__(256)
    harness(const uint4 *__restrict__ in, uint4 *__restrict__ out, unsigned count, unsigned rounds)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= count)
        return;
    uint4 x = in[i];
    for (unsigned r = 0; r < rounds; r++) {
        x.x = 1664525u * x.x + 1013904223u;
        x.y = 1664525u * x.y + 1013904223u;
        x.z = 1664525u * x.z + 1013904223u;
        x.w = 1664525u * x.w + 1013904223u;
    }
    out[i] = x;
}
