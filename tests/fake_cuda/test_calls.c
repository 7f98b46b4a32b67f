/* How calls are opened, captured, timed and closed, with a stand-in of the CUDA runtime. What they do on a
 * device, tests/gpu/call.sh sees. */
#include "unit_test.h"

#include "fake_cuda.h"
#include "worker/cuda/baselines/baselines.h"
#include "worker/cuda/device/cuda_device.h"
#include "worker/cuda/launch/cuda_launch.h"
#include "worker/cuda/measure.h"

/* ---- What of the back end is not tested here ---- */

static struct cuda_session session;
static int late;     /* so many of the next blocks give up */
static int readings; /* of the clock */

void cuda_session_freed(uint64_t bytes) {}
void cuda_session_flush(struct cuda_session *of, double dirty) {}
void cuda_session_launch(struct cuda_session *of, cudaKernel_t kernel, void **arguments, bool whole_device)
{
    if (kernel == of->block_stream) {
        fake.gate = *(volatile uint32_t **)arguments[0];
        fake.ticket = *(uint32_t *)arguments[1];
        if (late > 0)
            **(volatile uint32_t **)arguments[3] = fake.ticket;
        late -= late > 0;
    } else if (kernel == of->read_clocks) {
        uint64_t *out = *(uint64_t **)arguments[0];
        readings++;
        out[0] = out[1] = (uint64_t)(1e9 * fake.now);
    }
}
uint64_t nvml_reasons(struct nvml *nvml)
{
    return 0;
}
bool nvml_has_reasons(const struct nvml *nvml)
{
    return false;
}
/* The device works for 5 ms between two readings. */
double nvml_joules(struct nvml *nvml)
{
    fake.reached += 5e-3;
    return 300 * fake.reached;
}
double nvml_watts(struct nvml *nvml, double *lag)
{
    *lag = 1;
    return 300;
}
double nvml_sm_clock(struct nvml *nvml)
{
    return 1e9;
}
struct nvml_traffic nvml_link_traffic(struct nvml *nvml)
{
    return (struct nvml_traffic){NAN, NAN, NAN, NAN};
}

/* This process, if the list has it, and others. */
static int listed;
static bool lists_us;
int nvml_processes(struct nvml *nvml, unsigned *id)
{
    for (int i = 0; i < listed; i++)
        id[i] = lists_us && !i ? (unsigned)getpid() : 4000000 + (unsigned)i;
    return listed;
}

struct nvml_state nvml_read(struct nvml *nvml)
{
    return (struct nvml_state){0};
}
void cuda_point_place(struct cuda_point *p, uint32_t sets)
{
    p->sets = sets;
}
void cuda_point_share(const struct cuda_point *first, struct cuda_point *second)
{
    second->sets = first->sets;
}
void cuda_session_begin(struct cuda_session *of, cudaStream_t stream) {}
cudaStream_t cuda_session_fork(struct cuda_session *of, int end)
{
    return of->peer.end[end].stream;
}
void cuda_session_back(struct cuda_session *of) {}
void cuda_session_join(struct cuda_session *of, cudaStream_t stream, int end) {}
static int entered; /* the last ends, one after another */
void cuda_session_enter(struct cuda_session *of, int end)
{
    entered = entered % 1000 * 10 + end;
}
const struct family cublas_geam, cublas_gemm, cublas_lt_gemm;

/* ---- A family whose call does as it is told ---- */

static struct {
    const enum fake_node *node; /* queued by a launch */
    int nodes, opened, called, closed;
    bool fails, waits, unjoined, unsupported, unavailable;
    const char *open_fails;
    uint64_t workspace; /* bytes that are asked for */
    void *last_buffer;
} told;

static int open_call(struct call *call)
{
    told.opened++;
    assert_non_null(call->buffer[0]);
    call->workspace_bytes = told.workspace;
    snprintf(call->reason, sizeof call->reason, "%s", told.open_fails ? told.open_fails : "");
    call->unsupported = told.unsupported;
    call->unavailable = told.unavailable;
    call->library_version = 22803;
    return told.open_fails ? -1 : 0;
}

