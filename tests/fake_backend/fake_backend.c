/* backend_fake - a back end without a device, to test and benchmark everything around the measurement. It
 * generates times from the point's id, and fails on request.
 *
 * WARPSWEEP_FAKE has rules separated by ';', each ACTION[=ARGUMENT][:AXIS=VALUE,...]. A rule applies to
 * points with all its values; without values to all points. Besides axes it may name `kernel`, `rank` (on its
 * node), `after` (minimum number of points that this process has timed successfully), `canary` (1:
 * repetitions only) and `replicate` (1: further processes only).
 *   sleep=DURATION   take that long             crash     die of SIGSEGV
 *   fail             report a failure           exit      exit with status 7
 *   hang             never answer               garbage   write rubbish to the runner, then hang
 *   break            fail after the first samples
 *   lack             report that the device does not support it
 *   uncount          die while counting the point
 *   stick            hang while counting the point
 *   miscount         report that counting the point failed
 *   unmetered        have no energy counter
 *   still            let the energy counter stand still
 *   mislead=FACTOR   multiply the power samples, but not the energy counter
 *   disprove         say that L2 was not in the state that it should be in
 *   absurd=NUMBER    report this number, which may be impossible, for power, counters, activity and energy
 *   unrecord         fail to record the kernels of a call
 *   tally=DURATION   take that long to count each point
 *   slow=FACTOR      multiply the times: 1.03 is 3 % slower; with version=NAME those of one version
 *   second=FACTOR    multiply the times of samples that come second in a couple of two versions
 *   heat=SHARE       lower the clock under load: by half of that share at once, by all of it when the device
 *                    is hot, which it is to some degree when a process begins
 *   noise=SHARE      relative standard deviation of the samples; half of it for processes
 *   product=N        be a device of product N (`rank` only)
 *   open=DURATION    take that long to open the device (`rank` only)
 *   refuse           fail to open the device (`rank` only)
 *   visible          have the devices of CUDA_VISIBLE_DEVICES only, which Slurm sets (`rank` only)
 * For example: sleep=10ms;crash:stride=137;hang:vector=8,dtype=u8
 *
 * WARPSWEEP_FAKE_TRACE names a file that gets a line for each timed point: seconds since 1970, id. */
#include "worker/backend.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "family/versions.h"
#include "worker/machine.h"
#include "worker/phases.h"

enum action {
    ACTION_SLEEP,
    ACTION_CRASH,
    ACTION_HANG,
    ACTION_GARBAGE,
    ACTION_EXIT,
    ACTION_FAIL,
    ACTION_UNCOUNT,
    ACTION_STICK,
    ACTION_MISCOUNT,
    ACTION_UNRECORD,
    ACTION_DISPROVE,
    ACTION_TALLY,
    ACTION_OPEN,
    ACTION_REFUSE,
    ACTION_SLOW,
    ACTION_NOISE,
    ACTION_PRODUCT,
    ACTION_SECOND,
    ACTION_UNMETERED,
    ACTION_STILL,
    ACTION_MISLEAD,
    ACTION_LACK,
    ACTION_VISIBLE,
    ACTION_BREAK,
    ACTION_ABSURD,
    ACTION_HEAT
};
static const char *const action_words[] = {
    "sleep",     "crash",    "hang",    "garbage", "exit",    "fail",  "uncount", "stick",   "miscount",
    "unrecord",  "disprove", "tally",   "open",    "refuse",  "slow",  "noise",   "product", "second",
    "unmetered", "still",    "mislead", "lack",    "visible", "break", "absurd",  "heat",    NULL};

#define CLOCK_MAX 2e9  /* Hz, of a device that warms up */
#define WARMS_IN  0.3  /* s of load: the time constant */
#define COOLS_IN  0.03 /* s without load */
#define PAUSE     0.09 /* s from which on the device cools */

#define RULES_MAX   16
#define MATCHES_MAX 8

