/* cuda_backend.c - the cuda back end: one process, one device; what its stages call lies beside it. */
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "worker/cuda/compile/compile.h"
#include "worker/cuda/counters/cuda_counters.h"
#include "worker/cuda/launch/cuda_launch.h"
#include "worker/cuda/measure.h"
#include "worker/phases.h"
#include "worker/referee.h"

static struct cuda_session session;
static struct timer *timer;
static struct floors floors;
static struct cuda_loop loop;

enum { PEERS_MAX = 64 }; /* devices of a node, other than its own, whose link is measured */

static int find_device(int local_rank, struct error *error)
{
    return cuda_session_find(&session, local_rank, error);
}

static int backend_open(int local_rank, struct device *device, struct error *error)
{
    if (cuda_session_open(&session, local_rank, error) != 0)
        return -1;
    *device = session.device;
    return 0;
}

static void backend_configure(const struct config *config)
{
    session.config = *config;
}

static void prepare(void)
{
    if (timer)
        return;
    enum phase before = phases_enter(PHASE_peaks);
    cuda_session_prepare(&session);
    timer = timer_new(&session);
    floors = floors_measure(&session, timer);
    session.device.event_floor = floors.events;
    session.device.launch_floor = floors.launch;
    session.device.graph_floor = floors.node;
    phases_leave(before);
}

static void backend_characterise(enum peaks_part part, struct device *device)
{
    if (part != PEAKS_LINK)
        cuda_peaks_compile(&session);
    prepare();
    if (part != PEAKS_LINK)
        cuda_peaks_measure_own(&session, timer, &session.device);
    if (part == PEAKS_OWN_FIRST)
        cuda_peaks_prepare_link(&session);
    if (part == PEAKS_LINK || part == PEAKS_ALL)
        cuda_peaks_measure_link(&session, timer, &session.device);
    *device = session.device;
}

static void backend_compile(const struct point *points, uint32_t count, int capability,
                            compiled_report compiled, void *context)
{
    cuda_farm_compile(&session.config, capability, points, count, compiled, context);
}

/* ---- The stages of a point ---- */

/* The point that is measured, or the two of a pair. Static: they must keep their values across the guard's
 * jump. */
static struct cuda_point slots[2];
static struct timer_job jobs[2];
static int held;

/* A stage in which any CUDA call may end the point. */
static void guarded(struct trial *trial, void (*stage)(struct trial *))
{
    struct cuda_guard guard;
    if (cuda_guard_set(&guard) == 0) {
        stage(trial);
        cuda_guard_end();
        return;
    }
    if (guard.sticky) {
        /* The context is lost. The runner records the last stage with the point and starts another process.
         */
        trial->report(trial->context, guard.message);
        _exit(4);
    }
    result_fail(trial->result, guard.status, "%s", guard.message);
}

/* Of the link to a device, measured once; not beside the first point of a pair, which has its memory
 * already. */
static double peer_peak(int far)
{
    static double peaks[PEERS_MAX];
    if (far >= PEERS_MAX)
        return NAN;
    if (peaks[far] == 0 && held == 0)
        peaks[far] = cuda_peaks_measure_peer(&session, timer);
    return peaks[far] > 0 ? peaks[far] : NAN;
}

/* Why the second point of a pair cannot take turns with the first, which is loaded, or NULL. */
static const char *unlike_in_pair(const struct setup *first, const struct setup *second)
{
    if (!cuda_l2_is(&session, &second->l2))
        return "both points of a pair share the device's limits of L2, which differ here";
    if ((first->sets > 1 || second->sets > 1) && first->sets != second->sets)
        return "both points of a pair share their sets of buffers, whose numbers differ here";
    return NULL;
}

