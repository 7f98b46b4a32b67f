#include "worker/cuda/measure.h"

#include <math.h>

#include "base/clock.h"
#include "worker/cuda/baselines/baselines.h"
#include "worker/cuda/launch/cuda_launch.h"

/* What a sample costs beyond its launches is at most this share of it, and is taken off. */
#define OVERHEAD_SHARE 0.005

enum {
    LAUNCHES_MAX = 8192,     /* of a graph: some 40 ms to build */
    PROGRAMMATIC_MIN = 4,    /* launches, so that each but the first can overlap the one before */
    GRAPH_PLACES_MAX = 4096, /* of one launch in a graph */
    QUEUE_PLACES_MAX = 256,  /* of a sample that waits behind a block */
    ROW_AHEAD = 5,           /* launches before a row: as many as nccl-tests makes before its loop */
    GROUP_TRIED = 10,        /* samples of a group on several devices: a process takes about as many */
};

/* Share of its time in the warm-up that a launch takes at least: a gap in the stream is some 1 % of a launch
 * that needs no graph. */
#define LAUNCH_SHORTER 0.8

#define WARM_ROUND   1e-3 /* s of work between two looks at the clock */
#define WARM_LONGEST 0.5  /* s after which the clock is taken as it is */
#define WARM_LONG    5e-3 /* s of a launch beside which its loading is short */
#define CLOCK_STEADY 1.01 /* rising by less than this a round is steady */

/* Copies of pageable memory wait for the device within the call: they can be neither captured nor queued
 * behind a block. */
static bool is_pageable(const struct cuda_point *p)
{
    for (int b = 0; b < p->setup.buffers; b++)
        if (p->setup.buffer[b].pageable)
            return true;
    return false;
}

/* Does a launch queue work on several ends? */
static bool is_spread(const struct cuda_point *p)
{
    return setup_has_parts(&p->setup) || (p->setup.engine == ENGINE_CALL && cuda_point_devices(p) > 1);
}

/* Of the queue, that a launch takes also in a graph. Of kernels on several ends: itself, its signal to the
 * others, and a wait for each of them, because a graph has a device wait for another in its queue. */
static uint32_t places_of(const struct cuda_point *p)
{
    uint32_t parts = (uint32_t)p->setup.parts;
    if (p->copies) /* each copy, a wait before and after it, and the kernel of each part */
        return 3 * cuda_copies_count(&p->setup) + 2 * parts;
    return p->setup.engine == ENGINE_KERNEL && is_spread(p) ? parts + 1 : p->call.places;
}

/* Launches that fit into the queue of a blocked stream. */
static double fitting_launches(const struct cuda_point *p)
{
    return fmax(floor((double)QUEUE_PLACES_MAX / places_of(p)), 1);
}

/* Copies without peer access go through the host, and wait for it. */
static bool goes_through_host(const struct cuda_point *p)
{
    return p->session->peer.open && !p->session->peer.access;
}

/* A launch of many parts may fill the queue of a blocked stream. Such a launch is long, and the host far
 * ahead of the link. A call may do both, and is blocked in a graph only. */
static bool waits_for_device(const struct cuda_point *p)
{
    return is_pageable(p) || goes_through_host(p) || p->call.waits;
}

/* The first launch of a kernel may load it, which a stream that is blocked would wait for. A short launch is
 * therefore timed again, when it is loaded. */
void cuda_measure_warm_up(struct timer *timer, struct cuda_point *p, struct trial *trial)
{
    bool loaded = p->launched, waits = waits_for_device(p);
    struct timer_job job = {
        .work = cuda_point_launch, .context = p, .launches = 1, .unblocked = waits || !loaded};
    struct sample samples[2];
    double start = clock_now(), last = 0, clock_max = p->session->device.clock_max;
    for (uint32_t count = 1;; count = job.launches > 1 ? 2 : 1) {
        timer_take(timer, &job, count, samples);
        double launch = fmin(samples[0].seconds, samples[count - 1].seconds),
               clock = samples[count - 1].sm_clock;
        double waited = clock_now() - start, enough = ceil(WARM_ROUND / 2 / fmax(launch, 1e-7));
        /* over less time the clock is not known well */
        bool looked = (loaded || launch > WARM_LONG) && (job.launches > 1 || enough <= 2);
        trial->launch_seconds = launch;
        if ((looked && clock >= CLOCK_LOWERED * clock_max) || waited > WARM_LONGEST)
            return;
        /* A boost point rests before its samples, whatever its clock has become. */
        double most_rounds = trial->config->timing.clock == CLOCK_BOOST ? 5 : 20;
        if (looked && clock < CLOCK_STEADY * last && waited > most_rounds * WARM_ROUND)
            return;
        last = !looked || isnan(clock) ? last : clock;
        double most = fmin(200, is_spread(p) && places_of(p) ? fitting_launches(p) / 2 : 200);
        job.launches = looked || enough > 2 ? (uint32_t)fmax(fmin(enough, most), 1) : 1;
        job.unblocked = waits;
        loaded = true;
    }
}

