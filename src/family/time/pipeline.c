#include "family/time/pipeline.h"

#include <math.h>

#include "core/profile.h"
#include "family/time/constants.h"

/* Bytes per cycle that a multiprocessor exchanges with L2. */
#define PORT 64.0

/* Neighbouring multiprocessors ask for the same slices at the same time, and L2 serves them together: bytes that arrive in all of them
 * relative to its measured rate of reads. Measured: wgmma with one and two stages and 1024 columns, a single wave (h200-ladder.h5). */
#define SERVED_TOGETHER 1.55

/* Shared memory: bytes per cycle. */
#define BANKS 128.0

static double slice_cycles(const struct tile_pipeline *p, double tensor, double together)
{
    double banks = p->bank_bytes / BANKS;
    double busy = pow(pow(tensor, OVERLAP) + pow(banks, OVERLAP), 1 / OVERLAP);
    return together * (busy + p->apart);
}

double pipeline_seconds(const struct tile_pipeline *p, const struct pipeline_device *d,
                        double part[BOUND_COUNT])
{
    const double *value = d->value, sms = value[PROFILE_multiprocessors];
    double active = fmin(p->tiles, sms), fitting = fmax(1, fmin(d->resident, p->resident));
    double together = fmin(fitting, ceil(p->tiles / sms));
    double rounds = ceil(p->tiles / (sms * together));
    double l2_read = SERVED_TOGETHER * value[PROFILE_peak_l2_read] / (active * value[PROFILE_clock_max]);
    double l2_write = value[PROFILE_peak_l2_write] / (active * value[PROFILE_clock_max]);
    /* A single wave is the first to read what it reads; later ones find most of it in L2. */
    double latency = value[d->in_l2 || rounds > 1 ? PROFILE_latency_l2 : PROFILE_latency_dram];
    double tensor = p->flops / (d->flops_cycle * p->rate);
    double load = latency + ROUND_OVERHEAD + p->bytes / fmin(PORT, l2_read);
    double busy = slice_cycles(p, tensor, together);
    double slice = p->ahead > 0 ? fmax(busy, load / p->ahead) : busy + load;
    double start = BLOCK_TURNAROUND + WARP_START * p->warps + load;
    double drain = p->stored / BANKS, out = together * p->stored / fmin(PORT, l2_write);
    double edge = start + out + drain + (rounds - 1) * (p->persistent ? drain : start + drain);
    double total = fmax(rounds * p->slices * slice + edge, start + rounds * out);
    double tiles = rounds * together; /* of a multiprocessor */
    part[BOUND_flop] = tiles * p->slices * (tensor + p->apart) / d->clock;
    part[BOUND_shared] = tiles * p->slices * p->bank_bytes / BANKS / d->clock;
    part[BOUND_latency] = (edge + rounds * p->slices * fmax(0, slice - busy)) / d->clock;
    part[BOUND_dram] = d->dram;
    part[BOUND_launch] = d->wave;
    return fmax(total / d->clock, d->dram) + d->wave;
}

double pipeline_flops_cycle(double peak, double clock_max, double multiprocessors)
{
    return exp2(floor(log2(peak / (clock_max * multiprocessors)) + 0.5));
}
