/* atomics - what it costs when threads agree on one value.
 *
 * Each thread makes atomic operations on one address, in shared memory or in L2 (global). `lanes`
 * neighbouring lanes and `group` neighbouring warps share an address, so contention goes from one address to
 * one a thread; addresses are `step` bytes apart.
 *
 *   add       adds and takes away the thread's number in turn, after a first addition
 *   max       the largest of the threads' numbers
 *   exchange  puts the thread's number in; what comes out is added up
 *   cas       an addition by compare-and-swap, tried again until it succeeds
 *   plain     a load, an addition and a store, which are not atomic: only for an address of the thread's own
 *
 * Results are unused (PTX red), used (but no operation waits for another one), or chained: each operation
 * needs the result of the one before it, at the cost of one logical instruction for add and max. Chained
 * operations are timed by their own clock.
 *
 * With `home=near` or `home=far`, the warp finds a line for its addresses in each launch (home.cuh), and
 * leaves zeros in the others.
 *
 * Numbers are whole and small enough for sums to be exact in each type, in any order. The warp that finishes
 * last in its group writes the group's values to `out`, and leaves zeros for the next launch. */
#include "chase.cuh"
#include "home.cuh"

#ifndef BLOCK
#error "BLOCK is not defined"
#endif
#if !defined(result_unused) && !defined(result_used) && !defined(result_chained)
#error "no result_... is defined"
#endif
#if !defined(variant_add) && !defined(variant_max) && !defined(variant_exchange) && !defined(variant_cas) && \
    !defined(variant_plain)
#error "no variant_... is defined"
#endif

enum { UNROLL = 16, RESIDENT = BLOCK < 1024 ? 1024 / BLOCK : 1 }; /* as in atomics.c */

/* The type: its bits in a register, and the thread's number. `index`: of the thread in the grid; `sharer`:
 * among those that share its address. Sums of f16x2 and bf16x2 are exact up to 2048 and 256, so only so many
 * sharers add 1 and -1, and the others 0. */
#if defined(type_u32) || defined(type_u64)
#define SIGNS    0
#define TYPE_CAP ~0u
#elif defined(type_f32)
#define SIGNS    0x80000000u
#define TYPE_CAP (1u << 22)
#elif defined(type_f64)
#define SIGNS    0x8000000000000000ull
#define TYPE_CAP ~0u
#elif defined(type_f16x2)
#define SIGNS    0x80008000u
#define TYPE_CAP 2048u
#elif defined(type_bf16x2)
#define SIGNS    0x80008000u
#define TYPE_CAP 256u
#else
#error "no type_... is defined"
#endif

#if defined(type_u64) || defined(type_f64)
typedef u64 cell;
#define REGISTER "l"
#define BITS     "b64"
#else
typedef u32 cell;
#define REGISTER "r"
#define BITS     "b32"
#endif

#if defined(type_u32)
#define ADD "add.u32"
#define MAX "max.u32"
#elif defined(type_u64)
#define ADD "add.u64"
#define MAX "max.u64"
#elif defined(type_f32)
#define ADD "add.f32"
#elif defined(type_f64)
#define ADD "add.f64"
#elif defined(type_f16x2)
#define ADD "add.noftz.f16x2"
#else
#define ADD "add.noftz.bf16x2"
#endif

#if defined(place_shared)
#define PLACE ".relaxed.cta.shared."
typedef u32 place;
#define ADDRESS "r"
#elif defined(place_global)
#define PLACE   ".relaxed.gpu.global."
typedef u64 place;
#define ADDRESS "l"
#else
#error "no place_... is defined"
#endif

static __device__ __forceinline__ cell number_of(u32 index, u32 sharer)
{
    if (sharer >= TYPE_CAP)
        return 0;
#if defined(type_u32)
    return index + 1;
#elif defined(type_u64)
    return (index + 1) * 0x100000001ull;
#elif defined(type_f32)
    return __float_as_uint((float)(index % 4 + 1));
#elif defined(type_f64)
    return (u64)__double_as_longlong((double)(index % 4 + 1));
#elif defined(type_f16x2)
    return 0xbc003c00u;
#else
    return 0xbf803f80u;
#endif
}