/* A row is no graph, and is as long as the family says. */
static bool is_row(const struct cuda_point *p)
{
    return p->setup.in_a_row > 0;
}

/* Can a sample be a graph? */
static bool can_capture(const struct cuda_point *p)
{
    bool too_long = p->copies && p->setup.shape[0] > BASELINES_GRAPH_MEMCPY_MAX;
    return !goes_through_host(p) && !is_row(p) && !p->call.uncaptured && !too_long && !is_pageable(p) &&
           p->call.places <= GRAPH_PLACES_MAX;
}

/* Can it be one of several launches, of a graph or of a row? Those of a clean L2 cannot: the second would
 * meet what the first one wrote. */
static bool can_repeat(const struct cuda_point *p, const struct trial *trial)
{
    return trial->cache != CACHE_CLEAN && (can_capture(p) || is_row(p));
}

/* Also a single launch of a call is a graph, so that the gaps between its kernels are those of a graph. */
static bool needs_graph(const struct cuda_point *p)
{
    return p->setup.engine == ENGINE_CALL && can_capture(p);
}

static uint32_t asked_sets(const struct cuda_point *p)
{
    return p->setup.sets > 1 ? p->setup.sets : 1;
}

/* Do samples take several sets of which L2 keeps all? */
static bool is_hot_round(const struct cuda_point *p, const struct trial *trial)
{
    return trial->cache == CACHE_HOT && asked_sets(p) > 1;
}

/* Launches that take long enough together for the overhead of a sample to be small beside them, and use all
 * sets that are asked for. */
static uint32_t launches_for(const struct cuda_point *p, const struct floors *floors, double launch_seconds)
{
    if (is_row(p))
        return p->setup.in_a_row;
    double enough = ceil(floors->graph / OVERHEAD_SHARE / fmax(launch_seconds, 1e-7));
    double least = fmax(p->setup.programmatic_launch ? PROGRAMMATIC_MIN : 1, asked_sets(p));
    double nodes = p->call.nodes, most = LAUNCHES_MAX;
    if (places_of(p) && (nodes > 0 || p->copies || p->setup.engine == ENGINE_KERNEL))
        most = fitting_launches(p);
    else if (nodes > 0) /* of a family's own call */
        most = fmax(floor(LAUNCHES_MAX / nodes), 1);
    return (uint32_t)fmin(fmax(enough, least), most);
}

/* Sets of buffers: a cold launch has its own, and rotating ones walk over a multiple of what L2 holds. */
static uint32_t sets_for(const struct cuda_point *p, const struct trial *trial, uint32_t launches)
{
    uint64_t l2 = p->session->device.l2_bytes > 0 ? (uint64_t)p->session->device.l2_bytes : 0;
    if (trial->cache == CACHE_COLD)
        return launches;
    if (trial->cache != CACHE_ROTATE || !p->set_bytes)
        return is_hot_round(p, trial) ? asked_sets(p) : 1;
    uint64_t sets = trial->walk * l2 / p->set_bytes + 2;
    return sets < LAUNCHES_MAX ? (uint32_t)sets : LAUNCHES_MAX;
}

