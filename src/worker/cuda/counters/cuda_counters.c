#include "worker/cuda/counters/cuda_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "family/family.h"
#include "family/python/python.h"
#include "worker/cuda/launch/cuda_launch.h"
#include "worker/phases.h"

/* Points between one start and stop, which take some 25 ms together however many there are, and the kernels
 * that those can launch in a pass. */
enum { POINTS_MAX = 64, KERNELS_MAX = 192 };
enum {
    OWN_KERNELS = 2 /* a flush that CUPTI sees or a warming launch, and its own */,
    VENDOR_KERNELS = 8 /* at most, we take it */,
    CALL_KERNELS = 14 /* beyond those that a call was seen to launch, where it is alone */
};

#define ARENA_ALIGNMENT (UINT64_C(2) << 20)
/* Of memory that points of a round lie in, unless there is more already: making it larger takes 10 ms a GiB,
 * and as long again for what is given up. */
#define TOGETHER_BYTES (UINT64_C(32) << 30)

/* One worker is one process is one device. */
static struct {
    struct cuda_session *session; /* NULL: not begun */
    struct cupti_session *cupti;  /* NULL: nothing is counted, or nothing was yet */
    struct columns columns;
    bool instructions_only;              /* all metrics are counted at the instructions, whatever L2 holds */
    struct cuda_point point[POINTS_MAX]; /* those of the round, side by side in memory */
    double dirty[POINTS_MAX];            /* shares of L2, see struct countable */
    double *values[POINTS_MAX];          /* theirs, NaN before */
    uint32_t *order;                     /* owned: points of the batch that are counted */
    uint32_t together;                   /* points that a round may have, up to POINTS_MAX */
    uint32_t kernels_max;                /* that a pass of the round launches */
    uint32_t kernels[POINTS_MAX];        /* that a launch of each point is */
    uint32_t first[POINTS_MAX], after[POINTS_MAX]; /* those of its counted launch, as numbered in the round */
    stage_report report;
    void *context; /* of `report` */
} counters;

static char note[512]; /* why columns are missing */

static bool is_of_instructions(const struct columns *columns)
{
    for (int m = 0; m < columns->metrics; m++)
        if (!strstr(columns->metric[m], "__sass_"))
            return false;
    return true;
}

/* Half a second, the first time: not before there is something to count. */
static void open_profiler(void)
{
    struct cupti_chip *chip = NULL;
    struct error error;
    if (cupti_chip_of_device(&chip, &error) == 0) {
        columns_plan(&counters.columns, &counters.session->config, chip, note, sizeof note);
        cupti_chip_close(chip);
        counters.instructions_only = is_of_instructions(&counters.columns);
        if (!counters.columns.metrics || cupti_session_open(counters.columns.metric, counters.columns.metrics,
                                                            KERNELS_MAX, &counters.cupti, &error) == 0)
            return;
    }
    snprintf(note, sizeof note, "no hardware counters: %.480s", error.text);
}

void cuda_counters_close(void)
{
    for (int i = 0; i < POINTS_MAX; i++) /* a CUDA error leaves the round with its points in place */
        cuda_point_release(&counters.point[i]);
    cupti_session_close(counters.cupti);
    free(counters.order);
    memset(&counters, 0, sizeof counters);
}

/* Code and arguments of a point, but no memory yet. */
static struct cuda_point load_point(struct cuda_session *session, const struct point *point)
{
    struct target target = target_of_device(&session->device);
    struct result unused = result_new();
    struct cuda_point p = {.session = session,
                           .point = point,
                           .family = family_of(point),
                           .setup = point_setup(point, &target),
                           .seed = trial_seed(&session->config, point)};
    cuda_code_load(&p, &unused);
    return p;
}

/* Vendors' kernels are numbered with ours. */
static void launch_once(uint32_t i)
{
    struct cuda_point *p = &counters.point[i];
    cuda_point_launch(p, p->session->stream, 0);
    if (p->setup.engine != ENGINE_KERNEL)
        p->session->launches += counters.kernels[i];
}

/* The state of L2 that the point was timed in: warm, or full of others' lines, dirty to a share. */
static void prepare_cache(uint32_t i)
{
    struct cuda_session *session = counters.session;
    if (counters.instructions_only)
        return;
    if (isnan(counters.dirty[i]))
        launch_once(i);
    else if (!cuda_session_flush_unseen(session, counters.dirty[i]))
        cuda_session_flush(session, counters.dirty[i]);
    CUDA(cudaStreamSynchronize(session->stream));
}