static int call(struct call *call)
{
    told.called++;
    told.last_buffer = call->buffer[0];
    assert_true(!told.workspace == !call->workspace);
    if (told.waits && fake_wait() != cudaSuccess) {
        snprintf(call->reason, sizeof call->reason, "%s", cudaGetErrorString(fake_wait()));
        return -1;
    }
    for (int i = 0; i < told.nodes; i++)
        if (fake_queue(told.node[i]) != cudaSuccess)
            return -1;
    if (told.unjoined)
        fake_leave_unjoined();
    return told.fails ? -1 : 0;
}

static void close_call(struct call *call)
{
    told.closed++;
}

static const struct family family = {.open_call = open_call, .call = call, .close_call = close_call};
static struct timer *timer;
static struct fake_cuda at_start; /* the timer has some of it */
static const enum fake_node three[] = {FAKE_KERNEL, FAKE_COPY, FAKE_CHILD};

static int start(void **state)
{
    memset(&told, 0, sizeof told);
    told.node = three;
    told.nodes = 3;
    fake = (struct fake_cuda){.free_bytes = UINT64_C(1) << 30, .node_seconds = 1e-6};
    static int kernels[2];
    session.block_stream = (cudaKernel_t)&kernels[0];
    session.read_clocks = (cudaKernel_t)&kernels[1];
    session.device.clock_max = 1e9;
    session.device.l2_bytes = 1 << 20;
    at_start = fake;
    return 0;
}

static int start_timer(void **state)
{
    start(state);
    timer = timer_new(&session);
    at_start = fake;
    return 0;
}

static int stop_timer(void **state)
{
    timer_free(timer);
    return 0;
}

static struct cuda_arguments no_arguments;

static struct cuda_point point_of(enum engine engine)
{
    return (struct cuda_point){.session = &session,
                               .family = &family,
                               .setup = {.engine = engine, .buffers = 1, .buffer = {{.count = 256}}},
                               .arena = {(char *)4096},
                               .set_bytes = 4096,
                               .sets = 1,
                               .arguments = &no_arguments};
}

static struct cuda_guard guard;

/* Open and probe. The message of an error, or NULL. */
static const char *prepare(struct cuda_point *p, struct result *result, bool *sticky)
{
    *result = result_new();
    if (cuda_guard_set(&guard) != 0) {
        if (sticky)
            *sticky = guard.sticky;
        return guard.message;
    }
    cuda_call_open(p);
    cuda_call_probe(p, result);
    cuda_guard_end();
    return NULL;
}

/* Everything is given back. */
static void finish(struct cuda_point *p)
{
    cuda_call_close(p);
    cuda_call_close(p);
    assert_int_equal(told.opened, told.closed);
    assert_int_equal(fake.graphs, at_start.graphs);
    assert_int_equal(fake.executables, at_start.executables);
    assert_int_equal(fake.allocations, at_start.allocations);
}

static void assert_part(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("'%s' does not say '%s'", text ? text : "(nothing)", part);
}

/* ---- Opening and capturing ---- */

EACH(start_timer, stop_timer)

TEST(capture)
{
    struct result result;
    struct cuda_point p = point_of(ENGINE_CALL);
    told.workspace = 1000;
    assert_null(prepare(&p, &result, NULL));
    assert_non_null(p.call.graph);
    assert_true(result.real[REAL_library_version] == 22803);
    assert_true(p.launched && p.call.nodes == 4 && p.call.kernels == 3 && p.call.places == 4);
    assert_int_equal(result.status, STATUS_OK);
    assert_string_equal(result.message, "");
    assert_int_equal(told.called, 3);
    finish(&p);
}