struct rule {
    enum action action;
    double number;                              /* sleep: seconds; slow: factor; noise: share */
    char match[MATCHES_MAX][2][AXIS_TEXT_SIZE]; /* name, value */
    int matches;
};

/* A back end is one per process: this is what it knows between calls. */
static struct {
    struct rule rule[RULES_MAX];
    int rules, local_rank;
    int visible; /* devices; -1: any number */
    int timed;   /* points, well */
    bool canary, replicate;
    struct config config;
    double heat, last; /* 0 to 1; when the last sample was taken, by clock_now */
} fake;

static int parse_matches(struct rule *rule, char *text, struct error *error)
{
    char *rest = NULL;
    for (char *pair = strtok_r(text, ",", &rest); pair; pair = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(pair, '=');
        if (!value || rule->matches == MATCHES_MAX)
            return error_set(error, ERROR_ENVIRONMENT, "WARPSWEEP_FAKE: '%.80s' is no AXIS=VALUE", pair);
        *value++ = '\0';
        snprintf(rule->match[rule->matches][0], AXIS_TEXT_SIZE, "%s", pair);
        snprintf(rule->match[rule->matches][1], AXIS_TEXT_SIZE, "%s", value);
        rule->matches++;
    }
    return 0;
}

static bool parse_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end;
}

static int parse_rule(struct rule *rule, char *text, struct error *error)
{
    *rule = (struct rule){0};
    char *colon = strchr(text, ':');
    if (colon)
        *colon = '\0';
    char *argument = strchr(text, '=');
    if (argument)
        *argument++ = '\0';
    int action = text_find(action_words, text);
    rule->action = (enum action)action;
    if (action < 0)
        return error_set(error, ERROR_ENVIRONMENT, "WARPSWEEP_FAKE: unknown action '%.80s'", text);
    bool duration = action == ACTION_SLEEP || action == ACTION_TALLY || action == ACTION_OPEN,
         number = action == ACTION_SLOW || action == ACTION_NOISE || action == ACTION_PRODUCT ||
                  action == ACTION_SECOND || action == ACTION_MISLEAD || action == ACTION_ABSURD ||
                  action == ACTION_HEAT;
    const char *needs = NULL;
    if (duration && !(argument && text_parse_seconds(argument, &rule->number)))
        needs = "a duration";
    else if (number && !(argument && parse_number(argument, &rule->number)))
        needs = "a number";
    else if (!duration && !number && argument)
        needs = "no argument";
    if (needs)
        return error_set(error, ERROR_ENVIRONMENT, "WARPSWEEP_FAKE: '%.80s' needs %s", text, needs);
    return colon ? parse_matches(rule, colon + 1, error) : 0;
}

static int parse_rules(const char *text, struct error *error)
{
    char *copy = memory_text(text), *rest = NULL;
    int failed = 0;
    fake.rules = 0;
    for (char *part = strtok_r(copy, ";", &rest); part && !failed; part = strtok_r(NULL, ";", &rest)) {
        if (fake.rules == RULES_MAX)
            failed = error_set(error, ERROR_ENVIRONMENT, "WARPSWEEP_FAKE: more than %d rules", RULES_MAX);
        else
            failed = parse_rule(&fake.rule[fake.rules++], part, error);
    }
    free(copy);
    return failed;
}

static bool matches_point(const struct point *point, const char *name, const char *wanted)
{
    int64_t value;
    int axis = space_axis(point->space, name);
    if (!strcmp(name, "kernel"))
        return !strcmp(wanted, point->space->kernel);
    return axis >= 0 && axis_parse(&point->space->axes[axis], wanted, &value, NULL) == 0 &&
           value == point->value[axis];
}

