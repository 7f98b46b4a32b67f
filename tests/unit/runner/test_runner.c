/* A runner between a coordinator and a worker that are both this test: what it makes of a worker that dies,
 * hangs, cannot be understood or cannot be started, and of what the coordinator asks meanwhile. */
#include "unit_test.h"

#include "base/clock.h"
#include "base/memory.h"
#include "kernels/registry.h"
#include "mailbox_memory.h"
#include "protocol/timeline.h"
#include "runner/runner.h"

enum { COORDINATOR, RUNNER, RANKS };

/* A worker that says what the test has it say, in the place of runner/worker_link.c. */
struct worker_link {
    bool up;
    int starts, refusals; /* starts so far; starts that are still to fail */
    int prepared;         /* times that a spare was asked for */
    double busy;          /* s of processor time */
    bool works;           /* it has more of it whenever it is asked */
    enum wire_type asked; /* the last request */
    struct saying {
        enum link_event event;
        enum wire_type type;
        struct wire payload;
        char why[64];
    } say[96];
    int said, to_say;
    char visible[DEVICE_TEXT_SIZE]; /* the device that it was started for */
};

int worker_link_start(struct worker_link *puppet, const char *backend, int local_rank, const char *device,
                      struct error *error)
{
    puppet->starts++;
    snprintf(puppet->visible, sizeof puppet->visible, "%s", device);
    if (puppet->refusals && puppet->refusals--)
        return error_set(error, ERROR_ENVIRONMENT, "cannot execute the %s puppet", backend);
    puppet->up = true;
    return 0;
}

static struct worker_link *compiler; /* the runner's process that compiles */

struct worker_link *worker_link_new(void)
{
    return compiler = memory_new(1, sizeof *compiler);
}

int worker_link_start_compiler(struct worker_link *puppet, const char *backend, struct error *error)
{
    return worker_link_start(puppet, backend, 0, "", error);
}

void worker_link_prepare(struct worker_link *puppet, int count, const char *backend, int local_rank,
                         const char *device)
{
    puppet->prepared++;
}

bool worker_link_is_up(const struct worker_link *puppet)
{
    return puppet->up;
}

void worker_link_send(struct worker_link *puppet, enum wire_type type, const struct wire *payload)
{
    if (!puppet->up)
        return;
    puppet->asked = type;
}

enum link_event worker_link_next(struct worker_link *puppet, enum wire_type *type,
                                 struct wire_reader *payload, char *why, size_t size)
{
    if (!puppet->up || puppet->said == puppet->to_say)
        return LINK_QUIET;
    struct saying *saying = &puppet->say[puppet->said++];
    *type = saying->type;
    *payload = wire_read(saying->payload.data, saying->payload.length);
    snprintf(why, size, "%s", saying->why);
    if (saying->event == LINK_GONE)
        puppet->up = false;
    return saying->event;
}

int worker_link_descriptor(const struct worker_link *puppet)
{
    return -1;
}

double worker_link_busy(const struct worker_link *link)
{
    struct worker_link *puppet = (struct worker_link *)link;
    return puppet->works ? puppet->busy += 1e-3 : puppet->busy;
}

void worker_link_kill(struct worker_link *puppet)
{
    puppet->up = false;
}

void worker_link_dismiss(struct worker_link *puppet)
{
    puppet->up = false;
}

bool worker_link_is_leaving(const struct worker_link *puppet)
{
    return false;
}

bool worker_link_is_free(struct worker_link *puppet)
{
    return true;
}

void worker_link_free(struct worker_link *puppet)
{
    for (int i = 0; i < puppet->to_say; i++)
        wire_free(&puppet->say[i].payload);
    free(puppet);
}

struct stage {
    struct post *post;
    struct mailbox *mailbox[RANKS];
    struct worker_link *puppet;
    struct runner *runner;
    enum wire_type message; /* the last that the runner sent */
    struct wire_reader payload;
    struct wire out;
    struct config config;
};

/* What a puppet says next. */
static struct wire *say_as(struct worker_link *puppet, enum wire_type type)
{
    assert_true(puppet->to_say < 96);
    struct saying *saying = &puppet->say[puppet->to_say++];
    *saying = (struct saying){.event = LINK_MESSAGE, .type = type};
    return &saying->payload;
}

static struct wire *say(struct stage *stage, enum wire_type type)
{
    return say_as(stage->puppet, type);
}