/* What keeps a launch from being captured is a remark, and the point goes on. */
static void assert_remark(const char *part)
{
    struct result result;
    struct cuda_point p = point_of(ENGINE_CALL);
    assert_null(prepare(&p, &result, NULL));
    assert_null(p.call.graph);
    assert_int_equal(result.status, STATUS_OK);
    assert_part(result.message, "timed launch by launch, because a call cannot be captured: ");
    assert_part(result.message, part);
    finish(&p);
}

TEST(no_capture)
{
    static const enum fake_node leak[] = {FAKE_ALLOCATION, FAKE_KERNEL},
                                pool[] = {FAKE_ALLOCATION, FAKE_FREE};
    told.waits = true;
    assert_remark("not permitted when stream is capturing");
    start(state);
    told.node = leak;
    told.nodes = 2;
    assert_remark("it allocates memory that it does not free");
    start(state);
    fake.no_graphs = true;
    assert_remark("not supported");
    start(state);
    told.node = pool;
    told.nodes = 2;
    struct result result;
    struct cuda_point p = point_of(ENGINE_CALL);
    assert_null(prepare(&p, &result, NULL));
    assert_non_null(p.call.graph);
    finish(&p);
}

static void assert_failure(const char *part, bool sticky)
{
    bool is = false;
    struct result result;
    struct cuda_point p = point_of(ENGINE_CALL);
    assert_part(prepare(&p, &result, &is), part);
    assert_int_equal(is, sticky);
    enum status expected = told.unsupported ? STATUS_UNSUPPORTED : STATUS_FAILED;
    assert_int_equal(guard.status, told.unavailable ? STATUS_UNAVAILABLE : expected);
    finish(&p);
}

TEST(failures)
{
    told.nodes = 0;
    assert_failure("the call queues nothing on its stream", false);
    start(state);
    told.unjoined = true;
    assert_failure("the call leaves work on another stream", false);
    start(state);
    told.fails = true;
    assert_failure("the call failed and gave no reason", false);
    start(state);
    told.open_fails = "no library";
    assert_failure("no library", false);
    start(state);
    told.open_fails = "no library";
    told.unsupported = true;
    assert_failure("no library", false);
    start(state);
    told.open_fails = "no library";
    told.unavailable = true;
    assert_failure("no library", false);
    start(state);
    told.workspace = UINT64_C(1) << 40;
    assert_failure("its workspace needs 1024 GiB; 1 GiB are free", false);
    start(state);
    told.fails = fake.lost = true;
    told.nodes = 0;
    assert_failure("illegal memory access", true);
}

/* ---- Timing ---- */

static const struct config config; /* what is measured asks it for the clock alone */

struct timing_of {
    struct cuda_point p;
    struct trial trial;
    struct result result;
    struct timer_job job;
};

/* Of launches alone, in a row and in a graph. */
static const struct floors floors = {.events = 1e-6, .single = 2e-6, .graph = 3e-6, .node = 1e-6};

/* Warm up, arrange and take three samples. */
static void measure_opened(struct timing_of *t, enum cache_mode cache)
{
    struct sample sample[3];
    t->trial = (struct trial){.config = &config, .cache = cache, .walk = 2, .result = &t->result};
    cuda_measure_warm_up(timer, &t->p, &t->trial);
    struct trial *trial = &t->trial;
    cuda_measure_arrange(timer, &floors, &t->p, &trial, &t->job, 1);
    double before = fake.now;
    timer_take(timer, &t->job, 3, sample);
    assert_true(fake.now > before);
}

static void measure(struct timing_of *t, enum cache_mode cache)
{
    t->p = point_of(ENGINE_CALL);
    assert_null(prepare(&t->p, &t->result, NULL));
    measure_opened(t, cache);
    assert_int_equal(fake.behind_gate, 0); /* a launch that waits for the device would wait for ever */
}

static void end(struct timing_of *t)
{
    timer_release(&t->job);
    cuda_call_close(&t->p);
    assert_int_equal(fake.graphs, at_start.graphs);
    assert_int_equal(fake.executables, at_start.executables);
}