static void do_load(struct trial *trial)
{
    prepare();
    /* A point that loads the host link has all processors to itself: copies of pageable memory run on
     * them. */
    trial->threads_allowed = session.prefetches && !trial->family->node_exclusive;
    if (!trial->threads_allowed)
        reference_prefetch_clear(session.prefetch);
    struct devices devices = family_devices(trial->point);
    struct error error;
    int visible = 0;
    CUDA(cudaGetDeviceCount(&visible));
    if (!trial_sees_devices(trial, visible))
        return;
    const char *why = cuda_peer_open(&session, &devices, trial->setup.parts, &error) != 0 ? error.text : NULL;
    if (!why && session.peer.open && !session.peer.access) {
        result_remark(trial->result, "no peer access between its devices: copied through the host");
        if (trial->setup.engine == ENGINE_KERNEL)
            why = "its devices have no peer access: kernels cannot reach the other's memory; copy_engine "
                  "goes through the host";
    }
    if (why) { /* other devices of the product may reach each other */
        trial_lack(trial, "%s", why);
        return;
    }
    if (session.peer.remote && session.peer.access && devices.count == 2)
        trial->result->real[REAL_link_peak] = peer_peak(devices.ordinal[1]);
    why = held ? unlike_in_pair(&slots[0].setup, &trial->setup) : NULL;
    if (why) {
        trial_refuse(trial, "%s", why);
        return;
    }
    cuda_code_load(&slots[held], trial->result);
    cuda_point_place(&slots[held], 1);
    cuda_call_open(&slots[held]);
    if (slots[held].call.chosen[0])
        result_remark(trial->result, "%s", slots[held].call.chosen);
    trial->result->code_hash =
        cuda_call_hash(&slots[held], setup_has_code(&trial->setup) ? trial->result->code_hash : HASH_START);
    slots[held].copies = cuda_copies_new(&slots[held]);
}

/* A call's first launches are before the one that is verified, so that what is verified is what is timed. A
 * replicate is not verified. */
static void probe_call(struct trial *trial)
{
    if (trial->setup.engine == ENGINE_CALL && !slots[held].launched)
        cuda_call_probe(&slots[held], trial->result);
}

/* Queue the references of the next points, until the queue is full. */
static void announce(const struct trial *trial)
{
    for (uint32_t i = 0; i < trial->ahead_count; i++)
        if (!reference_prefetch_announce(session.prefetch, trial->ahead[i], &trial->target,
                                         trial_seed(trial->config, trial->ahead[i]),
                                         referee_seed(trial->ahead[i])))
            return;
}

static void do_verify(struct trial *trial)
{
    probe_call(trial);
    cuda_verify(&slots[held], trial->result);
    if (trial->threads_allowed) /* not before: what is computed meanwhile would be waited for */
        announce(trial);
}

static void do_warm_up(struct trial *trial)
{
    probe_call(trial);
    cuda_measure_warm_up(timer, &slots[held], trial);
}

/* What a stage is given beside its trial. */
static struct {
    uint32_t count;
    struct sample *samples;
    struct trial *const *pair; /* the stage is of both; NULL: of its trial alone */
    const unsigned char *version;
    bool poison;
} group;

static void do_arrange(struct trial *trial)
{
    if (group.pair)
        cuda_measure_arrange(timer, &floors, slots, group.pair, jobs, 2);
    else
        cuda_measure_arrange(timer, &floors, &slots[held], &trial, &jobs[held], 1);
}

static void do_renew(struct trial *trial)
{
    slots[held].seed = trial->seed;
    cuda_renew(&slots[held], group.poison);
}

static void do_take_single(struct trial *trial)
{
    cuda_take_single(timer, &floors, &slots[held], trial, group.samples);
}

static void do_compare(struct trial *trial)
{
    cuda_compare(&slots[held], trial->result);
}

static void do_observe(struct trial *trial)
{
    cuda_measure_observe(&slots[held], &jobs[held], trial);
}

static void backend_load(struct trial *trial)
{
    slots[held] = (struct cuda_point){.session = &session,
                                      .point = trial->point,
                                      .family = trial->family,
                                      .setup = trial->setup,
                                      .seed = trial->seed};
    guarded(trial, do_load);
}