static void say_greeting(struct stage *stage)
{
    struct greeting greeting = {.build = registry_build(), .device = device_unknown()};
    greeting_put(say(stage, WIRE_HELLO), &greeting);
}

static void do_event(struct stage *stage, enum link_event event, const char *why)
{
    say(stage, WIRE_HELLO);
    struct saying *saying = &stage->puppet->say[stage->puppet->to_say - 1];
    saying->event = event;
    snprintf(saying->why, sizeof saying->why, "%s", why);
}

/* Let the runner work until it has sent a message to the coordinator, at most `seconds`. */
static bool hear(struct stage *stage, double seconds)
{
    int rank;
    double end = clock_now() + seconds;
    do {
        runner_step(stage->runner);
        if (mailbox_receive(stage->mailbox[COORDINATOR], &rank, &stage->message, &stage->payload) &&
            stage->message != WIRE_HOME && stage->message != WIRE_HEARTBEAT && stage->message != WIRE_LANE)
            return true;
        usleep(500);
    } while (clock_now() < end);
    return false;
}

static void expect(struct stage *stage, enum wire_type message)
{
    assert_true(hear(stage, 20));
    assert_int_equal(stage->message, message);
}

static void expect_nothing(struct stage *stage)
{
    assert_false(hear(stage, 0.01));
}

static void tell(struct stage *stage, enum wire_type message)
{
    struct wire_reader payload = wire_read(stage->out.data, stage->out.length);
    runner_receive(stage->runner, message, &payload);
    wire_reset(&stage->out);
}

static void expect_hello(struct stage *stage)
{
    struct greeting greeting;
    expect(stage, WIRE_HELLO);
    assert_true(greeting_get(&stage->payload, &greeting));
}

/* FATAL or LOST. */
static void expect_failure(struct stage *stage, enum wire_type message, const char *why)
{
    char text[1024];
    expect(stage, message);
    wire_get_text(&stage->payload, text, sizeof text);
    assert_false(stage->payload.bad);
    assert_non_null(strstr(text, why));
}

static struct stage *on_stage; /* closed before the next one, and behind each test */

static int stage_close(void **state)
{
    struct stage *stage = on_stage;
    if (!stage)
        return 0;
    runner_free(stage->runner);
    for (int i = 0; i < RANKS; i++)
        mailbox_close(stage->mailbox[i]);
    post_close(stage->post);
    wire_free(&stage->out);
    free(stage);
    on_stage = NULL;
    return 0;
}

EACH(NULL, stage_close)

static struct stage *stage_open_with(int refusals, double started, double silence)
{
    stage_close(NULL);
    struct stage *stage = on_stage = memory_new(1, sizeof *stage);
    stage->post = post_open(RANKS);
    for (int i = 0; i < RANKS; i++)
        stage->mailbox[i] = mailbox_memory_open(stage->post, i);
    stage->puppet = memory_new(1, sizeof *stage->puppet);
    stage->puppet->refusals = refusals;
    stage->puppet->up = started > 0;
    stage->config = config_standard();
    stage->config.timing.timeout = 0.1;
    stage->runner = runner_new(&(struct runner_options){.backend = "test",
                                                        .home = {.host = "host of the test"},
                                                        .started = started,
                                                        .silence = silence,
                                                        .worker = stage->puppet},
                               stage->mailbox[RUNNER]);
    return stage;
}

static struct stage *stage_open_after(int refusals, double started)
{
    return stage_open_with(refusals, started, 0);
}

static struct stage *stage_open(int refusals)
{
    return stage_open_after(refusals, 0);
}

static void configure(struct stage *stage, int counters, bool one_device)
{
    stage->config.counter_count = counters;
    stage->config.one_device = one_device;
    wire_put_fields(&stage->out, wire_config, &stage->config);
    tell(stage, WIRE_CONFIG);
    assert_int_equal(stage->puppet->asked, WIRE_CONFIG);
}

/* A runner whose worker has a device, and which knows how to measure. */
static struct stage *stage_ready_with(int counters, double silence)
{
    struct stage *stage = stage_open_with(0, 0, silence);
    say_greeting(stage);
    expect_hello(stage);
    configure(stage, counters, false);
    return stage;
}

static struct stage *stage_ready(int counters)
{
    return stage_ready_with(counters, 0);
}