TEST(graphs)
{
    struct timing_of t = {0};
    static enum fake_node kernels[3];
    fake.node_seconds = 1e-6;
    measure(&t, CACHE_COLD); /* with a copy: 256 places of the queue for 4 nodes each */
    assert_int_equal(t.result.timer, TIMER_GRAPH);
    assert_int_equal(t.trial.launches, 64);
    assert_false(t.job.unblocked);
    assert_int_equal(timer_group_limit(&t.job), 512 / (1 + 256 + 5));
    end(&t);
    told.node = kernels;
    told.nodes = 3;
    measure(&t, CACHE_COLD); /* 3 us: 200 launches for 0.5 % */
    assert_int_equal(t.result.timer, TIMER_GRAPH);
    assert_in_range(t.trial.launches, 200, 201); /* rounding of the events' milliseconds */
    assert_int_equal(timer_group_limit(&t.job), 64);
    assert_int_equal(t.p.sets, t.trial.launches);
    assert_ptr_equal(told.last_buffer,
                     (char *)4096 + (t.p.sets - 1) * UINT64_C(4096)); /* each launch has its set */
    end(&t);
    measure(&t, CACHE_CLEAN);
    assert_int_equal(t.result.timer, TIMER_GRAPH);
    assert_int_equal(t.trial.launches, 1);
    end(&t);
    measure(&t, CACHE_ROTATE);
    assert_int_equal(t.p.sets, 2 * (1 << 20) / 4096 + 2);
    assert_int_equal(t.trial.launches, t.p.sets);
    end(&t);
    fake.node_seconds = 1e-2; /* one launch is enough, and a graph all the same */
    measure(&t, CACHE_HOT);
    assert_int_equal(t.result.timer, TIMER_GRAPH);
    assert_int_equal(t.trial.launches, 1);
    end(&t);
}

/* Calls of many nodes: the graph is no larger, and no launch fills a blocked queue. */
TEST(many_nodes)
{
    static enum fake_node many[4000];
    struct timing_of t = {0};
    told.node = many;
    told.nodes = 4000;
    fake.node_seconds = 1e-9;
    measure(&t, CACHE_HOT);
    assert_int_equal(t.result.timer, TIMER_GRAPH);
    assert_int_equal(t.trial.launches, 2);
    end(&t);
}

TEST(singly)
{
    static const enum cache_mode caches[] = {CACHE_COLD, CACHE_CLEAN, CACHE_HOT, CACHE_ROTATE};
    for (int i = 0; i < 4; i++) {
        struct timing_of t = {0};
        told.waits = true;
        measure(&t, caches[i]);
        assert_int_equal(t.result.timer, TIMER_SINGLE);
        assert_int_equal(t.trial.launches, 1);
        assert_true(t.job.unblocked);
        end(&t);
    }
}

static void assert_sets(enum cache_mode cache, double node_seconds, uint32_t launches)
{
    struct timing_of t = {.p = point_of(ENGINE_CALL)};
    t.p.setup.sets = 7;
    fake.node_seconds = node_seconds;
    assert_null(prepare(&t.p, &t.result, NULL));
    measure_opened(&t, cache);
    assert_int_equal(t.p.sets, cache == CACHE_HOT ? 7 : launches);
    assert_int_equal(t.trial.launches, launches);
    end(&t);
}

/* All sets that the family asks for, and each as often as the others. */
TEST(sets)
{
    static const enum fake_node kernels[3];
    told.node = kernels;
    told.nodes = 3;
    assert_sets(CACHE_HOT, 1e-2, 7);
    assert_sets(CACHE_COLD, 1e-2, 7);
    assert_sets(CACHE_HOT, 1e-6, 203); /* 200 for 0.5 % */
}