/* Copies by the driver are no kernels: CUPTI's ranges do not see them. Two kernels at once would be run one
 * after the other. Of several devices the one that launches is counted. */
static bool is_counted(const struct setup *setup)
{
    return setup->engine != ENGINE_MEMCPY && setup->engine != ENGINE_HOST_COPY &&
           setup->engine != ENGINE_PEER_COPY && setup->engine != ENGINE_PEER_COPIES &&
           !setup_has_parts(setup);
}

static bool is_remote(const struct point *point)
{
    return family_devices(point).count > 1;
}

/* How many kernels a launch is: 1, or what a call makes of it. The point has its memory. */
static uint32_t count_kernels(struct cuda_point *p)
{
    if (p->setup.engine == ENGINE_KERNEL)
        return 1;
    cuda_call_probe(p, NULL);
    return p->call.kernels;
}

static bool is_call(const struct cuda_point *p)
{
    return p->setup.engine == ENGINE_CALL;
}

/* Those that CUPTI may see of a call: its own, twice, and a flush. */
static uint32_t kernels_of_call(const struct cuda_point *p)
{
    return 2 * p->call.kernels + OWN_KERNELS;
}

/* The kernels of a family's own call are known if it was captured; a round must have room for those of its
 * preparation, too. */
static bool is_countable(const struct cuda_point *p)
{
    return !is_call(p) || (p->call.graph && p->call.kernels && kernels_of_call(p) <= KERNELS_MAX);
}

static int count_pass(uint32_t count, bool *last, struct error *error)
{
    struct cuda_session *session = counters.session;
    uint64_t begin = session->launches;
    const bool alone = count == 1;
    phases_enter(PHASE_count_set);
    if (alone) /* to let go what L2 keeps, the driver launches a kernel, which CUPTI would see */
        cuda_code_apply(counters.point);
    if (cupti_pass_begin(counters.cupti, error) != 0)
        return -1;
    phases_enter(PHASE_count_launch);
    for (uint32_t i = 0; i < count; i++) {
        if (!alone)
            cuda_code_apply(&counters.point[i]);
        prepare_cache(i);
        counters.first[i] = (uint32_t)(session->launches - begin);
        launch_once(i);
        CUDA(cudaStreamSynchronize(session->stream));
        counters.after[i] = (uint32_t)(session->launches - begin);
    }
    phases_enter(PHASE_count_decode);
    return cupti_pass_end(counters.cupti, last, error);
}

/* The metrics of kernels [first, after): one kernel's as they are; of several, the sums, and nothing for the
 * rest. */
static int read_kernels(uint32_t first, uint32_t after, double *raw, struct error *error)
{
    const char *const *metric = counters.columns.metric;
    const int count = counters.columns.metrics;
    double one[COLUMNS_METRICS_MAX];
    for (int m = 0; m < count; m++)
        raw[m] = NAN;
    for (uint32_t kernel = first; kernel < after; kernel++) {
        if (cupti_round_read(counters.cupti, (int)kernel, one, error) != 0)
            return -1;
        for (int m = 0; m < count; m++) {
            const char *rollup = strchr(metric[m], '.');
            bool sums = rollup && !strcmp(rollup, ".sum");
            if (kernel == first)
                raw[m] = one[m];
            else
                raw[m] = sums ? raw[m] + one[m] : NAN;
        }
    }
    return 0;
}

static int read_point(uint32_t i, double *values, struct error *error)
{
    double raw[COLUMNS_METRICS_MAX];
    if (read_kernels(counters.first[i], counters.after[i], raw, error) != 0)
        return -1;
    columns_fill(&counters.columns, raw, values);
    return 0;
}

/* Whose kernels are whose is known by their number alone. Where a vendor's library launched others than it
 * let see, a point that is alone in its round has all that came after its preparation; several are counted
 * again, fewer at once. */