static void measure_in(struct stage *stage, uint32_t count, bool fresh, bool replicate)
{
    struct point point = point_standard(family_space("copy"));
    wire_put_u32(&stage->out, count);
    wire_put_u32(&stage->out, fresh);
    for (uint32_t i = 0; i < count; i++) {
        wire_put_todo(&stage->out, &(struct todo){.what = replicate ? WIRE_TO_REPLICATE : WIRE_TO_MEASURE,
                                                  .id = 100 + i,
                                                  .dirty = NAN,
                                                  .point = point});
    }
    tell(stage, WIRE_MEASURE);
}

static void measure(struct stage *stage, uint32_t count)
{
    measure_in(stage, count, false, false);
}

static void say_result(struct stage *stage, uint64_t id)
{
    struct result result = result_new();
    result.id = id;
    wire_put_result(say(stage, WIRE_RESULT), &result);
}

static void say_stage(struct stage *stage, uint32_t index)
{
    struct wire *wire = say(stage, WIRE_STAGE);
    wire_put_u32(wire, index);
    wire_put_text(wire, "measure");
}

/* The runner reports `count` results and is idle; they are left in `results`. */
static void expect_results(struct stage *stage, uint32_t count, struct result *results)
{
    uint32_t size, got = 0;
    enum wire_type type;
    struct wire_reader reader;
    for (bool idle = false; !idle;) {
        expect(stage, WIRE_RESULTS);
        idle = wire_get_u32(&stage->payload);
        uint32_t process = wire_get_u32(&stage->payload);
        const void *bytes = wire_get_bytes(&stage->payload, &size);
        struct wire_stream frames = wire_stream_of(bytes, size);
        while (wire_stream_next(&frames, &type, &reader) > 0) {
            assert_int_equal(type, WIRE_RESULT);
            assert_true(wire_get_result(&reader, &results[got]));
            results[got++].process = process;
        }
    }
    assert_int_equal(got, count);
}

/* The worker has measured the one point of the batch. */
static struct result answer_one(struct stage *stage)
{
    struct result result;
    say_result(stage, 100);
    expect_results(stage, 1, &result);
    return result;
}

/* ---- Replicates ---- */

/* A batch may want a fresh process, which the results name. */
TEST(a_fresh_process)
{
    struct result result;
    struct stage *stage = stage_ready(0);
    int starts = stage->puppet->starts;
    measure(stage, 1);
    result = answer_one(stage);
    assert_int_equal(result.process, 1);
    measure_in(stage, 1, true, true);
    say_greeting(stage);
    result = answer_one(stage);
    assert_int_equal(stage->puppet->starts, starts + 1);
    assert_int_equal(result.process, 2);
    measure_in(stage, 1, false, true);
    result = answer_one(stage);
    assert_int_equal(stage->puppet->starts, starts + 1);
    assert_int_equal(result.process, 2);
}

/* The processes of the later rounds are prepared while the earlier ones measure; of the last, none. */
TEST(the_next_process_is_prepared)
{
    struct stage *stage = stage_ready(0);
    int prepared = stage->puppet->prepared;
    uint32_t processes = stage->config.timing.replicates;
    assert_int_equal(processes, 3);
    for (uint32_t round = 0; round < processes; round++) {
        measure_in(stage, 1, round > 0, round > 0);
        if (round)
            say_greeting(stage);
        answer_one(stage);
        assert_int_equal(stage->puppet->prepared - prepared, round + 1 < processes ? round + 1 : 2);
    }
}

/* ---- Starting ---- */

TEST(no_device)
{
    struct stage *stage = stage_open(0);
    wire_put_text(say(stage, WIRE_FATAL), "no driver here");
    expect_failure(stage, WIRE_FATAL, "no driver here");
    /* Another back end is tried at the coordinator's word. */
    wire_put_text(&stage->out, "other");
    tell(stage, WIRE_START);
    say_greeting(stage);
    expect_hello(stage);
    assert_int_equal(stage->puppet->starts, 2);
}

/* Seconds of `phase` in the PHASES that the runner sends next. */
static double hear_phases(struct stage *stage, enum phase phase)
{
    struct phase_sum sum;
    double seconds = 0;
    int rank;
    for (double end = clock_now() + 20; clock_now() < end; usleep(500)) {
        runner_step(stage->runner);
        if (!mailbox_receive(stage->mailbox[COORDINATOR], &rank, &stage->message, &stage->payload) ||
            stage->message != WIRE_LANE)
            continue;
        wire_get_u32(&stage->payload);
        wire_get_real(&stage->payload);
        for (uint32_t i = wire_get_u32(&stage->payload); i > 0 && timeline_get(&stage->payload, &sum); i--)
            seconds += sum.phase == phase ? sum.seconds : 0;
        return seconds;
    }
    fail_msg("no phases");
    return 0;
}