/* Five launches before each sample of a row, which is 20 launches and no graph. */
TEST(row)
{
    struct timing_of t = {.p = point_of(ENGINE_CALL)};
    struct sample sample[1];
    t.p.setup.in_a_row = 20;
    assert_null(prepare(&t.p, &t.result, NULL));
    measure_opened(&t, CACHE_HOT);
    assert_int_equal(t.result.timer, TIMER_SINGLE);
    assert_int_equal(t.trial.launches, 20);
    assert_null(t.p.call.graph); /* captured by nothing */
    int before = told.called;
    double now = fake.now;
    timer_take(timer, &t.job, 1, sample);
    assert_int_equal(told.called - before, 25);
    assert_true(fabs(sample[0].seconds / ((fake.now - now) / 25) - 1) < 0.1);
    end(&t);
}

/* Another harness: what is between its events, in front of them, and in front of the host. */
static void assert_harness(enum harness harness, enum cache_mode cache, uint32_t launches, bool graph,
                           uint64_t zeroed, bool blocked, uint32_t together)
{
    static const enum fake_node kernel[1];
    struct timing_of t = {.p = point_of(ENGINE_CALL)};
    struct sample sample[3] = {{0}};
    told.node = kernel;
    told.nodes = 1;
    assert_null(prepare(&t.p, &t.result, NULL));
    t.trial =
        (struct trial){.config = &config, .cache = cache, .harness = harness, .walk = 2, .result = &t.result};
    cuda_measure_warm_up(timer, &t.p, &t.trial);
    struct trial *trial = &t.trial;
    t.p.sets = 5; /* of an earlier point */
    cuda_measure_arrange(timer, &floors, &t.p, &trial, &t.job, 1);
    assert_int_equal(t.trial.group_max < 3 ? 1 : 3, together);
    assert_in_range(t.trial.launches, launches, launches + launches / 100);
    assert_int_equal(t.trial.sets, 1);
    assert_int_equal(t.result.timer, graph ? TIMER_GRAPH : TIMER_SINGLE);
    assert_true(t.result.real[REAL_overhead] == 0);
    fake.zeroed = 0;
    fake.behind_gate = readings = 0;
    double before = fake.now;
    timer_take(timer, &t.job, together, sample);
    double each = (fake.now - before) / fake.node_seconds / together, all = launches * (graph ? 10.0 : 1.0);
    assert_true(zeroed || (each > 0.99 * all && each < 1.02 * all + 1));
    assert_int_equal(fake.zeroed, zeroed * together);
    assert_int_equal(fake.behind_gate, blocked); /* the launch, not the memory set */
    assert_int_equal(readings, 2);
    assert_true(fabs(sample[0].seconds / fake.node_seconds - 1) < 0.01);
    end(&t);
}

TEST(harnesses)
{
    session.flush_bytes = 3 << 20;
    fake.node_seconds = 20e-6;
    assert_harness(HARNESS_EVENT_PAIR, CACHE_HOT, 1, false, 0, false, 3);
    assert_harness(HARNESS_EVENT_PAIR, CACHE_COLD, 1, false, 0, false, 3);
    assert_harness(HARNESS_EVENT_LOOP, CACHE_HOT, 100, false, 0, false, 1);
    assert_harness(HARNESS_DO_BENCH, CACHE_COLD, 1, false, 256 << 20, false, 3);
    assert_harness(HARNESS_DO_BENCH_CUDAGRAPH, CACHE_HOT, 1000, true, 0, false, 1);
    assert_harness(HARNESS_NVBENCH_COLD, CACHE_COLD, 1, false, 1 << 20, true, 1);
    assert_harness(HARNESS_NVBENCH_BATCH, CACHE_HOT, 1000, false, 0, false, 1);
    session.flush_bytes = 0;
}