#define GUARDED(stage)                                                                                       \
    static void backend_##stage(struct trial *trial)                                                         \
    {                                                                                                        \
        guarded(trial, do_##stage);                                                                          \
    }
GUARDED(verify)
GUARDED(warm_up)
GUARDED(arrange)
GUARDED(observe)
GUARDED(compare)

static void backend_renew(struct trial *trial, bool poison)
{
    group.poison = poison;
    guarded(trial, do_renew);
}

static void backend_take_single(struct trial *trial, struct sample *sample)
{
    group.samples = sample;
    guarded(trial, do_take_single);
}

static void tell_unblocked(struct result *result)
{
    result_remark(result,
                  "twice the host did not queue a group of samples behind a blocked stream within 2 s: "
                  "samples began while it queued them");
}

static void do_take(struct trial *trial)
{
    struct timer_job *job = group.pair ? jobs : &jobs[held];
    struct trial *const *of = group.pair ? group.pair : &trial;
    bool blocked = !job->unblocked;
    job->powered = trial->powered;
    timer_take_turns(timer, job, group.version, group.count, group.samples);
    for (int v = 0; v < (group.pair ? 2 : 1) && blocked && job->unblocked; v++)
        tell_unblocked(of[v]->result);
}

static void backend_take(struct trial *trial, uint32_t count, struct sample *samples)
{
    group.version = NULL;
    group.count = count;
    group.samples = samples;
    guarded(trial, do_take);
}

/* ---- Energy ---- */

static struct meter reading;

static void do_loop(struct trial *trial)
{
    cuda_loop_go_on(&loop, &jobs[held], trial->launch_seconds * jobs[held].launches, &session, &reading);
}

static void do_end_loop(struct trial *trial)
{
    (void)trial;
    CUDA(cuda_loop_end(&loop, &session));
}

static void backend_meter(struct trial *trial, struct meter *out)
{
    if (!out) {
        guarded(trial, do_end_loop);
        return;
    }
    if (trial) {
        guarded(trial, do_loop);
    } else {
        clock_sleep(5e-3);
        cuda_loop_read(NULL, &session, &reading);
    }
    *out = reading;
}

/* ---- Pairs ---- */

static void backend_hold(int slot)
{
    held = slot;
}

/* Run a stage of both; an error ends both. */
static void guard_pair(struct trial *const pair[2], void (*stage)(struct trial *))
{
    group.pair = pair;
    guarded(pair[0], stage);
    group.pair = NULL;
    if (pair[0]->result->status != STATUS_OK && pair[1]->result->status == STATUS_OK)
        trial_fail(pair[1], "%s", pair[0]->result->message);
}

static void backend_arrange_pair(struct trial *const pair[2])
{
    guard_pair(pair, do_arrange);
}

static void backend_take_pair(struct trial *const pair[2], const unsigned char *version, uint32_t count,
                              struct sample *samples)
{
    group.version = version;
    group.count = count;
    group.samples = samples;
    guard_pair(pair, do_take);
}

/* ---- The end of a point ---- */

static void backend_end(struct trial *trial)
{
    (void)trial;
    if (session.prefetch) /* an error during verification leaves it claimed */
        reference_prefetch_release(session.prefetch);
    cuda_product_abandon(&session);
    cuda_loop_end(&loop, &session); /* a failure may have left it */
    timer_release(&jobs[held]);
    cuda_session_enter(&session, 0); /* a failure may have left the point at another end */
    cuda_session_back(&session);
    cuda_point_release(&slots[held]);
    cuda_l2_apply(&session, &(struct l2_policy){.window = 0}); /* the device is as it was */
}

/* ---- Counting ---- */

static const char *backend_count(const struct countable *points, uint32_t count, struct counted *counted,
                                 stage_report report, void *context)
{
    struct cuda_guard guard;
    report(context, "count");
    if (cuda_guard_set(&guard) == 0) {
        prepare();
        cuda_peer_open(&session, &(struct devices){.count = 0}, 1, NULL);
        const char *note = cuda_counters_take(&session, points, count, counted, report, context);
        cuda_guard_end();
        return note;
    }
    /* Some point of these is to blame: the runner records the last stage, and finds out by counting fewer of
     * them in fresh processes. */
    report(context, guard.message);
    _exit(4);
}

static void backend_close(void)
{
    cuda_counters_close();
    timer_free(timer);
    cuda_session_close(&session);
}

const struct backend backend_cuda = {
    .name = "cuda",
    .traits = {.counts = true, .compiles = true, .owns_device = true},
    .find = find_device,
    .open = backend_open,
    .configure = backend_configure,
    .characterise = backend_characterise,
    .compile = backend_compile,
    .load = backend_load,
    .verify = backend_verify,
    .warm_up = backend_warm_up,
    .arrange = backend_arrange,
    .take = backend_take,
    .observe = backend_observe,
    .renew = backend_renew,
    .take_single = backend_take_single,
    .compare = backend_compare,
    .end = backend_end,
    .hold = backend_hold,
    .arrange_pair = backend_arrange_pair,
    .take_pair = backend_take_pair,
    .meter = backend_meter,
    .count = backend_count,
    .close = backend_close,
};