/* A worker that is older than its runner is used; what it did before that is dropped. */
TEST(was_started_before)
{
    double now = clock_now();
    struct timeline timeline = {0};
    struct stage *stage = stage_open_after(0, now - 2);
    usleep(60000);
    timeline_enter(&timeline, PHASE_context, now - 1.5);
    timeline_enter(&timeline, PHASE_messages, now + 0.05);
    timeline_put(&timeline, say(stage, WIRE_PHASES));
    double context = hear_phases(stage, PHASE_context);
    say_greeting(stage);
    expect_hello(stage);
    assert_true(context > 0.02 && context < 1); /* since the runner's start, not 1.55 */
    assert_int_equal(stage->puppet->starts, 0);
    timeline_free(&timeline);
}

TEST(cannot_be_started)
{
    struct stage *stage = stage_open(1);
    expect_failure(stage, WIRE_LOST, "cannot execute the test puppet");
}

TEST(another_build)
{
    struct stage *stage = stage_open(0);
    struct greeting greeting = {.build = registry_build(), .device = device_unknown()};
    greeting.build.layout++;
    greeting_put(say(stage, WIRE_HELLO), &greeting);
    expect_failure(stage, WIRE_LOST, "another build");
    expect_nothing(stage);
    assert_int_equal(stage->puppet->starts, 1);
}

/* A release that did not greet sent its device at once. */
TEST(a_build_that_does_not_greet)
{
    struct stage *stage = stage_open(0);
    struct device device = device_unknown();
    wire_put_fields(say(stage, WIRE_HELLO), wire_device, &device);
    expect_failure(stage, WIRE_LOST, "does not report its build");
}

TEST(no_worker_at_all)
{
    struct stage *stage = stage_open(0);
    do_event(stage, LINK_UNREADABLE, "");
    expect_failure(stage, WIRE_LOST, "cannot be read");
    stage = stage_open(0);
    for (int i = 0; i < 3; i++)
        do_event(stage, LINK_GONE, "the worker exited with status 1");
    expect_failure(stage, WIRE_LOST, "the worker exited with status 1");
    assert_int_equal(stage->puppet->starts, 3);
}

/* A worker that is stopped while it opens its device is replaced; one that is slow over it is waited for. */
TEST(silent_start)
{
    enum { SILENCE_MS = 200 };
    struct stage *stage = stage_open_with(0, 0, SILENCE_MS * 1e-3);
    stage->puppet->works = true;
    assert_false(hear(stage, 5 * SILENCE_MS * 1e-3));
    assert_int_equal(stage->puppet->starts, 1);
    stage->puppet->works = false;
    double before = clock_now();
    while (stage->puppet->starts == 1)
        assert_false(hear(stage, 0.01));
    assert_in_range((clock_now() - before) * 1e3, SILENCE_MS, 10000);
    say_greeting(stage);
    expect_hello(stage);
    assert_int_equal(stage->puppet->starts, 2);
}

/* The same while it measures its device's peaks. */
TEST(silent_peaks)
{
    struct stage *stage = stage_ready_with(0, 0.2);
    wire_put_u32(&stage->out, 0);
    tell(stage, WIRE_CHARACTERISE);
    assert_int_equal(stage->puppet->asked, WIRE_CHARACTERISE);
    while (stage->puppet->starts == 1)
        assert_false(hear(stage, 0.01));
    say_greeting(stage);
    expect(stage, WIRE_FATAL);
}

/* ---- Measuring ---- */

TEST(measures_a_batch)
{
    struct result results[3];
    struct stage *stage = stage_ready(0);
    measure(stage, 3);
    assert_int_equal(stage->puppet->asked, WIRE_MEASURE);
    for (uint32_t i = 0; i < 3; i++) {
        say_stage(stage, i);
        say_result(stage, 100 + i);
    }
    expect_results(stage, 3, results);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(results[i].id, 100 + i);
        assert_int_equal(results[i].status, STATUS_OK);
    }
}

/* The point that it was at is settled with `message`; the rest goes back, and a new worker measures what
 * comes then. */