/* A call beside a kernel: both as graphs; beside one that cannot be captured: neither. */
TEST(pairs)
{
    for (int captured = 0; captured < 2; captured++)
        for (int kernel = 0; kernel < 2; kernel++) {
            struct cuda_point p[2] = {point_of(ENGINE_CALL), point_of(kernel ? ENGINE_KERNEL : ENGINE_CALL)};
            struct timer_job job[2] = {{0}};
            struct result result[2];
            struct trial trial[2];
            struct trial *const both[2] = {&trial[0], &trial[1]};
            fake.node_seconds = 1e-2;
            for (int v = 0; v < 2; v++) {
                told.waits = !v && !captured;
                result[v] = result_new();
                if (p[v].setup.engine == ENGINE_CALL)
                    assert_null(prepare(&p[v], &result[v], NULL));
                trial[v] = (struct trial){
                    .config = &config, .cache = CACHE_HOT, .result = &result[v], .launch_seconds = 1e-2};
            }
            cuda_measure_arrange(timer, &floors, p, both, job, 2);
            for (int v = 0; v < 2; v++) {
                assert_int_equal(result[v].timer, captured ? TIMER_GRAPH : TIMER_SINGLE);
                assert_int_equal(trial[v].launches, 1);
                assert_int_equal(job[v].unblocked, !captured);
                timer_release(&job[v]);
                cuda_call_close(&p[v]);
            }
            assert_int_equal(fake.executables, at_start.executables);
        }
}

/* ---- Calls that are built in ---- */

/* Of two or four buffers of `bytes` bytes: opened, but never tried, unlike a family's own call. */
static void open_baseline(struct timing_of *t, enum engine engine, uint64_t bytes, int buffers)
{
    *t = (struct timing_of){.p = point_of(engine), .result = result_new()};
    t->p.setup.buffers = buffers;
    for (int b = 0; b < buffers; b++) {
        t->p.setup.buffer[b] = (struct buffer){.dtype = DTYPE_U8, .count = bytes};
        t->p.offset[b] = (uint64_t)b << 32;
    }
    t->p.setup.host_copy.chunks = t->p.setup.host_copy.streams = 1;
}

TEST(memcpy)
{
    struct timing_of t;
    for (int large = 0; large < 2; large++) {
        open_baseline(&t, ENGINE_MEMCPY, (UINT64_C(256) << 20) + (uint64_t)large, 2);
        cuda_call_open(&t.p);
        fake.node_seconds = 1e-5;
        measure_opened(&t, CACHE_HOT);
        assert_int_equal(t.result.timer,
                         large ? TIMER_SINGLE : TIMER_GRAPH); /* a graph copies it otherwise */
        assert_in_range(t.trial.launches, large ? 1 : 60, large ? 1 : 61);
        assert_false(t.job.unblocked);
        assert_int_equal(t.job.places, 0);
        assert_ptr_equal(fake.copied_from, t.p.arena[0]);
        end(&t);
    }
}

/* A library's launch that needs no graph is timed in a stream, behind a block. */
TEST(long_baseline)
{
    struct timing_of t;
    open_baseline(&t, ENGINE_MEMCPY, 1000, 2);
    cuda_call_open(&t.p);
    fake.node_seconds = 1e-2;
    measure_opened(&t, CACHE_HOT);
    assert_int_equal(t.result.timer, TIMER_SINGLE);
    assert_true(fake.behind_gate > 0);
    assert_false(t.job.unblocked);
    end(&t);
}

/* NULL, or why a sample failed whose block gives up so many times. */
static const char *take_late(struct timer_job *job, int times)
{
    struct sample sample[1];
    late = times;
    if (cuda_guard_set(&guard) != 0)
        return guard.message;
    timer_take(timer, job, 1, sample);
    cuda_guard_end();
    return NULL;
}

/* A host that is late once queues the group again; twice: a graph goes on without the block, a single launch
 * is a failure. */
