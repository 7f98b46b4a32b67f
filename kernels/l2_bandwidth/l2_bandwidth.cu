/* l2_bandwidth - all multiprocessors read, or write, lines whose home in L2 is near to them, or far from
 * them.
 *
 *   read    16 bytes a thread, past L1, UNROLL loads of each thread in flight
 *   write   16 bytes a thread
 *
 * In the first launch each multiprocessor times atomics on lines (chase.cuh). The first block's
 * multiprocessor defines two sides: a line is of side 0 if its home is near to it, and so is a multiprocessor
 * that finds the same lines near. Then lines are dealt to the multiprocessors: `home` says from which side.
 * Nothing else depends on it, so near and far lines are read by the same instructions.
 *
 * A launch has ROUNDS rounds. In each, lines are made warm, all blocks wait for each other, and the pass that
 * is timed follows: by the clock of each multiprocessor, from an instant on that all agreed upon. Made warm
 * by
 *
 *   other   a multiprocessor on the home's side stores the lines: nobody else has a copy, and the reader
 *           loads each line once
 *   same    the one that will read loads the lines: each side of an L2 that copies the other's lines has its
 *           own
 *
 * `shared_by` multiprocessors, neighbours in rank, read the same lines; each reads its own `laps` times.
 *
 * A request of a warp has four lines, and each access 16 bytes. Words are numbers made of position and round,
 * so that a line which is stale, or of another position, is found. */
#define BLOCK 1024 /* threads of a block, the only one of its multiprocessor */
#include "chase.cuh"
#include "sum.cuh"

#if !defined(variant_read) && !defined(variant_write)
#error "no variant_... is defined"
#endif

enum { LINE = 128, GROUP = 4 /* lines of a request */, WARPS = BLOCK / 32, UNROLL = 8 };

/* As in l2_bandwidth.c. */
enum { ROUNDS = 4, CANDIDATES = 2 /* lines for each one that is used */, SEATS = 1024 /* multiprocessors */ };
enum { ANY, NEAR, FAR };
enum { BY_SAME, BY_OTHER };

/* Lines that tell a multiprocessor's side, and their distance: no power of two, and more than a page of 4
 * KiB. */
enum { REFERENCES = 64, REFERENCE_STEP = 33 };

/* From the last one's arrival to the start of a pass: longer than the others need to see it. Nanoseconds. */
enum { DELAY = 2000 };

/* Zero before the first launch. What all wait for has lines of its own. */
struct state {
    u64 start, only_start[15]; /* nanoseconds: of the last pass */
    u64 arrived, only_arrived[15];
    u64 ready, only_ready[15]; /* multiprocessors of side 0 << 32 | lines written by them, a multiple of 4 |
                                  1; 0: not yet */
    u64 mask[SEATS];           /* of each block: which of the references are near */
    u32 seat[SEATS]; /* of each %smid: side + 1; when ready, (rank << 1 | side) + 1. 0: there is none */
    u64 one_side;    /* of the first launch: its lines are no two groups */
};

/* Wait for all blocks, then until an instant that they share. What was stored before is visible then. False:
 * some block has not come. */
static __device__ bool rendezvous(state *state)
{
    __shared__ bool all_here;
    __syncthreads();
    if (threadIdx.x == 0) {
        const u64 before = add_nothing((u64)&state->start);
        __threadfence();
        if (atomicAdd(&state->arrived, 1ull) % gridDim.x == gridDim.x - 1) {
            __threadfence();
            atomicExch(&state->start, nanoseconds() + DELAY);
        }
        const u64 begin = nanoseconds();
        u64 start;
        do /* by atomics, which counters of loads do not see */
            start = add_nothing((u64)&state->start);
        while (start == before && nanoseconds() - begin < PATIENCE);
        __threadfence();
        all_here = start != before;
        while (all_here && nanoseconds() < start)
            ;
    }
    __syncthreads();
    return all_here;
}

