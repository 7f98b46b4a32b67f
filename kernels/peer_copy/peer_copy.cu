/* peer_copy - the copies between two devices that multiprocessors make; the driver makes those of the copy
 * engine.
 *
 *   load, store            a fixed grid loops over the array; a thread makes ITEMS loads of WIDTH bytes
 *                          before it stores the first. The addresses decide which end is remote: load pulls,
 *                          store pushes
 *   bulk_load, bulk_store  tiles of TILE_BYTES bytes go through shared memory by bulk copies, STAGES in
 *                          flight (bulk_stream.cuh)
 *
 * The last lanes of the first warp copy the `rest` of the bytes, less than one access. */
#include "device.cuh"

#if !defined(WIDTH) || !defined(ITEMS)
#error "WIDTH or ITEMS is not defined"
#endif
#if !defined(STAGES) || !defined(TILE_BYTES)
#error "STAGES or TILE_BYTES is not defined"
#endif

#if defined(variant_bulk_load) || defined(variant_bulk_store)

#include "bulk_stream.cuh"

extern "C" __global__ void __launch_bounds__(32)
    peer_copy(const u8 *__restrict__ in, u8 *__restrict__ out, u64 bytes, u32 rest)
{
    bulk_stream(in, out, bytes, rest);
}

#elif defined(variant_load) || defined(variant_store)

enum { THREADS = 512 }; /* as in peer_copy.c */

extern "C" __global__ void __launch_bounds__(THREADS)
    peer_copy(const u8 *__restrict__ in, u8 *__restrict__ out, u64 bytes, u32 rest)
{
    typedef bytes_of<WIDTH> access;
    const access *__restrict__ from = (const access *)in;
    access *__restrict__ to = (access *)out;
    const u64 accesses = bytes / WIDTH, step = (u64)gridDim.x * (THREADS * ITEMS);
#pragma unroll 1
    for (u64 start = (u64)blockIdx.x * (THREADS * ITEMS); start < accesses; start += step) {
        const u64 first = start + threadIdx.x;
        if (start + ITEMS * THREADS <= accesses) { /* a branch of the whole block */
            access value[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                value[i] = from[first + i * THREADS];
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                to[first + i * THREADS] = value[i];
        } else {
#pragma unroll 1
            for (u64 k = first; k < accesses; k += THREADS)
                to[k] = from[k];
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < rest)
        out[bytes + threadIdx.x] = in[bytes + threadIdx.x];
}

#else
#error "no variant_... that has a kernel is defined"
#endif