/* Capture the launches of a sample, on sets that are placed. */
static void capture(struct timer *timer, struct cuda_point *p, const struct trial *trial,
                    struct timer_job *job, uint32_t launches, bool repeats, bool graph)
{
    job->launches = launches;
    if (trial->cache == CACHE_COLD && launches > p->sets)
        job->launches = p->sets; /* memory was short */
    if ((trial->cache == CACHE_ROTATE || is_hot_round(p, trial)) && repeats &&
        !is_row(p)) /* whole rounds: a replay begins with the first set */
        job->launches = (launches + p->sets - 1) / p->sets * p->sets;
    if ((job->launches > 1 && !is_row(p)) || graph)
        timer_capture(timer, job);
    /* A sample that fills the queue by itself cannot be queued behind a block. It is long. */
    job->unblocked = (!job->graph && waits_for_device(p)) || job->launches * job->places > QUEUE_PLACES_MAX;
}

/* Place the buffers, which the points of a pair share, and capture the launches of `n` points. */
static void build(struct timer *timer, struct cuda_point *p, struct trial *const *trial,
                  struct timer_job *job, int n, uint32_t launches, bool repeats)
{
    uint32_t sets = sets_for(p, trial[0], launches);
    bool graphs = false, unblocked = false;
    for (int v = 0; v < n; v++) {
        timer_release(&job[v]);
        graphs |= needs_graph(&p[v]);
    }
    if (n > 1 || sets != p->sets) /* the second of a pair was prepared in the memory of the first */
        cuda_point_place(p, sets);
    if (n > 1)
        cuda_point_share(&p[0], &p[1]);
    for (int v = 0; v < n; v++)
        graphs &= can_capture(&p[v]);
    for (int v = 0; v < n; v++) {
        capture(timer, &p[v], trial[v], &job[v], launches, repeats, graphs);
        unblocked |= job[v].unblocked;
    }
    for (int v = 0; v < n; v++)
        job[v].unblocked = unblocked;
}

/* The launches of the warm-up had larger gaps than a graph has, and met a warm L2: look once how long a
 * sample really is. Returns how many launches it should have. */
static uint32_t look(struct timer *timer, struct cuda_point *p, struct timer_job *job,
                     const struct floors *floors)
{
    struct sample sample;
    timer_take(timer, job, 1, &sample);
    uint32_t launches = launches_for(p, floors, sample.seconds);
    return job->launches < LAUNCHES_MAX && job->launches < 0.9 * launches ? launches : 0;
}

/* Was the launch of the warm-up so short that several may be needed? Those of calls waited for the host. */
static bool may_be_short(const struct cuda_point *p, const struct floors *floors, const struct trial *trial)
{
    return p->setup.engine == ENGINE_CALL ||
           launches_for(p, floors, LAUNCH_SHORTER * trial->launch_seconds) > 1;
}

static struct timer_job job_of(struct cuda_point *p, const struct trial *trial)
{
    const enum timer_flush flush = trial->cache == CACHE_CLEAN ? FLUSH_CLEAN : FLUSH_NONE;
    return (struct timer_job){.work = cuda_point_launch,
                              .begin = is_row(p) ? cuda_call_begin_row : NULL,
                              .end = is_row(p) ? cuda_call_end_row : NULL,
                              .context = p,
                              .ahead = is_row(p) ? ROW_AHEAD : 0,
                              .places = places_of(p),
                              .flush = trial->cache == CACHE_COLD ? FLUSH_DIRTY : flush};
}

/* A copy between host and device launches no kernel: a short one takes less time than launching an empty
 * kernel. How a row begins and ends is a part of its time, as it is in nccl-tests. */
static double overhead_of_single(const struct floors *floors, const struct cuda_point *p)
{
    bool copies_alone = p->setup.engine == ENGINE_HOST_COPY && !p->setup.entry;
    if (is_row(p))
        return 0;
    return copies_alone ? floors->events : floors->single;
}

/* No more are queued behind a block than were tried. */
static uint32_t group_of(const struct timer_job *job, const struct cuda_point *p)
{
    uint32_t limit = timer_group_limit(job);
    return is_spread(p) && limit > GROUP_TRIED ? GROUP_TRIED : limit;
}

static void conclude(const struct floors *floors, const struct cuda_point *p, struct trial *trial,
                     struct timer_job *job)
{
    job->overhead = job->graph ? floors->graph : overhead_of_single(floors, p);
    trial->result->timer = job->graph ? TIMER_GRAPH : TIMER_SINGLE;
    trial->result->real[REAL_overhead] = job->overhead;
    trial->launches = job->launches;
    trial->sets = p->sets;
    trial->group_max = is_row(p) ? 1 : group_of(job, p); /* a row begins on idle devices */
}