TEST(late_host)
{
    for (int single = 0; single < 2; single++) {
        struct timing_of t;
        open_baseline(&t, ENGINE_MEMCPY, 1000, 2);
        cuda_call_open(&t.p);
        fake.node_seconds = single ? 1e-2 : 1e-6;
        measure_opened(&t, CACHE_HOT);
        assert_int_equal(t.result.timer, single ? TIMER_SINGLE : TIMER_GRAPH);
        assert_null(take_late(&t.job, 1));
        assert_false(t.job.unblocked || t.job.late);
        const char *why = take_late(&t.job, 2);
        assert_true(single ? why && strstr(why, "over 2 s") : !why);
        assert_int_equal(t.job.unblocked, !single);
        assert_int_equal(late, 0);
        end(&t);
    }
}

/* Both parts, the second with the next group of buffers. */
TEST(parts)
{
    struct timing_of t;
    open_baseline(&t, ENGINE_PEER_COPY, 1000, 4);
    t.p.setup.parts = t.p.setup.group = 2;
    cuda_call_open(&t.p);
    assert_int_equal(t.p.call.places, 2);
    double before = fake.now;
    cuda_call_launch(&t.p, NULL, 0, 1);
    assert_ptr_equal(fake.copied_from, t.p.arena[0] + t.p.offset[2]);
    cuda_point_launch(&t.p, NULL, 0);
    assert_ptr_equal(fake.copied_from, t.p.arena[0]);
    assert_float_equal(fake.now - before, 3 * fake.node_seconds, 1e-12);
    finish(&t.p);
}

/* Kernels on three devices: a launch takes four places of the queue, and no sample needs more than a blocked
 * stream has. */
TEST(places_of_parts)
{
    struct timing_of t;
    static struct cuda_arguments arguments[3];
    open_baseline(&t, ENGINE_KERNEL, 1000, 6);
    t.p.setup.parts = 3;
    t.p.setup.group = 2;
    t.p.arguments = arguments;
    t.p.launched = true;
    session.peer.open = session.peer.access = true;
    session.peer.count = 3;
    fake.node_seconds = 1e-7;
    measure_opened(&t, CACHE_HOT);
    assert_int_equal(t.result.timer, TIMER_GRAPH);
    assert_int_equal(t.trial.launches, 64);
    assert_int_equal(t.job.places, 4);
    assert_false(t.job.unblocked);
    assert_int_equal(timer_group_limit(&t.job), 1);
    timer_release(&t.job);
    session.peer.access = false; /* what goes through the host is no graph */
    measure_opened(&t, CACHE_HOT);
    assert_int_equal(t.result.timer, TIMER_SINGLE);
    timer_release(&t.job);
    session.peer = (struct cuda_peer){.count = 0};
}

/* The driver's copies of an incast of three parts: each sender's message to its slot, and the idle part
 * queues nothing. */
TEST(copies)
{
    struct timing_of t;
    open_baseline(&t, ENGINE_PEER_COPIES, 1000, 6);
    t.p.setup.parts = 3;
    t.p.setup.group = 2;
    t.p.setup.idle = 1;
    t.p.setup.shape[0] = 500;
    t.p.setup.shape[1] = UINT64_C(0x020400); /* part 1 sends two further on, part 2 one */
    t.p.setup.shape[2] = 6;                  /* part 0 receives from both */
    t.p.copies = cuda_copies_new(&t.p);
    assert_int_equal(cuda_copies_count(&t.p.setup), 2);
    assert_int_equal(fake.streams, 2);
    double before = fake.now;
    cuda_point_launch(&t.p, NULL, 0);
    assert_float_equal(fake.now - before, 2 * fake.node_seconds, 1e-12);
    assert_ptr_equal(fake.copied_from, t.p.arena[0] + t.p.offset[4]);
    cuda_copies_free(t.p.copies);
    assert_int_equal(fake.streams, 0);
    t.p.copies = NULL;
}