/* The first group of lines of this one of so many parts. */
static __device__ __forceinline__ u32 first_of(u32 part, u32 groups, u32 parts)
{
    return (u32)((u64)groups * part / parts);
}

/* Words `first` to `first` + 3 of the array, in pass `salt`. */
static __device__ __forceinline__ uint4 words_of(u32 first, u32 salt)
{
    const u32 at = first + salt * 0x9e3779b9u;
    return make_uint4(at * 2654435761u, (at + 1) * 2654435761u, (at + 2) * 2654435761u,
                      (at + 3) * 2654435761u);
}

static __device__ __forceinline__ uint4 load_if(bool wanted, const u8 *from)
{
    uint4 value = {};
    asm volatile("{\n\t"
                 ".reg .pred wanted;\n\t"
                 "setp.ne.u32 wanted, %5, 0;\n\t"
                 "@wanted ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];\n\t"
                 "}"
                 : "+r"(value.x), "+r"(value.y), "+r"(value.z), "+r"(value.w)
                 : "l"(from), "r"((u32)wanted)
                 : "memory");
    return value;
}

/* Where this lane accesses a line. */
static __device__ __forceinline__ u8 *part_of(u8 *memory, u32 line)
{
    return memory + ((u64)line * LINE + threadIdx.x % 8 * sizeof(uint4));
}

/* The sum of this thread's words in `groups` groups of the lines in `list`, which have arrived when it
 * returns. */