static __device__ __forceinline__ cell negative(cell bits)
{
    return SIGNS ? bits ^ (cell)SIGNS : 0 - bits;
}

#if defined(variant_cas) || defined(variant_plain)
static __device__ __forceinline__ cell sum_of(cell a, cell b)
{
#if defined(type_u32) || defined(type_u64)
    return a + b;
#elif defined(type_f32)
    return __float_as_uint(__uint_as_float(a) + __uint_as_float(b));
#elif defined(type_f64)
    return (u64)__double_as_longlong(__longlong_as_double((long long)a) + __longlong_as_double((long long)b));
#else
    cell sum;
#if defined(type_f16x2)
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
#else
    asm("fma.rn.bf16x2 %0, %1, %3, %2;" : "=r"(sum) : "r"(a), "r"(b), "r"(0x3f803f80u));
#endif
    return sum;
#endif
}
#endif

/* One operation. Returns the result: the value before, or for cas and plain the value after it; 0 if it is
 * unused. `last`: what the previous operation returned. */
static __device__ __forceinline__ cell operate(place at, cell number, [[maybe_unused]] cell last)
{
    cell result = 0;
#if defined(variant_add) && defined(result_unused)
    asm volatile("red" PLACE ADD " [%0], %1;" ::ADDRESS(at), REGISTER(number) : "memory");
#elif defined(variant_add)
    asm volatile("atom" PLACE ADD " %0, [%1], %2;"
                 : "=" REGISTER(result)
                 : ADDRESS(at), REGISTER(number)
                 : "memory");
#elif defined(variant_max) && defined(result_unused)
    asm volatile("red" PLACE MAX " [%0], %1;" ::ADDRESS(at), REGISTER(number) : "memory");
#elif defined(variant_max)
    asm volatile("atom" PLACE MAX " %0, [%1], %2;"
                 : "=" REGISTER(result)
                 : ADDRESS(at), REGISTER(number)
                 : "memory");
#elif defined(variant_exchange)
    asm volatile("atom" PLACE "exch." BITS " %0, [%1], %2;"
                 : "=" REGISTER(result)
                 : ADDRESS(at), REGISTER(number)
                 : "memory");
#elif defined(variant_cas)
    cell expected, wanted;
    result = last;
    do {
        expected = result;
        wanted = sum_of(expected, number);
        asm volatile("atom" PLACE "cas." BITS " %0, [%1], %2, %3;"
                     : "=" REGISTER(result)
                     : ADDRESS(at), REGISTER(expected), REGISTER(wanted)
                     : "memory");
    } while (result != expected);
    result = wanted;
#elif defined(variant_plain)
    asm volatile("ld" PLACE BITS " %0, [%1];" : "=" REGISTER(result) : ADDRESS(at) : "memory");
    result = sum_of(result, number);
    asm volatile("st" PLACE BITS " [%0], %1;" ::ADDRESS(at), REGISTER(result) : "memory");
#endif
    return result;
}

/* The operand of operation `i` of a round. `zero`: 0, which the compiler does not know. */
static __device__ __forceinline__ cell operand_of([[maybe_unused]] int i, [[maybe_unused]] cell number,
                                                  [[maybe_unused]] cell last, [[maybe_unused]] u32 zero)
{
#if defined(variant_exchange) && defined(result_chained)
    return last;
#else
    cell operand = number;
#if !defined(variant_max) && !defined(variant_exchange)
    if (i % 2 == 0)
        operand = negative(number);
#endif
#if defined(result_chained) && (defined(variant_add) || defined(variant_max))
    operand |= last & zero;
#endif
    return operand;
#endif
}

/* Has this warp finished last of the `members` of its group? What all of them did is visible then. `ticket`
 * is 0 before and after. */
static __device__ __forceinline__ bool finishes_last(u32 *ticket, u32 warp, u32 members)
{
    __threadfence();
#if defined(place_shared)
    (void)ticket;
    __syncthreads();
    return warp == 0;
#else
    u32 before = 0;
    (void)warp;
    __syncwarp();
    if (members > 1) {
        if (threadIdx.x % 32 == 0)
            before = atomicInc(ticket, members - 1);
        before = __shfl_sync(0xffffffff, before, 0);
    }
    __threadfence();
    return before == members - 1;
#endif
}