/* `point` is NULL while there is none: only rules about the rank apply then. */
static bool applies(const struct rule *rule, const struct point *point)
{
    for (int i = 0; i < rule->matches; i++) {
        const char *name = rule->match[i][0], *wanted = rule->match[i][1];
        if (!strcmp(name, "after")) {
            if (fake.timed < atoi(wanted))
                return false;
        } else if (!strcmp(name, "canary") || !strcmp(name, "replicate")) {
            if ((*name == 'c' ? fake.canary : fake.replicate) != (atoi(wanted) != 0))
                return false;
        } else if (!strcmp(name, "rank") ? atoi(wanted) != fake.local_rank
                                         : !point || !matches_point(point, name, wanted))
            return false;
    }
    return true;
}

/* What a worker does whose memory was overwritten: it sends anything. The fake knows no descriptor, so every
 * pipe gets some. */
static void write_garbage(void)
{
    static const unsigned char rubbish[] = "\xff\xff\xff\xffrubbish, and no message at all";
    for (int fd = 3; fd < 64; fd++) {
        struct stat status;
        if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) && write(fd, rubbish, sizeof rubbish) < 0)
            continue; /* the reading end of the other pipe */
    }
}

static void misbehave(const struct rule *rule, struct result *result)
{
    switch (rule->action) {
    case ACTION_SLEEP:
        clock_sleep(rule->number);
        break;
    case ACTION_CRASH:
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
        break;
    case ACTION_GARBAGE:
        write_garbage();
        /* fall through */
    case ACTION_HANG:
        for (;;)
            pause();
    case ACTION_EXIT:
        _exit(7);
    case ACTION_FAIL:
        result_fail(result, STATUS_FAILED, "failed on request");
        break;
    case ACTION_LACK:
        result_fail(result, STATUS_UNSUPPORTED, "unsupported on request");
        break;
    case ACTION_UNCOUNT: /* fake_count's affair */
    case ACTION_STICK:
    case ACTION_MISCOUNT:
    case ACTION_UNRECORD:
    case ACTION_DISPROVE:
    case ACTION_TALLY:
    case ACTION_OPEN: /* fake_open's */
    case ACTION_REFUSE:
    case ACTION_VISIBLE:
    case ACTION_SLOW: /* of the times that are made up */
    case ACTION_PRODUCT:
    case ACTION_NOISE:
    case ACTION_SECOND:
    case ACTION_UNMETERED: /* fake_meter's */
    case ACTION_STILL:
    case ACTION_MISLEAD:
    case ACTION_BREAK: /* later samples' */
    case ACTION_ABSURD:
    case ACTION_HEAT: /* the clock's */
        break;
    }
}

/* The state of a board that does not exist, so that every column of it is written and read where there is no
 * GPU. */
static void make_state_up(struct device *device)
{
    snprintf(device->vbios, sizeof device->vbios, "00.00.00.00.00");
    snprintf(device->board_part, sizeof device->board_part, "000-00000-0000-000");
    snprintf(device->ecc, sizeof device->ecc, "on");
    snprintf(device->mig, sizeof device->mig, "off");
    snprintf(device->fabric, sizeof device->fabric, "not_supported");
    device->bar1_bytes = INT64_C(1) << 28;
    device->nvlinks = 0;
    device->power_limit = 600;
    device->power_limit_default = 700;
    device->clock_applied = 1.0e9;
    device->memory_clock_applied = 2.0e9;
    machine_describe("", device);
}

static bool has_rule(enum action action)
{
    for (int i = 0; i < fake.rules; i++)
        if (fake.rule[i].action == action && applies(&fake.rule[i], NULL))
            return true;
    return false;
}

/* Which of the visible devices the rank takes, as the cuda back end does; `*number`: its number on the
 * node. */
static int choose_device(int *number, struct device *device, struct error *error)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    fake.visible = -1;
    *number = fake.local_rank;
    device->ordinal = fake.local_rank;
    if (!has_rule(ACTION_VISIBLE) || !list)
        return 0;
    fake.visible = 0;
    for (char *end; *list; list = *end ? end + 1 : end) {
        int one = (int)strtol(list, &end, 10);
        if (fake.visible++ == fake.local_rank || fake.visible == 1)
            *number = one;
    }
    if (fake.visible == 1)
        device->ordinal = 0;
    else if (fake.local_rank >= fake.visible)
        return error_set(error, ERROR_ENVIRONMENT, "local rank %d has no device: %d are visible",
                         fake.local_rank, fake.visible);
    return 0;
}