static void check_replacement(struct stage *stage, enum status status, const char *message)
{
    struct result results[3];
    expect_results(stage, 2, results);
    assert_int_equal(results[0].status, STATUS_OK);
    assert_int_equal(results[1].status, status);
    assert_string_equal(results[1].message, message);
    assert_int_equal(results[1].id, 101);
    say_greeting(stage);
    measure(stage, 1);
    say_result(stage, 100);
    expect_results(stage, 1, results);
    assert_int_equal(results[0].status, STATUS_OK);
    assert_int_equal(stage->puppet->starts, 2);
    assert_int_equal(stage->puppet->asked, WIRE_MEASURE);
}

static struct stage *stage_at_second_point(void)
{
    struct stage *stage = stage_ready(0);
    measure(stage, 3);
    say_result(stage, 100);
    say_stage(stage, 1);
    return stage;
}

TEST(worker_dies)
{
    struct stage *stage = stage_at_second_point();
    do_event(stage, LINK_GONE, "the worker was killed by signal 11");
    check_replacement(stage, STATUS_CRASHED, "the worker was killed by signal 11 in stage 'measure'");
}

TEST(worker_cannot_be_understood)
{
    struct stage *stage = stage_at_second_point();
    do_event(stage, LINK_UNREADABLE, "");
    check_replacement(stage, STATUS_CRASHED,
                      "the worker sent a message that cannot be read in stage 'measure'");
    stage = stage_at_second_point();
    say_result(stage, 102); /* of a point that it was not at */
    check_replacement(stage, STATUS_CRASHED,
                      "the worker sent an unexpected message: RESULT: of point "
                      "0000000000000066, not 0000000000000065 in stage 'measure'");
    stage = stage_at_second_point();
    struct sample sample = {.seconds = -1e-6, .sm_clock = NAN};
    struct result impossible = result_new();
    impossible.id = 101;
    impossible.samples = &sample;
    impossible.sample_count = 1;
    wire_put_result(say(stage, WIRE_RESULT), &impossible);
    check_replacement(stage, STATUS_CRASHED,
                      "the worker sent an unexpected message: RESULT: seconds cannot be -1e-06 in stage "
                      "'measure'");
    stage = stage_at_second_point();
    wire_put_u32(say(stage, WIRE_NOTE), 9);
    check_replacement(stage, STATUS_CRASHED,
                      "the worker sent an unexpected message: NOTE: too short in stage 'measure'");
    stage = stage_at_second_point();
    say(stage, WIRE_COMPILED);
    check_replacement(stage, STATUS_CRASHED,
                      "the worker sent an unexpected message: COMPILED: out of turn in stage 'measure'");
}

TEST(worker_hangs)
{
    struct stage *stage = stage_at_second_point();
    check_replacement(stage, STATUS_TIMED_OUT, "no result within 0.1 s in stage 'measure'");
}

/* The rank hears a part of what a flood brings in a step, and takes one note of a worker. */
TEST(flood)
{
    struct stage *stage = stage_ready(0);
    int before = stage->puppet->said;
    measure(stage, 1);
    for (int i = 0; i < 90; i++)
        say_stage(stage, 0);
    runner_step(stage->runner);
    assert_in_range(stage->puppet->said - before, 1, 89);
    stage = stage_ready(0);
    for (int i = 0; i < 3; i++)
        wire_put_text(say(stage, WIRE_NOTE), "a note");
    expect(stage, WIRE_NOTE);
    expect_nothing(stage);
    assert_false(stage->puppet->up); /* it is killed */
}

TEST(worker_cannot_be_replaced)
{
    struct stage *stage = stage_at_second_point();
    do_event(stage, LINK_GONE, "the worker was killed by signal 9");
    stage->puppet->refusals = 100;
    expect(stage, WIRE_RESULTS);
    assert_int_equal(wire_get_u32(&stage->payload), 1);
    assert_int_equal(wire_get_u32(&stage->payload), 1);
    expect(stage, WIRE_LOST);
}

/* Of a family that this node does not have. */
TEST(unknown_points)
{
    struct stage *stage = stage_ready(0);
    wire_put_u32(&stage->out, 1);
    wire_put_u32(&stage->out, false);
    wire_put_u32(&stage->out, WIRE_TO_MEASURE);
    tell(stage, WIRE_MEASURE);
    expect_failure(stage, WIRE_LOST, "the same on all nodes");
    assert_false(stage->puppet->up);
}

/* ---- Counting ---- */