#if !defined(home_any)
enum { HOME_LINES = 64, HOME_HOP = 4096 + 128 /* as in atomics.c */ };

/* As one warp: a line of `cells` that is near or far; NULL: there is none. `never`: odd, and not known to the
 * compiler. */
static __device__ char *line_at_home(char *cells, u32 never, u32 *report)
{
    __shared__ u32 choice[1 + HOME_LINES];
    const auto address = [=](u32 line) { return (u64)(cells + line * HOME_HOP); };
    u32 found = 0;
    if (threadIdx.x == 0)
        found = choose_lines(choice, 1, HOME_LINES, address, never, report);
    found = __shfl_sync(0xffffffff, found, 0);
    __syncwarp();
    return found ? (char *)address(choice[0]) : nullptr;
}
#endif

/* `cells`: addresses in global memory, zero. `held`: for exchange, sums of what came out of each address,
 * zero. `cycles`: of the first `timed` rounds of the first thread. */
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    atomics([[maybe_unused]] char *cells, u32 *tickets, u64 *held, cell *out, u32 *cycles, u32 lanes,
            u32 all_group, u32 step, u32 all_rounds, u32 timed, u32 zero)
{
    const u32 lane = threadIdx.x % 32, index = blockIdx.x * BLOCK + threadIdx.x;
    const u32 rounds = all_rounds / gridDim.x + (blockIdx.x < all_rounds % gridDim.x);
    const u32 own = 32 / lanes; /* addresses of a warp */
#if defined(place_shared)
    extern __shared__ __align__(128) char shared[];
    const u32 warp = threadIdx.x / 32, warps = BLOCK / 32;
    char *const base = shared;
#else
    const u32 warp = index / 32, warps = gridDim.x * (BLOCK / 32);
#if defined(home_any)
    char *const base = cells;
#else
    char *const base = line_at_home(cells, zero + 1, cycles);
    if (!base)
        return;
#endif
#endif
    const u32 group = all_group ? all_group : warps, number_of_group = warp / group, member = warp % group;
    const u32 members = min(group, warps - number_of_group * group);
#if defined(place_shared)
    const u64 first_out = ((u64)blockIdx.x * ((warps - 1) / group + 1) + number_of_group) * own;
#else
    const u64 first_out = (u64)number_of_group * own;
#endif
    char *const first = base + (u64)number_of_group * own * step;
    const cell number = number_of(index, member * lanes + lane % lanes);
#if defined(place_shared)
    if (member == 0 && lane < own)
        *(cell *)(first + lane * step) = 0;
    __syncthreads();
    const place at = (u32)__cvta_generic_to_shared(first + lane / lanes * step);
#else
    const place at = (u64)(first + lane / lanes * step);
#endif

    cell last = 0;
    [[maybe_unused]] cell sum = 0;
#if defined(variant_add) || defined(variant_cas) || defined(variant_plain)
    last = operate(at, number, last);
    sum = last;
#elif defined(variant_exchange) && defined(result_chained)
    last = number; /* the first one to put in */
#endif
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
#if defined(result_chained)
        const u64 begin = clock_after((u32)last & zero, 1);
#endif
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            last = operate(at, operand_of(i, number, last, zero), last);
#if defined(result_used)
            sum += last;
#endif
        }
#if defined(result_chained)
        const u64 end = clock_after((u32)last & zero, 1);
        if (index == 0 && round < timed)
            cycles[round] = (u32)(end - begin);
#endif
    }
#if defined(variant_exchange)
#if defined(result_chained)
    sum = last; /* all others have been put in again */
#endif
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(held + first_out + lane / lanes),
                 "l"((u64)sum)
                 : "memory");
#endif
    const bool finishes = finishes_last(tickets + number_of_group, member, members);
    if (finishes && lane < own) {
        volatile cell *const value = (volatile cell *)(first + lane * step);
        cell whole = *value;
#if defined(variant_exchange)
        whole += (cell)((volatile u64 *)held)[first_out + lane];
        held[first_out + lane] = 0;
#endif
        out[first_out + lane] = whole;
        *value = 0;
    }
    if (zero) /* never: but the results are used */
        out[index] = sum;
}