/* How many launches on several devices can be queued behind a block is the driver's affair. If a whole group
 * cannot, the graph goes on without the block, and the result says so. */
static void try_block(struct timer *timer, const struct cuda_point *p, struct trial *trial,
                      struct timer_job *job)
{
    struct sample samples[TIMER_GROUP_MAX];
    if (!job->tries || job->unblocked)
        return;
    timer_take(timer, job, group_of(job, p), samples);
    job->tries = false;
    if (!job->late)
        return;
    job->unblocked = true;
    result_remark(trial->result,
                  "%u launches on %d devices do not fit into the queue of a blocked stream: samples begin "
                  "while the host queues them",
                  job->launches, p->session->peer.count);
}

/* A sample as another harness takes it: on one set of buffers, and with all that is between its events. */
static void arrange_as(const struct harness_rules *how, struct cuda_point *p, struct trial *trial,
                       struct timer_job *job)
{
    double launches = how->launches;
    if (how->seconds > 0)
        launches = fmin(fmax(ceil(how->seconds / fmax(trial->launch_seconds, 1e-7)), 1), LAUNCHES_MAX);
    *job = job_of(p, trial);
    job->launches = (uint32_t)launches;
    job->idle = how->idle;
    job->bare = how->bare;
    job->unblocked = !how->blocked;
    job->replays = how->replays;
    if (how->clear != CLEAR_AS_CACHE) {
        job->flush = FLUSH_NONE;
        job->zeroed = how->clear == CLEAR_L2 ? (uint64_t)p->session->device.l2_bytes : ZEROED_BYTES;
    }
    if (p->sets != 1)
        cuda_point_place(p, 1);
    trial->result->timer = how->replays ? TIMER_GRAPH : TIMER_SINGLE;
    trial->result->real[REAL_overhead] = 0;
    trial->launches = job->launches;
    trial->sets = p->sets;
    trial->group_max = how->idle ? 1 : timer_group_limit(job);
}

void cuda_measure_arrange(struct timer *timer, const struct floors *floors, struct cuda_point *p,
                          struct trial *const *trial, struct timer_job *job, int n)
{
    if (n == 1 && trial[0]->harness != HARNESS_WARPSWEEP) {
        arrange_as(&harness_rules[trial[0]->harness], p, trial[0], job);
        return;
    }
    bool repeats = true, short_one = false;
    uint32_t launches = 1, more = 0, group = UINT32_MAX;
    for (int v = 0; v < n; v++) {
        job[v] = job_of(&p[v], trial[v]);
        repeats &= can_repeat(&p[v], trial[v]);
    }
    for (int v = 0; v < n && repeats; v++) {
        launches = (uint32_t)fmax(launches, launches_for(&p[v], floors, trial[v]->launch_seconds));
        short_one |= may_be_short(&p[v], floors, trial[v]);
    }
    for (int v = 0; v < n && n > 1 && repeats; v++)
        if (is_row(&p[v])) {
            launches = p[v].setup.in_a_row;
            short_one = false;
        }
    job->tries = n == 1 && is_spread(p);
    build(timer, p, trial, job, n, launches, repeats);
    for (int v = 0; v < n && short_one; v++)
        more = (uint32_t)fmax(more, look(timer, &p[v], &job[v], floors));
    if (more)
        build(timer, p, trial, job, n, more, repeats);
    try_block(timer, p, trial[0], job);
    for (int v = 0; v < n; v++) {
        conclude(floors, &p[v], trial[v], &job[v]);
        group = trial[v]->group_max < group ? trial[v]->group_max : group;
    }
    for (int v = 0; v < n; v++)
        trial[v]->group_max = group;
}

void cuda_take_single(struct timer *timer, const struct floors *floors, struct cuda_point *p,
                      const struct trial *trial, struct sample *sample)
{
    struct timer_job job = job_of(p, trial);
    bool graph = needs_graph(p) && p->call.graph;
    job.launches = 1;
    job.flush = FLUSH_DIRTY;
    job.graph = graph ? p->call.graph : NULL; /* which the point owns */
    job.unblocked = waits_for_device(p);
    job.overhead = graph ? floors->graph : overhead_of_single(floors, p);
    timer_take(timer, &job, 1, sample);
}