static void say_counted(struct stage *stage, uint32_t index, double value)
{
    struct counted counted = {.index = index, .state = COUNTERS_COUNTED, .counter = {value}};
    wire_put_fields(say(stage, WIRE_COUNTED), wire_counted, &counted);
}

/* Take counters from a message: `counted` gets them by index, each once. True when the runner is idle. */
static bool take_counted(struct stage *stage, struct counted *counted, uint32_t *got)
{
    bool idle = wire_get_u32(&stage->payload);
    wire_get_u32(&stage->payload); /* the process */
    uint32_t size;
    const void *bytes = wire_get_bytes(&stage->payload, &size);
    struct wire_stream frames = wire_stream_of(bytes, size);
    struct wire_reader reader;
    enum wire_type type;
    struct counted one;
    struct result result;
    while (wire_stream_next(&frames, &type, &reader) > 0) {
        if (type == WIRE_RESULT) {
            assert_true(wire_get_result(&reader, &result));
            result_free(&result);
            continue;
        }
        assert_true(wire_get_fields(&reader, wire_counted, &one));
        assert_int_equal(counted[one.index].state, COUNTERS_NONE);
        counted[one.index] = one;
        ++*got;
    }
    return idle;
}

/* Counters come up, and the runner is idle. */
/* Returns whether a worker died of it. */
static bool expect_counted(struct stage *stage, uint32_t count, struct counted *counted)
{
    uint32_t got = 0;
    bool died = false;
    memset(counted, 0, count * sizeof *counted);
    do {
        assert_true(hear(stage, 20));
        died |= stage->message == WIRE_DIED;
    } while (stage->message != WIRE_RESULTS || !take_counted(stage, counted, &got));
    assert_int_equal(got, count);
    return died;
}

/* Later processes see their own device only, but not if a point uses several, or after one that did not
 * start. */
TEST(a_process_sees_its_device)
{
    for (int one = 0; one < 2; one++) {
        struct stage *stage = stage_open_with(0, 0, 0);
        struct greeting greeting = {.build = registry_build(), .device = device_unknown()};
        greeting.traits.owns_device = true;
        snprintf(greeting.device.uuid, sizeof greeting.device.uuid, "GPU-7");
        greeting_put(say(stage, WIRE_HELLO), &greeting);
        expect_hello(stage);
        assert_string_equal(stage->puppet->visible, "");
        configure(stage, 0, one);
        for (uint32_t round = 1; round < 3; round++) {
            measure_in(stage, 1, true, true);
            greeting_put(say(stage, WIRE_HELLO), &greeting);
            answer_one(stage);
            assert_string_equal(stage->puppet->visible, one ? "GPU-7" : "");
        }
        measure_in(stage, 1, true, true);
        do_event(stage, LINK_GONE, "the worker exited with status 3");
        greeting_put(say(stage, WIRE_HELLO), &greeting);
        answer_one(stage);
        assert_string_equal(stage->puppet->visible, "");
    }
}

static void count(struct stage *stage, uint32_t points)
{
    struct point point = point_standard(family_space("copy"));
    for (int i = 0; i < 2; i++) /* no fresh process */
        wire_put_u32(&stage->out, i == 0 ? points : 0);
    for (uint32_t i = 0; i < points; i++) {
        wire_put_todo(&stage->out,
                      &(struct todo){.what = WIRE_TO_COUNT, .id = 100 + i, .dirty = 0.5, .point = point});
    }
    tell(stage, WIRE_MEASURE);
}

/* A runner with a batch of points that are timed already. */
static struct stage *stage_counting(uint32_t points)
{
    struct stage *stage = stage_ready(1);
    count(stage, points);
    return stage;
}

/* Points are timed, or counted, not both in a batch. */
TEST(times_or_counts)
{
    struct counted counted[2];
    struct result results[2];
    struct stage *stage = stage_ready(1);
    measure(stage, 2);
    say_result(stage, 100);
    say_result(stage, 101);
    expect_results(stage, 2, results);

    stage = stage_counting(2);
    expect_nothing(stage);
    say_counted(stage, 0, 7);
    say_counted(stage, 1, 8);
    expect_counted(stage, 2, counted);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(counted[i].state, COUNTERS_COUNTED);
        assert_true(counted[i].counter[0] == 7 + i);
    }
}