static __device__ __forceinline__ u32 read_lines(u8 *memory, const u32 *list, u32 groups, u32 zero)
{
    u32 sum = 0;
#pragma unroll 1
    for (u32 first = threadIdx.x / 32; first < groups; first += UNROLL * WARPS) {
        u32 line[UNROLL];
        uint4 value[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            line[k] =
                first + k * WARPS < groups ? list[(first + k * WARPS) * GROUP + threadIdx.x % 32 / 8] : 0;
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            value[k] = load_if(first + k * WARPS < groups, part_of(memory, line[k]));
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            sum += value[k].x + value[k].y + value[k].z + value[k].w;
    }
    if ((sum & zero) == 1) /* not so, but waits for the loads */
        __trap();
    return sum;
}

/* Store the words of pass `salt` in as many lines, of which the first has position `begin` * GROUP. */
[[maybe_unused]] static __device__ __forceinline__ void write_lines(u8 *memory, const u32 *list, u32 begin,
                                                                    u32 groups, u32 salt)
{
#pragma unroll 1
    for (u32 group = threadIdx.x / 32; group < groups; group += WARPS)
        *(uint4 *)part_of(memory, list[group * GROUP + threadIdx.x % 32 / 8]) =
            words_of((begin + group) * (GROUP * LINE / 4) + threadIdx.x % 32 * 4, salt);
}

/* The same in lines of any position: `written` has position and line, of each group from `begin` on to before
 * `end`. */
static __device__ __forceinline__ void write_at_home(u8 *memory, const uint2 *written, u32 begin, u32 end,
                                                     u32 salt)
{
#pragma unroll 1
    for (u32 group = begin + threadIdx.x / 32; group < end; group += WARPS) {
        const uint2 at = written[group * GROUP + threadIdx.x % 32 / 8];
        *(uint4 *)part_of(memory, at.y) = words_of(at.x * (LINE / 4) + threadIdx.x % 8 * 4, salt);
    }
}

/* As one warp: give lines to positions. choice[position] is a line; those before `boundary` are read by side
 * 0. `written` has position and line, first those that have their home on side 0, then the others. Returns
 * the number of the former, and in `found` of all. */
static __device__ u32 deal_lines(const u8 *homes, u32 *choice, uint2 *written, u32 lines, u32 boundary,
                                 u32 home, u32 *found)
{
    const u32 lower = (1u << threadIdx.x) - 1; /* lanes */
    u32 zeros = 0, ones = 0;                   /* taken: of side 0, and of side 1 */
#pragma unroll 1
    for (u32 base = 0; base < CANDIDATES * lines && zeros + ones < lines; base += 32) {
        const bool one = homes[base + threadIdx.x];
        const u32 alike = __ballot_sync(~0u, one) ^ (one ? 0 : ~0u);
        const u32 nth = (one ? ones : zeros) + __popc(alike & lower);
        const bool first = one == (home == FAR); /* for side 0 */
        u32 position = first ? nth : boundary + nth, end = first ? boundary : lines;
        if (home == ANY) {
            position = base + threadIdx.x;
            end = lines;
        }
        const bool taken = position < end;
        const u32 taken_ones = __ballot_sync(~0u, taken && one),
                  taken_zeros = __ballot_sync(~0u, taken && !one);
        if (taken) {
            const u32 slot =
                one ? lines - 1 - ones - __popc(taken_ones & lower) : zeros + __popc(taken_zeros & lower);
            choice[position] = base + threadIdx.x;
            written[slot] = make_uint2(position, base + threadIdx.x);
        }
        zeros += __popc(taken_zeros);
        ones += __popc(taken_ones);
    }
    *found = zeros + ones;
    return zeros;
}

/* As one block: rank the multiprocessors, those of side 0 first, and deal the lines. `side`: SEATS numbers in
 * shared memory. If there are too few lines of a side, the state does not become ready. */
static __device__ void deal(const u8 *homes, u32 *choice, uint2 *written, state *state, u32 *side, u32 groups,
                            u32 home)
{
    const u32 mine = ((volatile u32 *)state->seat)[threadIdx.x];
    side[threadIdx.x] = mine;
    const u32 first = __syncthreads_count(mine == 1), second = __syncthreads_count(mine == 2);
    if (mine) {
        u32 rank = mine == 1 ? 0 : first;
#pragma unroll 1
        for (u32 seat = 0; seat < threadIdx.x; seat++)
            rank += side[seat] == mine;
        state->seat[threadIdx.x] = (rank << 1 | (mine - 1)) + 1;
    }
    if (threadIdx.x >= 32)
        return;
    u32 found = 0;
    const u32 zeros = deal_lines(homes, choice, written, groups * GROUP,
                                 first_of(first, groups, gridDim.x) * GROUP, home, &found);
    if (threadIdx.x == 0 && first + second == gridDim.x && found == groups * GROUP)
        state->ready = (u64)first << 32 | zeros / GROUP * GROUP | 1;
}

/* As all blocks, once: find out which multiprocessors and lines are on which side, and deal the lines.
 * `took`: SEATS numbers in shared memory. False: some block has not come, or L2 has one side, which is then
 * reported. */
static __device__ bool sort_lines(u8 *memory, u8 *homes, u32 *choice, uint2 *written, state *state, u32 *took,
                                  u32 groups, u32 home, u32 never, u32 *report)
{
    u64 sum = 0, mask = 0; /* of the first thread */
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (u32 i = 0; i < REFERENCES; i++) {
            const u32 which = (i + blockIdx.x) % REFERENCES; /* blocks are at different lines */
            sum += took[which] = cycles_to((u64)(memory + which * REFERENCE_STEP * LINE), never);
        }
#pragma unroll 1
        for (u32 i = 0; i < REFERENCES; i++)
            mask |= (u64)((u64)took[i] * REFERENCES < sum) << i;
        state->mask[blockIdx.x] = mask;
        if (blockIdx.x == 0 && home != ANY && !has_two_sides(took, REFERENCES, sum)) {
            *report = REPORT_ONE_SIDE;
            state->one_side = 1;
        }
    }
    if (!rendezvous(state) || *(volatile u64 *)&state->one_side)
        return false;
    const u32 number = multiprocessor();
    if (threadIdx.x == 0 && number < SEATS) {
        const u32 side = __popcll(mask ^ *(volatile u64 *)&state->mask[0]) > REFERENCES / 2;
        state->seat[number] = side + 1;
#pragma unroll 1
        for (u32 line = blockIdx.x; line < CANDIDATES * GROUP * groups; line += gridDim.x) {
            const bool near = (u64)cycles_to((u64)(memory + (u64)line * LINE), never) * REFERENCES < sum;
            homes[line] = (u8)(near ? side : 1 - side);
        }
    }
    if (!rendezvous(state))
        return false;
    if (blockIdx.x == 0)
        deal(homes, choice, written, state, took, groups, home);
    return rendezvous(state);
}