static int read_round(uint32_t count, bool *again, struct error *error)
{
    uint32_t expected = counters.after[count - 1];
    int ranges = 0;
    if (cupti_round_ranges(counters.cupti, &ranges, error) != 0)
        return -1;
    *again = (uint32_t)ranges != expected && count > 1;
    if (*again)
        return 0;
    if ((uint32_t)ranges != expected && counters.point[0].setup.engine == ENGINE_KERNEL)
        return error_set(error, ERROR_ENVIRONMENT, "CUPTI saw %d kernels where %u were launched", ranges,
                         expected);
    bool warmed = isnan(counters.dirty[0]) && !counters.instructions_only;
    if ((uint32_t)ranges != expected && warmed)
        counters.first[0] = (uint32_t)ranges / 2; /* the launch that warmed L2 was as many kernels */
    counters.after[count - 1] = (uint32_t)ranges;
    for (uint32_t i = 0; i < count; i++)
        if (read_point(i, counters.values[i], error) != 0)
            return -1;
    return 0;
}

static int count_round(uint32_t count, bool *again, struct error *error)
{
    bool last = false;
    phases_enter(PHASE_count_set);
    if (cupti_round_begin(counters.cupti, (int)counters.kernels_max, error) != 0)
        return -1;
    while (!last) {
        counters.report(counters.context, "count");
        if (count_pass(count, &last, error) != 0)
            return -1;
    }
    return read_round(count, again, error);
}

/* A point of the round before `i` in whose buffers this one can lie; -1: none. */
static int find_room(uint32_t i)
{
    int first = (int)i - 1;
    while (first >= 0 && !cuda_point_fits(&counters.point[first], &counters.point[i]))
        first--;
    return first;
}

static uint64_t room_together(const struct cuda_session *session)
{
    uint64_t room = cuda_session_room(session),
             cheap = session->arena_bytes > TOGETHER_BYTES ? session->arena_bytes : TOGETHER_BYTES;
    return cheap < room ? cheap : room;
}

/* Is there memory on the host, of which a round has room for one point's? */
static bool lies_on_host(const struct setup *setup)
{
    bool on_host = false;
    for (int b = 0; b < setup->buffers; b++)
        on_host |= setup->buffer[b].on_host;
    return on_host;
}

/* How many kernels CUPTI may see of a point in a pass. Those of a call are not known before it is open. */
static uint32_t most_kernels(const struct cuda_point *p, double dirty)
{
    switch (p->setup.engine) {
    case ENGINE_KERNEL:
        if (counters.session->peer.remote)
            return OWN_KERNELS;
        return counters.instructions_only || dirty >= 1 ? 1 : OWN_KERNELS;
    case ENGINE_CALL:
        return OWN_KERNELS;
    default:
        return VENDOR_KERNELS;
    }
}

/* Whether a point may be in a round with the one before: calls are with calls, of families whose points may
 * be open at once. */
static bool goes_with(const struct cuda_point *p, const struct cuda_point *before)
{
    if (counters.session->peer.remote || is_remote(p->point) || is_call(p) != is_call(before))
        return false;
    return !is_call(p) || (p->family == before->family && python_may_share(p->family));
}

/* Where the points of a round lie. */
struct places {
    char *arena;
    uint64_t at[POINTS_MAX]; /* behind `arena` */
    int onto[POINTS_MAX];    /* the point in whose buffers it lies; -1: in its own */
};

static void open_point(uint32_t i, const struct places *places)
{
    struct cuda_point *p = &counters.point[i];
    if (p->session->peer.remote) /* has memory at both ends, and is alone */
        cuda_point_place(p, 1);
    else
        cuda_point_place_at(p, places->arena + places->at[i], places->onto[i] >= 0);
    cuda_call_open(p);
    /* The first launch on zeroed buffers may do more than the later ones: `latency` builds its ring. It is
     * over before. Another point of the same code may have been loaded since, which has less shared memory.
     */
    if (setup_has_role(&p->setup, BUFFER_ZEROED)) {
        cuda_code_apply(p);
        cuda_point_launch(p, p->session->stream, 0);
    }
    counters.kernels[i] = count_kernels(p);
}

/* Open points, calls as long as there is room for their kernels and they leave most of the memory that was
 * left before; returns how many. The others are released. */