/* Nobody knows which of several points has killed the worker: they go back. Of one it is known. */
TEST(dies_or_hangs_while_counting)
{
    struct counted counted[3];
    for (int hangs = 0; hangs < 2; hangs++) {
        const char *why = hangs ? "no result within 0.1 s" : "exited with status 8";
        struct stage *stage = stage_counting(3);
        say_counted(stage, 0, 7);
        if (!hangs)
            do_event(stage, LINK_GONE, "the worker exited with status 8");
        assert_true(expect_counted(stage, 1, counted)); /* the others return */
        assert_int_equal(counted[0].state, COUNTERS_COUNTED);
        stage = stage_counting(2);
        say_counted(stage, 0, 7);
        while (stage->puppet->said < stage->puppet->to_say)
            runner_step(stage->runner);
        if (!hangs)
            do_event(stage, LINK_GONE, "the worker exited with status 8");
        assert_false(expect_counted(stage, 2, counted));
        assert_true(counted[1].state == COUNTERS_FAILED);
        assert_non_null(strstr(counted[1].why, why));
    }
}

/* A worker that says that it counts, and nothing else, times out: it has as long as all points together. */
TEST(counts_for_ever)
{
    struct stage *stage = stage_counting(2);
    double began = clock_now();
    bool back = false;
    for (int i = 0; i < 90 && !back; i++) {
        say_stage(stage, 2);
        back = hear(stage, 0.02) && stage->message == WIRE_RESULTS;
    }
    assert_true(back && !stage->puppet->up);
    assert_true(clock_now() - began > 0.25 && clock_now() - began < 1.5); /* 3 times 0.1 s */
}

/* If every point seems to be at fault, it is not the points: then not all of them are tried one by one. */
TEST(counting_always_dies)
{
    struct counted counted[12];
    struct stage *stage = NULL;
    for (int deaths = 0; deaths < 5; deaths++) {
        uint32_t points = deaths < 4 ? 1 : 12;
        if (stage) {
            say_greeting(stage);
            count(stage, points);
        } else {
            stage = stage_counting(points);
        }
        do_event(stage, LINK_GONE, "the worker exited with status 8");
        expect_counted(stage, points, counted);
        for (uint32_t i = 0; i < points; i++)
            assert_true(counted[i].state == COUNTERS_FAILED);
    }
}

TEST(recall)
{
    struct result results[3];
    struct stage *stage = stage_ready(0);
    measure(stage, 3);
    say_result(stage, 100);
    while (stage->puppet->said < stage->puppet->to_say)
        runner_step(stage->runner);
    tell(stage, WIRE_RECALL);
    expect_results(stage, 1, results);
    assert_int_equal(results[0].id, 100);
    say_greeting(stage);
    measure(stage, 1);
    say_result(stage, 100);
    expect_results(stage, 1, results);
    tell(stage, WIRE_RECALL); /* of nothing */
    expect_nothing(stage);
}

/* ---- The end ---- */

/* The current point may end in the grace; what has not begun is dropped; what does not end is not recorded.
 */
TEST(stop)
{
    struct result results[3];
    struct stage *stage = stage_ready(0);
    measure(stage, 3);
    wire_put_real(&stage->out, 20);
    tell(stage, WIRE_STOP);
    say_result(stage, 100);
    expect_results(stage, 1, results);

    stage = stage_ready(0);
    measure(stage, 3);
    wire_put_real(&stage->out, 0.01);
    tell(stage, WIRE_STOP);
    expect_results(stage, 0, results);
    assert_false(stage->puppet->up);
}

/* ---- Preparing ---- */

/* Three kernels to compile. */
static void order_compiling(struct stage *stage)
{
    struct point point = point_standard(family_space("copy"));
    wire_put_u32(&stage->out, 3);
    for (int i = 0; i < 3; i++)
        wire_put_point(&stage->out, &point);
    tell(stage, WIRE_COMPILE);
    assert_true(compiler->up);
    assert_int_equal(compiler->asked, WIRE_COMPILE);
    assert_int_not_equal(stage->puppet->asked, WIRE_COMPILE);
}

static void say_compiled(uint32_t index, const char *log)
{
    struct wire *out = say_as(compiler, WIRE_COMPILED);
    wire_put_u32(out, index);
    wire_put_u32(out, *log == '\0');
    wire_put_text(out, log);
}

static void expect_compiled(struct stage *stage, uint32_t index, const char *log)
{
    char text[1024];
    expect(stage, WIRE_COMPILED);
    assert_int_equal(wire_get_u32(&stage->payload), index);
    assert_int_equal(wire_get_u32(&stage->payload), *log == '\0');
    wire_get_text(&stage->payload, text, sizeof text);
    assert_string_equal(text, log);
}