/* What the family observes in a report buffer of one set. */
static struct observation observe_set(struct cuda_point *p, int b, uint32_t set)
{
    struct observation seen = {NAN, NAN, NAN};
    uint64_t bytes = cuda_point_bytes(p, b);
    if (bytes > CUDA_STAGING_BYTES)
        cuda_fail("a report of %llu bytes is too long", (unsigned long long)bytes);
    CUDA(cudaMemcpyAsync(p->session->staging, cuda_point_buffer(p, set, b), bytes, cudaMemcpyDeviceToHost,
                         p->session->stream));
    CUDA(cudaStreamSynchronize(p->session->stream));
    p->family->observe(p->point, &p->setup, p->session->staging, &seen);
    return seen;
}

/* Fills the latency columns from the sets of the last launches, as many as the family asks for. */
static void read_report(struct cuda_point *p, int b, const struct timer_job *job, struct result *result)
{
    uint64_t turns = job->graph ? job->launches : job->turn, ran = turns < p->sets ? turns : p->sets;
    uint32_t count = asked_sets(p) < ran ? asked_sets(p) : (uint32_t)ran;
    struct observation sum = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        struct observation seen = observe_set(p, b, (uint32_t)((turns - 1 - i) % p->sets));
        sum.latency_p05 += seen.latency_p05;
        sum.latency_p50 += seen.latency_p50;
        sum.latency_p95 += seen.latency_p95;
    }
    result->real[REAL_latency_p05] = sum.latency_p05 / count;
    result->real[REAL_latency_p50] = sum.latency_p50 / count;
    result->real[REAL_latency_p95] = sum.latency_p95 / count;
}

/* ---- What crosses the links ---- */

/* NVML counts in steps of 1 KiB per link: launches of this many bytes make them 0.1 % of a device with 18
 * links. A launch that carries little takes long, a chase for example: there the time ends it. */
#define TRAFFIC_BYTES    (64 << 20)
#define TRAFFIC_SECONDS  20e-3
#define TRAFFIC_LAUNCHES 1024

/* Launch again between two readings: both directions, and copies by the driver, are counted too. */
static void read_traffic(struct cuda_point *p, struct result *result)
{
    double *real = result->real, bytes = real[REAL_bytes_read] + real[REAL_bytes_written];
    double wanted = fmin(TRAFFIC_BYTES / bytes, TRAFFIC_SECONDS / real[REAL_time_median]);
    uint32_t launches = (uint32_t)fmax(1, fmin(TRAFFIC_LAUNCHES, ceil(wanted)));
    CUDA(cudaStreamSynchronize(p->session->stream));
    struct nvml_traffic before = nvml_link_traffic(p->session->nvml);
    for (uint32_t i = 0; i < launches; i++)
        cuda_point_launch(p, p->session->stream, i);
    CUDA(cudaStreamSynchronize(p->session->stream));
    struct nvml_traffic after = nvml_link_traffic(p->session->nvml);
    real[REAL_nvml_link_sent] = (after.sent - before.sent) / launches;
    real[REAL_nvml_link_received] = (after.received - before.received) / launches;
    real[REAL_nvml_link_raw_sent] = (after.raw_sent - before.raw_sent) / launches;
    real[REAL_nvml_link_raw_received] = (after.raw_received - before.raw_received) / launches;
}

void cuda_measure_observe(struct cuda_point *p, const struct timer_job *job, const struct trial *trial)
{
    struct result *result = trial->result;
    cuda_sharing_observe(p->session, result);
    if (trial->replicate) /* the file keeps its samples alone */
        return;
    struct nvml_state state = nvml_read(p->session->nvml);
    result->real[REAL_temperature] = state.temperature;
    result->real[REAL_power] = state.power;
    for (int b = 0; b < p->setup.buffers; b++)
        if (p->setup.buffer[b].role == BUFFER_REPORT && p->family->observe)
            read_report(p, b, job, result);
    if (p->session->peer.remote)
        read_traffic(p, result);
}
