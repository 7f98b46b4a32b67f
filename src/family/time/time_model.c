#include "family/time/time_model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "family/access/access_model.h"
#include "family/target.h"
#include "family/time/chain.h"
#include "family/time/constants.h"
#include "family/time/link.h"
#include "family/time/pipeline.h"
#include "family/time/roof.h"

/* Constants of the model, the same for all families and devices. docs/model.md has the measurements. */

/* Stores of neighbouring instructions to the same sectors are merged before L2 if each touches at most so many lines. */
#define MERGED_LINES 4.0

/* Round trips to L2 of a block that publishes its part of a reduction (sum.cuh): the part and its fence, the block counter. The
 * last block does as many more: the parts of all blocks, the result. */
#define PUBLISH_TRIPS 2

/* Threads per cycle and SM that arrive at a barrier, and operations of the special-function unit (CUDA C++ Programming Guide,
 * throughput of synchronization and of arithmetic instructions). */
#define BARRIER_THREADS    16
#define SPECIAL_OPERATIONS 16

/* Rate of DRAM in a copy by a single wave of blocks, relative to the roof, which grids of many waves reach. Kernels of a single
 * wave that only read reach theirs. */
#define SINGLE_WAVE_COPY 0.93

/* Accesses to L2 for a sector that a warp leaves partly written and others complete: L2 reads it and writes it back. */
#define PARTLY_WRITTEN 2

/* Instructions of a kernel that nobody has compiled: per warp, per request to global and to shared memory, and per flop. */
#define WARP_INSTRUCTIONS   15
#define GLOBAL_INSTRUCTIONS 4
#define SHARED_INSTRUCTIONS 1.5
#define FLOP_INSTRUCTIONS   0.6

#define SCHEDULERS 4 /* per multiprocessor; each issues one instruction per cycle */

struct times {
    const struct point *point;
    const struct family *family;
    const struct setup *setup;
    const struct prediction *accesses;
    const struct time_facts *facts;
    const struct device *device;
    double value[PROFILE_COUNT];
    struct work work;
    enum memory_level memory; /* the family's; of a local pair, that of its device */
    bool known;               /* the access model knows the addresses */
    bool in_l2;               /* all buffers stay in L2 */
    double blocks, threads, resident;
    double dram[2], l2[2]; /* bytes read, written */
    double *part;
};

struct time_facts time_facts_none(enum cache_mode cache)
{
    return (struct time_facts){
        .cache = cache, .dirty = NAN, .instructions = NAN, .clock = NAN, .resident = NAN};
}

double time_resident(double occupancy, double threads_sm, double block_threads)
{
    double blocks = floor(occupancy * threads_sm / block_threads + 0.5);
    return blocks >= 1 ? blocks : NAN;
}