/* Kernels finish in any order. */
TEST(compiles)
{
    struct stage *stage = stage_ready(0);
    order_compiling(stage);
    say_compiled(2, "the third is bad");
    expect_compiled(stage, 2, "the third is bad");
    say_compiled(0, "the first is bad");
    expect_compiled(stage, 0, "the first is bad");
    expect_nothing(stage);
    say_compiled(1, "");
    expect_compiled(stage, 1, "");
}

/* Points are measured while kernels are compiled, and whatever becomes of one process is nothing to the
 * other. */
TEST(measures_while_it_compiles)
{
    struct result result;
    struct stage *stage = stage_ready(0);
    order_compiling(stage);
    measure(stage, 1);
    assert_int_equal(stage->puppet->asked, WIRE_MEASURE);
    say_compiled(0, "");
    expect_compiled(stage, 0, "");
    result = answer_one(stage);
    say_compiled(1, "");
    expect_compiled(stage, 1, "");
    measure(stage, 1);
    do_event(stage, LINK_GONE, "the worker exited with status 1");
    expect_results(stage, 1, &result);
    assert_int_equal(result.status, STATUS_CRASHED);
    assert_true(compiler->up);
    say_compiled(2, "");
    expect_compiled(stage, 2, "");
    expect_nothing(stage);
    assert_false(compiler->up);
}

static void expect_no_rest(struct stage *stage, const char *why)
{
    expect_compiled(stage, WIRE_COMPILED_REST, why);
    assert_false(compiler->up);
}

TEST(death_of_the_compiler)
{
    struct stage *stage = stage_ready(0);
    order_compiling(stage);
    say_compiled(1, "");
    expect_compiled(stage, 1, "");
    int starts = stage->puppet->starts;
    say_as(compiler, WIRE_COMPILED);
    compiler->say[1].event = LINK_GONE;
    snprintf(compiler->say[1].why, sizeof compiler->say[1].why, "it exited with status 1");
    expect_no_rest(stage, "it exited with status 1");
    stage = stage_ready(0);
    compiler->refusals = 1;
    wire_put_u32(&stage->out, 0);
    tell(stage, WIRE_COMPILE);
    expect_no_rest(stage, "cannot execute the test puppet");
    stage = stage_ready(0);
    order_compiling(stage);
    say_as(compiler, WIRE_RESULT);
    expect_no_rest(stage, "the process that compiles sent an unexpected message");
    assert_int_equal(stage->puppet->starts, starts);
}

/* Each kernel that is done gives the next one its time, twice the time limit of a point: 0.2 s here, however
 * many there are. */
TEST(hangs_while_compiling)
{
    struct stage *stage = stage_ready(0);
    order_compiling(stage);
    for (uint32_t i = 0; i < 2; i++) {
        assert_false(hear(stage, 0.06));
        say_compiled(i, "");
        expect_compiled(stage, i, "");
    }
    double start = clock_now();
    expect_no_rest(stage, "no kernel is ready for too long");
    assert_true(clock_now() - start >= 0.19);
}

/* A second worker measures the same peaks, but no third one. */
TEST(death_while_preparing_is_answered)
{
    struct device device = device_unknown();
    struct stage *stage = stage_ready(0);
    wire_put_u32(&stage->out, PEAKS_OWN);
    tell(stage, WIRE_CHARACTERISE);
    do_event(stage, LINK_GONE, "the worker exited with status 1");
    stage->puppet->asked = WIRE_QUIT;
    say_greeting(stage);
    expect_nothing(stage);
    assert_int_equal(stage->puppet->asked, WIRE_CHARACTERISE);
    wire_put_fields(say(stage, WIRE_DEVICE), wire_device, &device);
    expect(stage, WIRE_DEVICE);
    tell(stage, WIRE_CHARACTERISE);
    do_event(stage, LINK_GONE, "the worker exited with status 1");
    say_greeting(stage);
    do_event(stage, LINK_GONE, "the worker exited with status 1");
    expect_failure(stage, WIRE_FATAL, "the worker exited with status 1");
}

TEST(end)
{
    struct stage *stage = stage_ready(0);
    assert_false(runner_is_over(stage->runner));
    tell(stage, WIRE_END);
    assert_true(runner_is_over(stage->runner));
}