TEST(host_copy)
{
    struct timing_of t;
    open_baseline(&t, ENGINE_HOST_COPY, 1000, 2);
    t.p.setup.buffer[0].on_host = true;
    t.p.setup.host_copy = (struct host_copy){.chunks = 300, .streams = 3};
    cuda_call_open(&t.p);
    assert_int_equal(fake.streams, 3);
    fake.node_seconds = 1e-6;
    measure_opened(&t, CACHE_HOT);
    assert_int_equal(t.job.places, 300);
    assert_true(t.job.unblocked); /* 300 copies fill the queue of a blocked stream */
    end(&t);
    assert_int_equal(fake.streams, 0);
    open_baseline(&t, ENGINE_HOST_COPY, 1000, 2);
    cuda_call_open(&t.p);
    assert_int_equal(fake.streams, 0);
    assert_false(t.p.call.waits);
    finish(&t.p);
}

/* The device always has more to do than it does between two readings, and launches are those that have
 * ended. */
static void run_loop(struct timer_job *job, double sample_seconds, uint32_t chunk)
{
    struct cuda_loop loop = {.samples = 0};
    struct meter reading;
    int events = fake.events;
    double begun = fake.now, step = chunk * sample_seconds;
    fake.reached = begun;
    for (int i = 1; i <= 20; i++) {
        cuda_loop_go_on(&loop, job, sample_seconds, &session, &reading);
        assert_int_equal(loop.samples, chunk);
        assert_true(loop.queued - loop.ended <= LOOP_CHUNKS && fake.now > fake.reached);
        double chunks = floor((fake.reached - begun) / step + 1e-6);
        assert_true(fabs(reading.launches - chunks * chunk * job->launches) < 1e-6);
        assert_true(reading.joules == 300 * fake.reached && reading.watts == 300 && reading.lag == 1);
    }
    assert_int_equal(fake.events, events + LOOP_CHUNKS);
    assert_int_equal(cuda_loop_end(&loop, &session), cudaSuccess);
    assert_int_equal(fake.events, events);
    assert_int_equal(cuda_loop_end(&loop, &session), cudaSuccess); /* it is over */
}

TEST(loop)
{
    struct timing_of t;
    measure(&t, CACHE_HOT);
    assert_non_null(t.job.graph);
    double sample = t.job.launches * 3e-6;
    run_loop(&t.job, sample, (uint32_t)ceil(10e-3 / sample));
    end(&t);
    open_baseline(&t, ENGINE_MEMCPY, UINT64_C(1) << 29, 2); /* single launches of 20 ms */
    fake.node_seconds = 20e-3;
    cuda_call_open(&t.p);
    measure_opened(&t, CACHE_HOT);
    assert_null(t.job.graph);
    run_loop(&t.job, 20e-3, 1);
    struct cuda_loop loop = {.samples = 0};
    struct meter reading;
    int events = fake.events;
    fake.lost = true;
    if (cuda_guard_set(&guard) == 0) {
        cuda_loop_go_on(&loop, &t.job, 20e-3, &session, &reading);
        fail_msg("no error");
    }
    assert_non_null(strstr(guard.message, "illegal memory access"));
    assert_int_not_equal(cuda_loop_end(&loop, &session), cudaSuccess);
    assert_int_equal(fake.events, events);
    fake.lost = false;
    end(&t);
}

static void check_sharing(int processes, bool us, const char *expected)
{
    struct cuda_session alone = {.config.one_device = true};
    struct result result = result_new();
    listed = processes;
    lists_us = us;
    cuda_sharing_observe(&alone, &result);
    assert_string_equal(result.shared, expected);
    listed = 5; /* not looked for again at once */
    cuda_sharing_observe(&alone, &result);
    assert_string_equal(result.shared, expected);
    listed = 0;
}

TEST(sharing)
{
    check_sharing(1, true, "no");
    check_sharing(2, true, "1 other process: 4000001");
    check_sharing(4, true, "3 other processes: 4000001 ...");
    check_sharing(2, false,
                  "unknown: NVML does not list this process, as in a container that hides processes");
    check_sharing(0, false,
                  "unknown: NVML does not list this process, as in a container that hides processes");
    check_sharing(-1, false, "unknown: NVML does not list processes");
}