static int fake_open(int local_rank, struct device *device, struct error *error)
{
    const char *text = getenv("WARPSWEEP_FAKE");
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core); /* it crashes on purpose */
    fake.local_rank = local_rank;
    fake.config = config_standard();
    if (text && parse_rules(text, error) != 0)
        return -1;
    int number;
    if (choose_device(&number, device, error) != 0)
        return -1;
    if (has_rule(ACTION_REFUSE))
        return error_set(error, ERROR_ENVIRONMENT, "no device, on request");
    for (int i = 0; i < fake.rules; i++)
        if (fake.rule[i].action == ACTION_OPEN && applies(&fake.rule[i], NULL))
            clock_sleep(fake.rule[i].number);
    snprintf(device->name, sizeof device->name, "fake (no measurement)");
    for (int i = 0; i < fake.rules; i++)
        if (fake.rule[i].action == ACTION_PRODUCT && applies(&fake.rule[i], NULL))
            snprintf(device->name, sizeof device->name, "fake %g (no measurement)", fake.rule[i].number);
    snprintf(device->backend, sizeof device->backend, "fake");
    gethostname(device->host, sizeof device->host - 1);
    snprintf(device->uuid, sizeof device->uuid, "fake-%.60s-%d", device->host, number);
    make_state_up(device);
    for (int i = 0; i < fake.rules; i++)
        if (fake.rule[i].action == ACTION_HEAT)
            device->clock_max = CLOCK_MAX;
    fake.heat = (double)(hash_u64(HASH_START, (uint64_t)getpid()) % 1000) / 1000;
    fake.last = clock_now();
    return 0;
}

static void fake_configure(const struct config *config)
{
    fake.config = *config;
}