static uint32_t open_points(uint32_t placed, const struct places *places)
{
    const bool calls = is_call(counters.point);
    const uint64_t before = calls ? cuda_memory_free() : 0;
    uint32_t kernels = 0, opened = 0;
    for (bool room = true; opened < placed && room;) {
        struct cuda_point *p = &counters.point[opened];
        open_point(opened, places);
        uint32_t more = calls ? kernels_of_call(p) : 0;
        bool fits = is_countable(p) && kernels + more <= KERNELS_MAX;
        if (opened && calls && !fits)
            break;
        kernels += more;
        opened++;
        room = !calls || (fits && cuda_memory_free() >= before - before / 4);
    }
    for (uint32_t i = opened; i < placed; i++)
        cuda_point_release(&counters.point[i]);
    if (calls) {
        kernels += opened == 1 ? CALL_KERNELS : 0;
        counters.kernels_max = kernels < KERNELS_MAX ? kernels : KERNELS_MAX;
    }
    return opened;
}

/* Place points of a round side by side, or in each other's buffers, as many as go and fit, so that their
 * inputs are filled once and not in every pass; returns how many. order[] are indices into `points`. */
static uint32_t place_round(const struct countable *points, const uint32_t *order, uint32_t count)
{
    struct cuda_session *session = counters.session;
    uint64_t bytes = 0, room = room_together(session);
    uint32_t placed = 0, kernels = 0;
    struct places places;
    uint64_t *at = places.at;
    int *onto = places.onto;
    bool full = false;
    while (placed < count && placed < counters.together && !full) {
        struct cuda_point *p = &counters.point[placed];
        *p = load_point(session, &points[order[placed]].point);
        uint64_t need = (cuda_point_need(p) + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
        uint32_t with = kernels + most_kernels(p, points[order[placed]].l2_dirty);
        onto[placed] = find_room(placed);
        need = onto[placed] < 0 ? need : 0;
        if (placed && (!goes_with(p, p - 1) || with > KERNELS_MAX || bytes + need > room)) {
            cuda_point_release(p);
            break;
        }
        kernels = with;
        counters.dirty[placed] = points[order[placed]].l2_dirty;
        at[placed] = onto[placed] < 0 ? bytes : at[onto[placed]];
        placed++;
        bytes += need;
        full = lies_on_host(&p->setup);
    }
    counters.kernels_max = kernels;
    places.arena = cuda_session_arena(session, bytes);
    placed = open_points(placed, &places);
    CUDA(cudaStreamSynchronize(session->stream));
    return placed;
}

/* ---- What a call runs ---- */

/* As it is timed: a graph where it can be captured, so that the gaps between its kernels are those of a
 * graph. */
static void launch_call(void *context)
{
    struct cuda_point *p = context;
    if (p->call.graph)
        CUDA(cudaGraphLaunch(p->call.graph, p->session->stream));
    else
        cuda_point_launch(p, p->session->stream, 0);
    CUDA(cudaStreamSynchronize(p->session->stream));
}

/* A graph's first launch also sends it to the device. */
static void prepare_call(void *context)
{
    const double dirty = counters.dirty[(struct cuda_point *)context - counters.point];
    launch_call(context);
    if (!isnan(dirty))
        cuda_session_flush(counters.session, dirty);
    CUDA(cudaStreamSynchronize(counters.session->stream));
}

/* The kernels of one launch of each call that is placed, in the state of L2 that it was timed in. Other
 * points have one kernel, which is known. The profiler is disabled meanwhile: enabling it costs 0.3 s. */
static int record_activities(uint32_t count, const uint32_t *order, struct counted *counted,
                             struct error *error)
{
    struct activity none = {0};
    phases_enter(PHASE_count_launch);
    for (uint32_t i = 0; i < count; i++) {
        struct error why = {.text = "CUPTI recorded nothing"};
        counters.report(counters.context, "activity");
        struct activity *activity = trace_launch(prepare_call, launch_call, &counters.point[i], &why);
        activity_summarise(activity ? activity : &none, why.text, &counted[order[i]].activity);
    }
    return counters.cupti ? cupti_session_enable(counters.cupti, error) : 0;
}

/* ---- A batch ---- */

/* Indices of the points that are counted, or that are calls: those of one device first, so that the others
 * are opened once, and of these kernels before calls. A call goes behind the last one of its family, since
 * only neighbours share a round. */
static uint32_t choose_points(const struct countable *points, uint32_t count, bool calls_only,
                              uint32_t *order)
{
    struct target target = target_of_device(&counters.session->device);
    uint32_t chosen = 0;
    for (int group = 0; group < 4; group++) {
        const uint32_t first = chosen;
        const bool remote = group >= 2, call = group % 2;
        for (uint32_t i = 0; i < count; i++) {
            const struct point *point = &points[i].point;
            struct setup setup = point_setup(point, &target);
            uint32_t at = chosen;
            if (!is_counted(&setup) || is_remote(point) != remote || (setup.engine == ENGINE_CALL) != call ||
                (calls_only && !call))
                continue;
            while (call && at > first && family_of(&points[order[at - 1]].point) != family_of(point))
                at--;
            at = at > first ? at : chosen;
            memmove(order + at + 1, order + at, (chosen - at) * sizeof *order);
            order[at] = i;
            chosen++;
        }
    }
    return chosen;
}

/* Open the other devices of a point, or close those of the last one. A point that was timed with them finds
 * them again. */
static void open_ends(const struct point *point)
{
    struct devices devices = family_devices(point);
    struct error error;
    if (cuda_peer_open(counters.session, &devices, 1, &error) != 0)
        cuda_fail("%s", error.text);
    if (devices.count > 1 && !counters.session->peer.access)
        cuda_fail("its devices have no peer access");
}

/* The next round: 0, with how many points it took, and their values where `order` has them. */
static int take_round(const struct countable *points, const uint32_t *order, uint32_t count, uint32_t *taken,
                      struct counted *counted, struct error *error)
{
    struct target target = target_of_device(&counters.session->device);
    bool again = false, calls = point_setup(&points[order[0]].point, &target).engine == ENGINE_CALL;
    open_ends(&points[order[0]].point);
    if (calls && counters.cupti) /* while it is enabled, all that a call loads is instrumented */
        cupti_session_disable(counters.cupti);
    uint32_t placed = place_round(points, order, count);
    for (uint32_t i = 0; i < placed; i++)
        counters.values[i] = counted[order[i]].counter;
    phases_point(placed == 1 ? &points[order[0]].point : NULL);
    bool countable = counters.cupti && is_countable(&counters.point[0]); /* one that is not is alone */
    int failed = calls ? record_activities(placed, order, counted, error) : 0;
    if (countable && !failed)
        failed = count_round(placed, &again, error);
    if (counters.cupti && !countable)
        snprintf(note, sizeof note,
                 "no counters of calls that cannot be captured, or that launch no kernel or over %d",
                 KERNELS_MAX / 2 - 1);
    phases_enter(PHASE_count_open);
    phases_point(NULL);
    for (uint32_t i = 0; i < placed; i++)
        cuda_point_release(&counters.point[i]);
    /* A round in which CUPTI saw other kernels than were launched is counted again in halves, down to the
     * point at fault. What follows that is counted together again. */
    if (again)
        counters.together = placed / 2;
    else
        counters.together = counters.together < POINTS_MAX / 2 ? 2 * counters.together : POINTS_MAX;
    *taken = again ? 0 : placed;
    return failed;
}

/* The profiler is enabled for a batch alone: while it is, launches may wait for the device, and what is timed
 * meanwhile is not what runs without it. */
const char *cuda_counters_take(struct cuda_session *session, const struct countable *points, uint32_t count,
                               struct counted *counted, stage_report report, void *context)
{
    struct error error;
    if (!counters.session)
        note[0] = '\0';
    counters.session = session;
    counters.report = report;
    counters.context = context;
    counters.together = POINTS_MAX;
    counters.order = memory_resize(counters.order, count, sizeof *counters.order);
    uint32_t chosen = choose_points(points, count, false, counters.order);
    if (!chosen)
        return note;
    if (!counters.cupti)
        open_profiler();
    if (!counters.cupti) /* calls are recorded nevertheless */
        chosen = choose_points(points, count, true, counters.order);
    int failed = counters.cupti ? cupti_session_enable(counters.cupti, &error) : 0;
    bool began = !failed;
    for (uint32_t first = 0, taken; first < chosen && !failed; first += taken)
        failed = take_round(points, counters.order + first, chosen - first, &taken, counted, &error);
    if (failed)
        snprintf(note, sizeof note, "hardware counters ended: %.480s", error.text);
    for (uint32_t i = 0; i < chosen && failed && began; i++)
        counted[counters.order[i]].state = COUNTERS_FAILED;
    if (counters.cupti)
        cupti_session_disable(counters.cupti);
    if (failed || !counters.cupti)
        cuda_counters_close();
    return note;
}