/* `homes`: the side of each line of `memory`; `choice`, `written`: see deal_lines. `out`: the sum of the
 * words that each rank has read; of `write`, that it finds at the end. `cycles`: of the timed passes, by
 * round and rank, for the first `reports`. `zero`: 0, which the compiler does not know. */
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
    l2_bandwidth(u8 *memory, u8 *homes, u32 *choice, uint2 *written, state *state, u32 *out, u32 *cycles,
                 u32 groups, u32 home, u32 warmed_by, u32 reports, u32 shared_by, u32 laps, u32 zero)
{
    extern __shared__ u32 list[];
    u64 ready = *(volatile u64 *)&state->ready;
    const bool first_launch = !ready;
    if (first_launch) {
        if (!sort_lines(memory, homes, choice, written, state, list, groups, home, zero + 1, cycles))
            return;
        ready = *(volatile u64 *)&state->ready;
    }
    const u32 number = multiprocessor(), seat = number < SEATS ? ((volatile u32 *)state->seat)[number] : 0;
    if (!ready || !seat)
        return;
    const u32 rank = (seat - 1) >> 1, side = (seat - 1) & 1;
    const u32 team = rank / shared_by, teams = gridDim.x / shared_by;
    const u32 begin = first_of(team, groups, teams), own = first_of(team + 1, groups, teams) - begin;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < own * GROUP; i += BLOCK)
        list[i] = choice[begin * GROUP + i];
    /* What this block stores is read by another one: on its own side, it takes the share of the next in
     * rank. */
    const u32 first_seats = (u32)(ready >> 32), first_written = (u32)ready / GROUP;
    const u32 seats = side ? gridDim.x - first_seats : first_seats;
    const u32 next = (rank - (side ? first_seats : 0) + 1) % seats;
    const u32 at = side ? first_written : 0, share = side ? groups - first_written : first_written;
    const u32 home_begin = at + (u32)((u64)share * next / seats),
              home_end = at + (u32)((u64)share * (next + 1) / seats);
    if (first_launch)
        write_at_home(memory, written, home_begin, home_end, 0);
    u32 sum = 0;
#pragma unroll 1
    for (u32 round = 0; round < ROUNDS; round++) {
        if (!rendezvous(state)) /* nobody stores what another one still reads */
            return;
        if (warmed_by == BY_SAME)
            read_lines(memory, list, own, zero);
        else
            write_at_home(memory, written, home_begin, home_end, round);
        if (!rendezvous(state))
            return;
        const u64 start = clock64();
#if defined(variant_read)
#pragma unroll 1
        for (u32 lap = 0; lap < laps; lap++)
            sum += read_lines(memory, list, own, zero);
#else
        write_lines(memory, list, begin, own, ROUNDS + round);
        __threadfence(); /* all stores have been done */
#endif
        __syncthreads();
        const u32 took = (u32)(clock64() - start);
        if (threadIdx.x == 0 && round * gridDim.x + rank < reports)
            cycles[round * gridDim.x + rank] = took;
    }
#if defined(variant_write)
    sum = read_lines(memory, list, own, zero);
#endif
    sum = block_sum_by_warps<u32, warp_sum_by_shuffle<u32>>(sum);
    if (threadIdx.x == 0)
        out[rank] = sum;
}