/* A standard normal deviate (Box & Muller 1958) of this process's own. */
static double normal(void)
{
    static uint64_t state;
    if (!state)
        state = hash_mix((uint64_t)getpid() ^ (uint64_t)(clock_now() * 1e9));
    double u = ((double)(hash_mix(state++) >> 11) + 0.5) * 0x1p-53;
    double v = ((double)(hash_mix(state++) >> 11) + 0.5) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* What the rules make of a time: slower, and scattered. */
static double distort(const struct trial *trial, double seconds)
{
    const struct point *point = trial->point;
    static double process; /* this process's deviation, in standard deviations */
    if (process == 0)
        process = normal();
    for (int i = 0; i < fake.rules; i++) {
        const struct rule *rule = &fake.rule[i];
        if (rule->action == ACTION_SLOW && applies(rule, point))
            seconds *= rule->number;
        if (rule->action == ACTION_SECOND && trial->comes_second && applies(rule, point))
            seconds *= rule->number;
        if (rule->action == ACTION_NOISE && applies(rule, point))
            seconds *= exp(rule->number * (normal() + 0.5 * process));
    }
    return seconds;
}

/* The device warms up with the load of the sample; its clock falls, and the sample takes longer. */
static struct sample warmed(const struct trial *trial, double seconds)
{
    double now = clock_now(), share = NAN;
    for (int i = 0; i < fake.rules; i++)
        if (fake.rule[i].action == ACTION_HEAT && applies(&fake.rule[i], trial->point))
            share = fake.rule[i].number;
    if (isnan(share))
        return sample_of(seconds);
    if (now - fake.last > PAUSE) /* shorter ones are the host's */
        fake.heat *= exp((fake.last - now) / COOLS_IN);
    fake.heat = 1 - (1 - fake.heat) * exp(-seconds / WARMS_IN);
    fake.last = now;
    double clock = 1 - share * (1 + fake.heat) / 2;
    struct sample sample = sample_of(seconds / clock);
    sample.sm_clock = clock * CLOCK_MAX;
    sample.throttle_mask = clock < 0.98 ? 4 : 0;
    sample.power = trial->powered ? 700 : NAN;
    return sample;
}

/* One write, so that the lines of several workers do not mix. */
static void trace(uint64_t id)
{
    const char *path = getenv("WARPSWEEP_FAKE_TRACE");
    struct timespec now;
    char line[64];
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    int length = snprintf(line, sizeof line, "%lld.%06ld %016" PRIx64 "\n", (long long)now.tv_sec,
                          now.tv_nsec / 1000, id);
    if (write(fd, line, (size_t)length) != length)
        perror(path);
    close(fd);
}

/* Two versions of a point take the same time. */
static uint64_t id_of_first_version(const struct trial *trial)
{
    if (!versions_is_second(trial->point))
        return trial->result->id;
    struct point first = *trial->point;
    first.value[versions_axis(first.space)] = 0;
    return point_id(&first);
}

static void fake_load(struct trial *trial)
{
    if (fake.visible >= 0)
        trial_sees_devices(trial, fake.visible);
}

/* The rules apply where a point would be timed. Times are made up from its id: the median is
 * (1 + id % 1000) us, the samples within 1 % of it. */
static void fake_take(struct trial *trial, uint32_t count, struct sample *samples)
{
    double middle = 1e-6 * (double)(1 + id_of_first_version(trial) % 1000);
    uint32_t taken = trial->result->sample_count;
    fake.canary = trial->result->repeat > 0;
    fake.replicate = trial->replicate;
    for (int i = 0; i < fake.rules; i++) {
        if (!applies(&fake.rule[i], trial->point))
            continue;
        if (!taken)
            misbehave(&fake.rule[i], trial->result);
        else if (fake.rule[i].action == ACTION_BREAK)
            result_fail(trial->result, STATUS_FAILED, "broken on request");
    }
    fake.timed += !taken && trial->result->status == STATUS_OK;
    for (uint32_t i = 0; i < count; i++) {
        double seconds = middle * (0.99 + 0.01 * ((taken + i) % 3));
        samples[i] = warmed(trial, distort(trial, seconds));
    }
    if (!taken && !fake.canary && trial->result->status == STATUS_OK)
        trace(trial->result->id);
}

/* The number that a rule wants for the point; else `number`. */
static double distort_number(const struct point *point, double number)
{
    for (int i = 0; i < fake.rules; i++)
        if (fake.rule[i].action == ACTION_ABSURD && applies(&fake.rule[i], point))
            number = fake.rule[i].number;
    return number;
}

static void fake_observe(struct trial *trial)
{
    trial->result->real[REAL_power] = distort_number(trial->point, NAN);
}

static void fake_arrange(struct trial *trial)
{
    trial->result->timer = TIMER_FAKE;
    trial->launch_seconds = 1e-6 * (double)(1 + id_of_first_version(trial) % 1000);
    trial->group_max = trial->config->timing.max_samples;
}

/* A device of its own time, 5 ms a reading, whose energy counter is updated every 100 ms: it takes 60 W when
 * it is idle, and (100 + id % 400) W of a point, whose launches take (1 + id % 1000) us. */
static void fake_meter(struct trial *trial, struct meter *reading)
{
    enum { READINGS = 20 }; /* of an update */
    static uint64_t readings, loop;
    static double joules, shown;
    const double step = 5e-3;
    double watts = trial ? (double)(100 + trial->result->id % 400) : 60, factor = 1;
    loop = trial && reading ? loop + 1 : 0;
    if (!reading)
        return;
    joules += watts * step;
    shown = ++readings % READINGS == 0 ? joules : shown;
    double launch = trial ? 1e-6 * (double)(1 + trial->result->id % 1000) : 1;
    *reading = (struct meter){.time = step * (double)readings,
                              .joules = shown,
                              .sm_clock = 1e9,
                              .launches = floor(step * (double)loop / launch),
                              .reasons = trial ? 4 : 1};
    for (int i = 0; i < fake.rules; i++) {
        const struct rule *rule = &fake.rule[i];
        if (!applies(rule, trial ? trial->point : NULL))
            continue;
        if (rule->action == ACTION_UNCOUNT && trial)
            _exit(8);
        if (rule->action == ACTION_UNMETERED)
            reading->joules = NAN;
        if (rule->action == ACTION_STILL)
            reading->joules = 1;
        if (rule->action == ACTION_MISLEAD)
            factor = rule->number;
    }
    reading->watts = factor * watts;
}

/* Of every launch: a memset of 1 us, two kernels of 2 us each, the second of which runs beside the first for
 * 1 us, and a pause of 1 us in between. */
static void make_activity_up(const struct point *point, struct activity_summary *summary)
{
    static const uint32_t none[3], grid[3] = {8, 2, 1}, block[3] = {256, 1, 1};
    struct activity made_up = {0};
    for (int r = 0; r < fake.rules; r++)
        if (fake.rule[r].action == ACTION_UNRECORD && applies(&fake.rule[r], point)) {
            activity_summarise(&made_up, "not recorded, on request", summary);
            return;
        }
    activity_add(&made_up, "void fake<float>(float*, int)", grid, block, 2000, 4000);
    activity_add(&made_up, "void fake<float>(float*, int)", grid, block, 3000, 5000);
    activity_add(&made_up, "[memset]", none, none, 0, 1000);
    activity_summarise(&made_up, "", summary);
    activity_free(&made_up);
}

/* Counter c of a point is its id modulo 1000, plus c. */
static const char *fake_count(const struct countable *points, uint32_t count, struct counted *counted,
                              stage_report report, void *context)
{
    report(context, "count");
    phases_enter(PHASE_count_launch);
    for (uint32_t i = 0; i < count; i++) {
        for (int r = 0; r < fake.rules; r++) {
            if (fake.rule[r].action == ACTION_UNCOUNT && applies(&fake.rule[r], &points[i].point))
                _exit(8);
            while (fake.rule[r].action == ACTION_STICK && applies(&fake.rule[r], &points[i].point))
                pause();
            if (fake.rule[r].action == ACTION_MISCOUNT && applies(&fake.rule[r], &points[i].point))
                counted[i].state = COUNTERS_FAILED;
            if (fake.rule[r].action == ACTION_DISPROVE && applies(&fake.rule[r], &points[i].point))
                snprintf(counted[i].l2_state, sizeof counted[i].l2_state, "disproved: on request");
            if (fake.rule[r].action == ACTION_TALLY && applies(&fake.rule[r], &points[i].point))
                clock_sleep(fake.rule[r].number);
        }
        for (int c = 0; c < fake.config.counter_count && counted[i].state != COUNTERS_FAILED; c++)
            counted[i].counter[c] =
                distort_number(&points[i].point, (double)(point_id(&points[i].point) % 1000) + c);
        struct target target = {0};
        if (point_setup(&points[i].point, &target).engine == ENGINE_CALL)
            make_activity_up(&points[i].point, &counted[i].activity);
        counted[i].activity.span = distort_number(&points[i].point, counted[i].activity.span);
        counted[i].energy.energy = distort_number(&points[i].point, counted[i].energy.energy);
    }
    return "the fake back end makes its counters up";
}

static void fake_close(void) {}

const struct backend backend_fake = {
    .name = "fake",
    .traits = {.makes_up = true, .counts = true},
    .open = fake_open,
    .configure = fake_configure,
    .load = fake_load,
    .arrange = fake_arrange,
    .take = fake_take,
    .observe = fake_observe,
    .meter = fake_meter,
    .count = fake_count,
    .close = fake_close,
};