static double known_or(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static double cycles(const struct times *t, double count)
{
    return count / t->value[PROFILE_clock_max];
}

/* ---- Memory ---- */

static void count_dram(struct times *t)
{
    if (t->memory != MEMORY_DRAM || t->in_l2)
        return;
    double read = (double)t->work.bytes_read, written = (double)t->work.bytes_written;
    t->dram[0] = known_or(t->accesses->dram_bytes_read, known_or(t->accesses->moved_read, read));
    t->dram[1] = known_or(t->accesses->dram_bytes_written, written);
}

static double mix_seconds(const struct times *t, const double bytes[2], enum profile_field read,
                          enum profile_field copy, enum profile_field write)
{
    double sum = bytes[0] + bytes[1];
    return sum > 0 ? sum / roof_of_mix(bytes[0] / sum, t->value[read], t->value[copy], t->value[write]) : 0;
}

/* What DRAM takes has gone through L2: its roof is no lower, whatever a short measurement says. */
static double l2_seconds(const struct times *t)
{
    double l2 = mix_seconds(t, t->l2, PROFILE_peak_l2_read, PROFILE_peak_l2_copy, PROFILE_peak_l2_write);
    double dram = mix_seconds(t, t->l2, PROFILE_peak_read, PROFILE_peak_copy, PROFILE_peak_write);
    return fmin(l2, dram);
}

/* Scattered accesses have a separate peak. */
static double dram_minimum(const struct times *t)
{
    double dense = mix_seconds(t, t->dram, PROFILE_peak_read, PROFILE_peak_copy, PROFILE_peak_write);
    double read = known_or(t->accesses->scattered_read, 0), write = known_or(t->accesses->scattered_write, 0);
    double sum = t->dram[0] + t->dram[1];
    if (!(sum > 0) || !(read + write > 0))
        return dense;
    double rate = write > read ? t->value[PROFILE_scattered_write] : t->value[PROFILE_scattered_read];
    double share = fmax(read, write);
    return (1 - share) * dense + share * fmax(dense, sum / rate);
}

/* In a single wave the loss is proportional to the share of writes, up to that of a copy. */
static double dram_seconds(const struct times *t)
{
    bool one_wave = t->blocks > 0 && t->blocks <= t->resident * t->value[PROFILE_multiprocessors];
    double sum = t->dram[0] + t->dram[1], writes = sum > 0 ? fmin(1, 2 * t->dram[1] / sum) : 0;
    return dram_minimum(t) / (one_wave ? 1 - (1 - SINGLE_WAVE_COPY) * writes : 1);
}

/* L1 takes sectors that are asked for again from L2 once; stores go through it, merged where neighbouring ones fill the
 * same sectors. */
static void count_l2(struct times *t)
{
    double read = (double)t->work.bytes_read, written = (double)t->work.bytes_written;
    double loaded = SECTOR_BYTES * known_or(t->accesses->load_sectors, 0);
    double stored = SECTOR_BYTES * known_or(t->accesses->store_sectors, 0);
    if (t->family->memory != MEMORY_DRAM)
        return;
    t->l2[0] = loaded > 0 ? fmin(loaded, fmax(t->dram[0], read)) : read;
    t->l2[1] = written;
    if (!(stored > 0))
        return;
    if (t->accesses->stored_lines <= MERGED_LINES)
        stored = fmin(stored, fmax(t->dram[1], written));
    t->l2[1] = stored * (1 + (PARTLY_WRITTEN - 1) * t->accesses->stored_partly);
}

/* ---- Multiprocessors ---- */

/* If all blocks are resident at once, the multiprocessors with most blocks take longest. */
static double unevenness(const struct times *t)
{
    double sms = t->value[PROFILE_multiprocessors];
    return t->blocks < sms * t->resident ? ceil(t->blocks / sms) * sms / t->blocks : 1;
}

/* The measured peak of the point's arithmetic; NaN: unknown. */
static double flop_peak(const struct times *t)
{
    static const enum profile_field peaks[ROOF_COUNT] = {
#define X(name) [ROOF_##name] = PROFILE_peak_##name,
        FLOP_ROOFS(X)
#undef X
    };
    enum roof_kind kind = roof_of_type(t->point);
    return kind == ROOF_none ? NAN : t->value[peaks[kind]];
}

/* The peaks of tensor cores are those of short bursts at the highest clock. NaN: unknown. */
static double flop_rate(const struct times *t)
{
    double clock = t->family->tensor_cores ? known_or(t->facts->clock / t->value[PROFILE_clock_max], 1) : 1;
    return clock * flop_peak(t);
}

/* Arithmetic units: flops, and what takes the special-function unit. */
static double arithmetic_seconds(const struct times *t)
{
    double special = (double)t->work.special / (SPECIAL_OPERATIONS * t->value[PROFILE_multiprocessors]);
    return fmax(t->work.flops ? (double)work_flops_executed(&t->work) / flop_rate(t) : 0, cycles(t, special));
}

static double count_instructions(const struct times *t)
{
    const struct prediction *a = t->accesses;
    double global = known_or(a->load_requests, 0) + known_or(a->store_requests, 0);
    double shared = known_or(a->shared_load_requests, 0) + known_or(a->shared_store_requests, 0);
    double flops = t->family->tensor_cores ? 0 : (double)t->work.flops; /* there, one does thousands */
    double guess = WARP_INSTRUCTIONS * t->blocks * ceil(t->threads / 32) + GLOBAL_INSTRUCTIONS * global +
                   SHARED_INSTRUCTIONS * shared + FLOP_INSTRUCTIONS * flops / 32;
    return known_or(t->facts->instructions, guess);
}

/* One wavefront per cycle for shared memory and L1, which share their banks; one instruction per cycle and scheduler. */
static void bound_multiprocessors(struct times *t)
{
    const struct prediction *a = t->accesses;
    double sms = t->value[PROFILE_multiprocessors], uneven = unevenness(t);
    double wavefronts = known_or(a->shared_load_wavefronts, 0) + known_or(a->shared_store_wavefronts, 0);
    t->part[BOUND_l1] = uneven * cycles(t, known_or(a->l1_wavefronts, 0) / sms);
    t->part[BOUND_shared] = uneven * wavefronts * LINE_BYTES / t->value[PROFILE_peak_shared];
    t->part[BOUND_issue] = uneven * cycles(t, count_instructions(t) / (SCHEDULERS * sms));
    t->part[BOUND_flop] = uneven * arithmetic_seconds(t);
}

/* ---- Latency (Little's law) ---- */

/* Mean load latency in cycles: between L2 and DRAM, by the share of loaded bytes that comes from DRAM. */
static double load_latency(const struct times *t)
{
    double l2 = t->value[PROFILE_latency_l2], dram = t->value[PROFILE_latency_dram];
    double loaded = SECTOR_BYTES * known_or(t->accesses->load_sectors, 0);
    if (t->in_l2)
        return l2;
    return loaded > 0 ? l2 + (dram - l2) * fmin(1, t->dram[0] / loaded) : dram;
}

/* Warps exchange data through shared memory: a store, a barrier of the block, a load. Loops pay for theirs in each round. */
static double exchange_cycles(const struct times *t)
{
    double rounds = known_or(t->accesses->rounds, 0);
    double exchanges = known_or(t->accesses->exchanges, 0) - (rounds > 1 ? rounds : 0);
    return fmax(0, exchanges) * (2 * t->value[PROFILE_latency_shared] + t->threads / BARRIER_THREADS);
}

/* A zeroed buffer is a counter of the blocks that have published their part. */
static double publish_cycles(const struct times *t)
{
    bool publishes = setup_has_role(t->setup, BUFFER_ZEROED);
    return publishes ? PUBLISH_TRIPS * (t->value[PROFILE_latency_l2] + ROUND_OVERHEAD) : 0;
}

/* Resident blocks are replaced one after another. Each takes as long as its dependent chain: start, one load latency per turn,
 * end. */
static double waves_seconds(const struct times *t)
{
    double places = t->resident * t->value[PROFILE_multiprocessors], warps = ceil(t->threads / 32);
    double waves = ceil(t->blocks / places), again = known_or(t->accesses->turns, 1) - 1;
    double loaded = SECTOR_BYTES * known_or(t->accesses->load_sectors, 0);
    bool near = t->in_l2 || t->dram[0] < 0.01 * loaded;
    double latency = t->value[near ? PROFILE_latency_l2 : PROFILE_latency_dram];
    double chain = BLOCK_TURNAROUND + WARP_START * warps + latency + exchange_cycles(t) + publish_cycles(t);
    return fmax(0, waves - 1) * cycles(t, chain) +
           fmax(1, waves) * again * cycles(t, latency + ROUND_OVERHEAD);
}

/* A warp waits for its loads in each round of a loop. */
static double rounds_seconds(const struct times *t)
{
    double places = t->resident * t->value[PROFILE_multiprocessors];
    double rounds = known_or(t->accesses->rounds, 0) * fmax(1, t->blocks / places);
    return rounds > 1 ? cycles(t, rounds * (load_latency(t) + ROUND_OVERHEAD)) : 0;
}

/* Bulk and asynchronous copies are not counted as loads. Their bytes in flight are limited by the shared memory that they
 * fill. */
static double copies_seconds(const struct times *t)
{
    double loaded = SECTOR_BYTES * known_or(t->accesses->load_sectors, 0);
    double read = (double)t->work.bytes_read, held = t->setup->shared_dynamic;
    if (!t->known || t->memory != MEMORY_DRAM || loaded >= 0.5 * read || !(held > 0))
        return 0;
    double places = fmin(t->resident * t->value[PROFILE_multiprocessors], t->blocks);
    return cycles(t, read / (held * places) * (t->value[PROFILE_latency_dram] + ROUND_OVERHEAD));
}

/* A block whose rounds are separated by barriers waits for its loads, then uses the banks, then computes. Only other blocks of
 * its multiprocessor fill these gaps; 0 without such rounds. */
static double phases_seconds(const struct times *t)
{
    const double *part = t->part, rounds = rounds_seconds(t);
    double together = fmin(t->resident, ceil(t->blocks / t->value[PROFILE_multiprocessors]));
    double phases = part[BOUND_l1] + part[BOUND_shared] + fmax(part[BOUND_issue], part[BOUND_flop]);
    return rounds > 0 ? rounds + phases / together : 0;
}

static void bound_latency(struct times *t)
{
    t->part[BOUND_latency] = fmax(waves_seconds(t), fmax(rounds_seconds(t), copies_seconds(t)));
}

/* What the last block does after its loads. If blocks publish their parts, it also does the final
 * reduction, whose barriers are in ROUND_OVERHEAD. */
static double last_block(const struct times *t)
{
    double publish = publish_cycles(t), exchanges = exchange_cycles(t);
    return cycles(t, 2 * publish + exchanges);
}

/* ---- Combination ---- */

/* Resident blocks per multiprocessor; without the compiled kernel, limited by threads and shared memory only. */
static double count_resident(const struct times *t)
{
    double most = floor(t->value[PROFILE_threads_sm] / t->threads);
    double shared = t->setup->shared_dynamic;
    if (!isnan(t->facts->resident))
        return t->facts->resident;
    if (shared > 0)
        most = fmin(most, floor(t->value[PROFILE_shared_sm_bytes] /
                                (shared + 1024))); /* 1 KiB is used by the system */
    return fmin(32, fmax(1, most));
}

/* Blocks of a dependent launch that have room beside those of the launch before wait for its end on their SM. */
static double first_wave(const struct times *t)
{
    double warps = ceil(t->threads / 32), places = t->resident * t->value[PROFILE_multiprocessors];
    double wave = t->value[t->in_l2 ? PROFILE_wave_hot : PROFILE_wave_cold];
    bool waiting = t->setup->programmatic_launch && 2 * t->blocks <= places;
    return wave + cycles(t, WARP_START * fmax(0, warps - 8) - (waiting ? BLOCK_TURNAROUND : 0));
}

/* DRAM and L2: the slower one counts. L1 and shared memory share their banks, so their times add up. Memory, banks, arithmetic
 * and latency overlap by a norm of order OVERLAP, but not within a block whose rounds have barriers. Block starts overlap with
 * all of them. */
static double combine(struct times *t)
{
    const double *part = t->part;
    double memory = fmax(part[BOUND_dram], part[BOUND_l2]), banks = part[BOUND_l1] + part[BOUND_shared];
    double arithmetic = fmax(part[BOUND_issue], part[BOUND_flop]);
    double busy = pow(pow(memory, OVERLAP) + pow(banks, OVERLAP) + pow(arithmetic, OVERLAP) +
                          pow(part[BOUND_latency], OVERLAP),
                      1 / OVERLAP);
    double start = t->blocks / t->value[PROFILE_block_rate], wave = first_wave(t);
    double end = last_block(t);
    t->part[BOUND_launch] = fmax(start, wave);
    t->part[BOUND_latency] = fmax(t->part[BOUND_latency], end);
    return fmax(fmax(start, busy), phases_seconds(t)) + wave + end;
}

/* The vendor's kernels, and calls: only the bounds of their useful work are known. */
static double vendor_seconds(struct times *t)
{
    t->part[BOUND_dram] = dram_seconds(t);
    t->part[BOUND_l2] = l2_seconds(t);
    t->part[BOUND_flop] = t->work.flops ? (double)work_flops_executed(&t->work) / flop_rate(t) : 0;
    t->part[BOUND_launch] = t->value[t->in_l2 ? PROFILE_wave_hot : PROFILE_wave_cold];
    return fmax(fmax(t->part[BOUND_dram], t->part[BOUND_l2]), t->part[BOUND_flop]) + t->part[BOUND_launch];
}

static double tiles_seconds(struct times *t, const struct tile_pipeline *tiles)
{
    const struct pipeline_device device = {.value = t->value,
                                           .clock = known_or(t->facts->clock, t->value[PROFILE_clock_max]),
                                           .flops_cycle =
                                               pipeline_flops_cycle(flop_peak(t), t->value[PROFILE_clock_max],
                                                                    t->value[PROFILE_multiprocessors]),
                                           .resident = t->resident,
                                           .in_l2 = t->in_l2,
                                           .dram = dram_seconds(t),
                                           .wave = t->value[t->in_l2 ? PROFILE_wave_hot : PROFILE_wave_cold]};
    return pipeline_seconds(tiles, &device, t->part);
}

static double kernel_seconds(struct times *t)
{
    const struct setup *s = t->setup;
    const struct target target = target_of_device(t->device);
    struct tile_pipeline tiles;
    t->blocks = (double)s->grid[0] * s->grid[1] * s->grid[2];
    t->threads = (double)s->block[0] * s->block[1] * s->block[2];
    t->resident = count_resident(t);
    assert(t->blocks > 0 && t->threads > 0);
    if (t->family->pipeline && t->family->pipeline(t->point, &target, &tiles))
        return tiles_seconds(t, &tiles);
    t->part[BOUND_dram] = dram_seconds(t);
    t->part[BOUND_l2] = l2_seconds(t);
    bound_multiprocessors(t);
    bound_latency(t);
    return combine(t);
}

/* A pipeline: each part is copied to the device, worked on and copied back, by its stream. The directions and the work are
 * independent: with enough streams the slowest of them sets the pace. */
static double link_seconds(struct times *t)
{
    double in = t->work.bytes_read ? (double)t->work.bytes_read / t->value[PROFILE_peak_h2d] : 0;
    double out = t->work.bytes_written ? (double)t->work.bytes_written / t->value[PROFILE_peak_d2h] : 0;
    double parts = t->setup->host_copy.chunks, work = arithmetic_seconds(t), sum = in + out + work;
    t->part[BOUND_link] = fmax(in, out);
    t->part[BOUND_flop] = work;
    if (in > 0 && out > 0 && t->setup->buffer[2].role != BUFFER_SCRATCH) /* two arrays, each one way */
        return fmax(t->part[BOUND_link], work);
    double pace = fmax(fmax(t->part[BOUND_link], work), sum / t->setup->host_copy.streams);
    return (sum + (parts - 1) * pace) / parts;
}

/* Two devices: each direction carries half of the bytes of a launch of both. */
static double peer_seconds(struct times *t)
{
    const struct setup *s = t->setup;
    bool both = setup_has_parts(s);
    struct link_point link = {.point = t->point,
                              .setup = s,
                              .accesses = t->accesses,
                              .bytes = ((double)t->work.bytes_read + (double)t->work.bytes_written) /
                                       (both ? 2 : 1),
                              .pull = t->work.bytes_read > 0,
                              .both_ways = both,
                              .in_l2 = t->in_l2,
                              .local = family_devices(t->point).count < 2};
    return link_seconds_of(&link, t->value, t->part);
}

/* Both ends of a local pair are in one device's DRAM, where each byte is read and written. */
static void take_local_pair(struct times *t)
{
    uint64_t bytes = t->work.bytes_read + t->work.bytes_written;
    t->memory = MEMORY_DRAM;
    t->work.bytes_read = t->work.bytes_written = bytes;
}

/* Lines of `bytes` are in L2 of the device that has them, whichever it is, after the first access. */
static double dependent_seconds(struct times *t)
{
    struct chain chain = t->family->chain(t->point);
    bool fits = t->device->l2_bytes > 0 && chain.bytes <= (uint64_t)t->device->l2_bytes;
    struct chain_place place = {.local = family_devices(t->point).count < 2,
                                .in_l2 = fits,
                                .cached = fits && t->facts->cache == CACHE_HOT};
    return chain_seconds_of(&chain, &place, t->value, t->part);
}

static double seconds_of(struct times *t)
{
    if (t->family->chain)
        return dependent_seconds(t);
    if (t->memory == MEMORY_LINK)
        return link_seconds(t);
    if (t->memory == MEMORY_PEER)
        return peer_seconds(t);
    count_dram(t);
    count_l2(t);
    return t->setup->engine == ENGINE_KERNEL ? kernel_seconds(t) : vendor_seconds(t);
}

static void name_bounds(struct time_prediction *out, bool idle)
{
    out->bound = out->second = BOUND_none;
    for (int i = 1; i < BOUND_COUNT; i++)
        if (out->part[i] > 0 && !(out->part[i] <= out->part[out->bound])) {
            out->second = out->bound;
            out->bound = (enum bound)i;
        } else if (out->part[i] > 0 && !(out->part[i] <= out->part[out->second])) {
            out->second = (enum bound)i;
        }
    bool inside = out->bound == BOUND_l1 || out->bound == BOUND_shared || out->bound == BOUND_issue ||
                  out->bound == BOUND_flop;
    if (idle && inside) {
        out->second = out->bound;
        out->bound = BOUND_tail;
    }
}

/* Are all buffers in L2 from the start? */
static bool stays_in_l2(const struct setup *setup, enum cache_mode cache, const struct device *device)
{
    return cache == CACHE_HOT && device->l2_bytes > 0 &&
           setup_bytes(setup, 512) <= (uint64_t)device->l2_bytes;
}

bool time_predict_from(const struct point *point, const struct setup *setup,
                       const struct prediction *accesses, const struct profile *profile,
                       const struct time_facts *facts, struct time_prediction *out)
{
    struct device device = profile_device(profile, "");
    double seconds[3], part[BOUND_COUNT];
    struct times t = {.point = point,
                      .family = family_of(point),
                      .memory = family_of(point)->memory,
                      .setup = setup,
                      .accesses = accesses,
                      .facts = facts,
                      .device = &device,
                      .known = !isnan(accesses->load_requests),
                      .in_l2 = stays_in_l2(setup, facts->cache, &device)};
    t.work = t.family->work(point);
    *out = (struct time_prediction){.seconds = NAN, .low = NAN, .high = NAN};
    if (t.memory == MEMORY_PEER && !t.in_l2 && family_devices(point).count < 2)
        take_local_pair(&t);
    /* Of measurements of latency, which report cycles, only those whose accesses are known are predicted; links that share
     * their ends are not. */
    if ((t.memory == MEMORY_NONE && !t.family->chain) || family_devices(point).count > 2)
        return false;
    for (int side = 0; side < 3; side++) { /* the value, the best case, the worst case */
        for (int i = 0; i < PROFILE_COUNT; i++) {
            const struct profile_value *v = &profile->value[i];
            bool cost = i == PROFILE_wave_hot || i == PROFILE_wave_cold || i >= PROFILE_latency_shared;
            t.value[i] = side == 0 ? v->value : (side == 1) == cost ? v->low : v->high;
        }
        if (t.family->tensor_cores && isnan(flop_rate(&t)))
            return false;
        memset(part, 0, sizeof part);
        t.part = side ? part : out->part;
        memset(t.part, 0, sizeof part);
        memset(t.dram, 0, sizeof t.dram);
        memset(t.l2, 0, sizeof t.l2);
        seconds[side] = seconds_of(&t);
    }
    out->seconds = seconds[0];
    /* A difference of two latencies is not shortest where both are. */
    out->low = fmin(seconds[0], fmin(seconds[1], seconds[2]));
    out->high = fmax(seconds[0], fmax(seconds[1], seconds[2]));
    if (!isfinite(out->seconds) || !(out->seconds > 0)) {
        *out = (struct time_prediction){.seconds = NAN, .low = NAN, .high = NAN};
        return false;
    }
    name_bounds(out, t.blocks > 0 && t.blocks < t.value[PROFILE_multiprocessors]);
    return true;
}

bool time_predict(const struct point *point, const struct profile *profile, const struct time_facts *facts,
                  struct time_prediction *out)
{
    struct device device = profile_device(profile, "");
    struct target target = target_of_device(&device);
    struct setup setup = family_of(point)->setup(point, &target);
    struct prediction accesses;
    model_predict(point, &setup, &target, facts->dirty, &accesses);
    return time_predict_from(point, &setup, &accesses, profile, facts, out);
}

void time_fill(struct result *result, const struct point *point, const struct setup *setup,
               const struct prediction *accesses, const struct device *device)
{
    struct time_facts facts = time_facts_none((enum cache_mode)point_value(point, "cache", CACHE_COLD));
    struct time_prediction time;
    double *real = result->real;
    if (device->capability <= 0)
        return;
    struct profile profile = profile_of_device(device);
    profile_set(&profile, PROFILE_link_copy, real[REAL_link_peak], true, "link_peak of the point");
    profile_assume(&profile);
    facts.clock = real[REAL_sm_clock];
    facts.resident =
        time_resident(real[REAL_occupancy_theoretical], (double)device->threads_sm, real[REAL_block_threads]);
    if (!time_predict_from(point, setup, accesses, &profile, &facts, &time))
        return;
    real[REAL_predicted_time] = time.seconds;
    real[REAL_predicted_time_low] = time.low;
    real[REAL_predicted_time_high] = time.high;
    real[REAL_headroom] = real[REAL_time_median] / time.seconds;
    result->bound = time.bound;
    result->bound_second = time.second;
}
