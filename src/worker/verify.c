#include "worker/verify.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "family/python/python.h"
#include "worker/finding.h"
#include "worker/pool.h"
#include "worker/phases.h"
#include "worker/product.h"

#define BLOCK_BYTES       16384        /* of reference output computed at once: stays in L1 */
#define RANGE_GRAIN_BYTES (256 * 1024) /* given to a thread at once */
#define RANGE_GRAIN_MIN   1024         /* elements */
#define SAMPLE_GRAIN      8192

/* One call of verify_range or verify_samples, as its threads see it. */
struct task {
    struct verification *v;
    const struct verify_plan *plan;
    struct comparison by;
    uint64_t first;              /* element, or sample, that actual[0] is */
    const unsigned char *actual; /* NULL: what is expected is wanted, nothing is compared */
    unsigned char *expected;     /* of the same elements, where it is kept; else NULL */
    bool known;                  /* what is kept is there already */
    double seconds, comparing;   /* the sums of all findings */
    pthread_mutex_t mutex;       /* over them and v */
};

/* The whole buffer up to `whole` elements; of a larger one, head, tail and samples. */
static struct verify_plan plan_of(int buffer, uint64_t count, uint64_t seed, uint64_t whole, uint64_t edge,
                                  uint64_t samples)
{
    struct verify_plan plan = {.buffer = buffer, .count = count, .seed = seed};
    if (count <= whole) {
        plan.range[0].count = count;
        plan.ranges = count ? 1 : 0;
        return plan;
    }
    plan.range[0].count = edge;
    plan.range[1].first = count - edge;
    plan.range[1].count = edge;
    plan.ranges = 2;
    plan.samples = samples;
    return plan;
}

static bool compares_rows(const struct setup *setup, uint64_t count)
{
    return setup->rows_compared > 0 && setup->rows_compared < setup->rows && count % setup->rows == 0;
}

static uint64_t between(uint64_t value, uint64_t least, uint64_t most)
{
    uint64_t raised = value < least ? least : value;
    return raised > most ? most : raised;
}

/* Rows: the first, the last, and a random one of each equal part. */
static struct verify_plan plan_rows(int buffer, uint64_t count, uint64_t seed, const struct setup *setup)
{
    const uint64_t row = count / setup->rows, parts = between(setup->rows_compared, 2, VERIFY_ROWS_MAX);
    struct verify_plan plan = {.buffer = buffer, .count = count, .seed = seed, .ranges = (int)parts};
    for (uint64_t r = 0; r < parts; r++) {
        const uint64_t from = r * setup->rows / parts, to = (r + 1) * setup->rows / parts;
        plan.range[r].first = (from + fill_bits(seed, r) % (to - from)) * row;
        plan.range[r].count = row;
    }
    plan.range[0].first = 0;
    plan.range[parts - 1].first = count - row;
    return plan;
}

struct verify_plan verify_plan_buffer(const struct setup *setup, int buffer, uint64_t seed)
{
    const struct buffer *b = &setup->buffer[buffer];
    uint64_t size = dtype_size(b->dtype);
    if (compares_rows(setup, b->count))
        return plan_rows(buffer, b->count, seed, setup);
    return plan_of(buffer, b->count, seed, VERIFY_WHOLE_BYTES / size, VERIFY_EDGE_BYTES / size,
                   VERIFY_SAMPLES);
}

struct verify_plan verify_plan_for(const struct verification *v, int buffer, uint64_t seed)
{
    const struct setup *setup = v->inputs->setup;
    const uint64_t count = setup->buffer[buffer].count;
    if (v->sparse)
        return plan_of(buffer, count, seed, SPARSE_WHOLE, SPARSE_EDGE, SPARSE_SAMPLES);
    return v->whole ? plan_of(buffer, count, seed, count, 0, 0) : verify_plan_buffer(setup, buffer, seed);
}

struct verification verify_start(const struct family *family, const struct point *point,
                                 const struct inputs *inputs, int threads)
{
    return (struct verification){.family = family,
                                 .point = point,
                                 .inputs = inputs,
                                 .tolerance = family->tolerance(point),
                                 .threads = threads,
                                 .bad_buffer = -1};
}

static void merge(struct task *task, const struct finding *finding, uint64_t compared)
{
    struct verification *v = task->v;
    pthread_mutex_lock(&task->mutex);
    int buffer = task->plan->buffer;
    v->compared += compared;
    task->seconds += finding->seconds;
    task->comparing += finding->comparing;
    v->mismatches += finding->mismatches;
    if (finding->error_max > v->error_max)
        v->error_max = finding->error_max;
    deviation_add(&v->deviation, &finding->deviation);
    piece_merge(&v->piece, &finding->piece);
    bool earlier = v->bad_buffer < 0 || buffer < v->bad_buffer ||
                   (buffer == v->bad_buffer && finding->index < v->bad_index);
    if (finding->mismatches && earlier) {
        v->bad_buffer = buffer;
        v->bad_index = finding->index;
        v->bad_expected = finding->expected;
        v->bad_actual = finding->actual;
    }
    pthread_mutex_unlock(&task->mutex);
}

/* Where in the order of the plan element `first`, or that sample, stands. */
static uint64_t plan_position(const struct verify_plan *plan, uint64_t first, bool samples)
{
    uint64_t position = 0;
    for (int r = 0; r < plan->ranges; r++) {
        if (!samples && first < plan->range[r].first + plan->range[r].count)
            return position + first - plan->range[r].first;
        position += plan->range[r].count;
    }
    return position + first;
}

/* Points of one key have the same data by their family's word. What the reference is asked for, and over
 * what, is hashed too: a family whose word is too short then shares less, not wrongly. */
static struct expectation *kept(const struct verification *v, const struct verify_plan *plan, bool make)
{
    const struct setup *setup = v->inputs->setup;
    const struct buffer *out = &setup->buffer[plan->buffer];
    if (!v->kept)
        return NULL;
    const uint64_t asked[] = {family_data_key(v->point),
                              v->inputs->seed,
                              (uint64_t)(uintptr_t)v->family->reference, /* two versions may have two */
                              (uint64_t)plan->buffer,
                              plan->seed,
                              plan->range[0].count,
                              (uint64_t)plan->ranges,
                              plan->samples,
                              (uint64_t)out->dtype,
                              out->count};
    uint64_t key = hash_bytes(HASH_START, asked, sizeof asked);
    for (int b = 0; b < setup->buffers; b++) {
        const struct buffer *in = &setup->buffer[b];
        const uint64_t over[] = {
            (uint64_t)b,         (uint64_t)in->dtype, in->count,       (uint64_t)in->fill.kind,
            in->fill.multiplier, in->fill.addend,     in->fill.modulus};
        if (!buffer_is_filled(in))
            continue;
        key = hash_bytes(key, over, sizeof over);
        key = hash_bytes(key, &in->fill.low, sizeof in->fill.low);
        key = hash_bytes(key, &in->fill.high, sizeof in->fill.high);
    }
    return expectations_find(v->kept, key, plan_position(plan, plan->samples, true) * dtype_size(out->dtype),
                             make);
}

static bool is_known(const struct verification *v, const struct verify_plan *plan)
{
    const struct expectation *expectation = kept(v, plan, false);
    return expectation && expectation->known == expectation->bytes;
}

bool verify_is_known(const struct verification *v)
{
    const struct setup *setup = v->inputs->setup;
    bool known = true;
    for (int b = 0; b < setup->buffers; b++) {
        struct verify_plan plan = verify_plan_for(v, b, v->inputs->seed);
        known = known && (!buffer_is_compared(&setup->buffer[b]) || is_known(v, &plan));
    }
    return known;
}

bool verify_range_is_known(const struct verification *v, const struct verify_plan *plan, uint64_t first,
                           uint64_t count)
{
    const struct expectation *expectation = kept(v, plan, false);
    uint64_t size = dtype_size(v->inputs->setup->buffer[plan->buffer].dtype);
    return expectation && (plan_position(plan, first, false) + count) * size <= expectation->known;
}

/* What is expected of `count` elements from `index` on. */
static void expect(const struct task *task, uint64_t index, uint64_t count, void *expected)
{
    const struct verification *v = task->v;
    if (v->panel.values) {
        product_store(task->by.dtype, v->panel.values + (index - v->panel.first), count, expected);
        return;
    }
    memset(expected, VERIFY_POISON, count * task->by.size);
    v->family->reference(v->point, v->inputs, task->plan->buffer, index, count, expected);
}

static void range_body(void *context, uint64_t first, uint64_t count)
{
    struct task *task = context;
    struct verification *v = task->v;
    struct finding finding = {0};
    _Alignas(64) unsigned char scratch[RANGE_GRAIN_BYTES];
    /* A reference that reads its inputs often shares the reading over what it is asked for at once. */
    uint64_t block = (v->family->materialise ? RANGE_GRAIN_BYTES : BLOCK_BYTES) / task->by.size;
    double began = clock_now(), now = began;
    for (uint64_t done = 0; done < count; done += block) {
        uint64_t n = count - done < block ? count - done : block, index = task->first + first + done;
        const unsigned char *actual = task->actual ? task->actual + (first + done) * task->by.size : NULL;
        unsigned char *expected = task->expected ? task->expected + (first + done) * task->by.size : scratch;
        if (!task->known)
            expect(task, index, n, expected);
        double expected_at = clock_now();
        if (actual)
            finding_compare(&finding, &task->by, index, expected, actual, n);
        now = clock_now();
        finding.comparing += now - expected_at;
    }
    finding.seconds = now - began;
    merge(task, &finding, task->actual ? count : 0);
}

static void samples_body(void *context, uint64_t first, uint64_t count)
{
    struct task *task = context;
    struct finding finding = {0};
    _Alignas(8) unsigned char scratch[VERIFY_PIECE * sizeof(uint64_t)];
    for (uint64_t done = first; done < first + count; done += VERIFY_PIECE) {
        uint64_t left = first + count - done, n = left < VERIFY_PIECE ? left : VERIFY_PIECE;
        unsigned char *expected = task->expected ? task->expected + done * task->by.size : scratch;
        const unsigned char *actual = task->actual ? task->actual + done * task->by.size : NULL;
        uint64_t index[VERIFY_PIECE];
        for (uint64_t k = 0; k < n; k++) {
            index[k] = verify_index(task->plan, task->first + done + k);
            if (!task->known)
                expect(task, index[k], 1, expected + k * task->by.size);
        }
        if (actual)
            finding_compare_single(&finding, &task->by, index, expected, actual, n);
    }
    merge(task, &finding, task->actual ? count : 0);
}

/* Elements for one thread at once: a power of two, so that many grains are whole rows. A reference whose
 * elements take long, each, is spread over all threads however few they are; few elements by pieces. */
static uint64_t range_grain(const struct verification *v, uint64_t count, uint64_t size)
{
    uint64_t threads = (uint64_t)(v->threads > 1 ? v->threads : 1);
    uint64_t grain = v->sparse ? VERIFY_PIECE : RANGE_GRAIN_MIN;
    while (8 * threads * grain <= count && 2 * grain * size <= RANGE_GRAIN_BYTES)
        grain *= 2;
    return grain;
}

/* Whole pieces. An element of a product may take a million multiplications, so all threads get some. */
static uint64_t sample_grain(const struct verification *v, uint64_t count)
{
    uint64_t threads = (uint64_t)(v->threads > 1 ? v->threads : 1);
    uint64_t pieces = (count - 1) / (VERIFY_PIECE * threads) + 1;
    return pieces * VERIFY_PIECE < SAMPLE_GRAIN ? pieces * VERIFY_PIECE : SAMPLE_GRAIN;
}

/* A whole reference is computed before threads ask for parts of it: its inputs are made by all of them. */
static void expect_first(const struct task *task, uint64_t index)
{
    uint64_t element; /* as large as the widest type */
    if (!task->known && python_reference_bytes(task->v->family, task->v->inputs->setup))
        expect(task, index, 1, &element);
}

static void run(struct verification *v, const struct verify_plan *plan, uint64_t first, uint64_t count,
                const void *actual, bool samples)
{
    enum dtype dtype = v->inputs->setup->buffer[plan->buffer].dtype;
    struct task task = {.v = v,
                        .plan = plan,
                        .by = {dtype, dtype_size(dtype), v->tolerance, plan->buffer},
                        .first = first,
                        .actual = actual,
                        .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct expectation *expectation = kept(v, plan, true);
    uint64_t start = plan_position(plan, first, samples) * task.by.size, end = start + count * task.by.size;
    if (expectation) {
        task.expected = expectation->data + start;
        task.known = end <= expectation->known;
    }
    uint64_t grain = samples ? sample_grain(v, count) : range_grain(v, count, task.by.size);
    double began = clock_now();
    expect_first(&task, samples ? verify_index(plan, first) : first);
    pool_run(v->threads, count, grain, samples ? samples_body : range_body, &task);
    if (actual) /* of a sample hardly anything is comparing */
        phases_share(began, PHASE_reference, PHASE_compare,
                     task.seconds > 0 ? 1 - task.comparing / task.seconds : 1);
    if (expectation && !task.known)
        expectation->by_product = v->panel.values != NULL;
    if (actual && (task.known ? expectation->by_product : v->panel.values != NULL))
        v->by_product += count;
    if (expectation && start <= expectation->known && end > expectation->known)
        expectation->known = end;
    pthread_mutex_destroy(&task.mutex);
}

void verify_range(struct verification *v, const struct verify_plan *plan, uint64_t first, uint64_t count,
                  const void *actual)
{
    run(v, plan, first, count, actual, false);
}

void verify_samples(struct verification *v, const struct verify_plan *plan, uint64_t first, uint64_t count,
                    const void *actual)
{
    run(v, plan, first, count, actual, true);
}

void verify_expect(struct verification *v, const struct verify_plan *plan)
{
    const struct expectation *expectation = kept(v, plan, true);
    if (!expectation || expectation->known == expectation->bytes)
        return;
    for (int r = 0; r < plan->ranges; r++)
        run(v, plan, plan->range[r].first, plan->range[r].count, NULL, false);
    if (plan->samples)
        run(v, plan, 0, plan->samples, NULL, true);
}

bool verify_passed(const struct verification *v)
{
    return v->compared && !v->mismatches && !v->piece.count;
}

static void format_element(enum dtype dtype, uint64_t bits, char *out, size_t size)
{
    double value = dtype_load(dtype, &bits);
    if (isnan(value))
        snprintf(out, size, "nan"); /* printf would show its sign, which says nothing */
    else if (dtype == DTYPE_I64)
        snprintf(out, size, "%lld", (long long)bits); /* a double would lose digits */
    else
        snprintf(out, size, "%.*g", dtype == DTYPE_F64 ? 17 : 9, value);
}

void verify_describe(const struct verification *v, char *out, size_t size)
{
    if (!v->compared) {
        snprintf(out, size, "no output element was compared");
        return;
    }
    if (!v->mismatches && v->piece.count) {
        const struct bad_piece *bad = &v->piece;
        snprintf(out, size,
                 "output '%s'[%llu] and %d more: the root mean square of the errors beyond rounding is %.4g, "
                 "above %.4g; so it is in %llu such pieces of %llu compared elements",
                 v->inputs->setup->buffer[bad->buffer].name, (unsigned long long)bad->index, VERIFY_PIECE - 1,
                 bad->rms, bad->allowed, (unsigned long long)bad->count, (unsigned long long)v->compared);
        return;
    }
    if (!v->mismatches) {
        snprintf(out, size, "all of %llu compared elements agree", (unsigned long long)v->compared);
        return;
    }
    const struct buffer *b = &v->inputs->setup->buffer[v->bad_buffer];
    char expected[40], actual[40];
    format_element(b->dtype, v->bad_expected, expected, sizeof expected);
    format_element(b->dtype, v->bad_actual, actual, sizeof actual);
    uint64_t poison;
    memset(&poison, VERIFY_POISON, sizeof poison);
    uint64_t bytes = dtype_size(b->dtype);
    char remark[80] = "";
    if (!strcmp(expected, actual)) /* two NaNs: the numbers look alike */
        snprintf(remark, sizeof remark, " (bits 0x%llx, got 0x%llx)", (unsigned long long)v->bad_expected,
                 (unsigned long long)v->bad_actual);
    else if (!memcmp(&v->bad_actual, &poison, bytes))
        snprintf(remark, sizeof remark, " (the poison: it looks unwritten)");
    else if (!memcmp(&v->bad_expected, &poison, bytes))
        snprintf(remark, sizeof remark, " (the poison was to stay)");
    snprintf(out, size, "output '%s'[%llu]: expected %s, got %s%s; %llu of %llu compared elements differ",
             b->name, (unsigned long long)v->bad_index, expected, actual, remark,
             (unsigned long long)v->mismatches, (unsigned long long)v->compared);
}

void verify_conclude(const struct verification *v, struct result *result)
{
    result->real[REAL_verified] = (double)v->compared;
    result->real[REAL_verified_product] = v->family->product ? (double)v->by_product : NAN;
    result->real[REAL_error_max] = v->compared ? v->error_max : NAN;
    if (v->deviation.reference_squares > 0) {
        double rms = sqrt(v->deviation.reference_squares / (double)v->deviation.count);
        result->real[REAL_error_rms] = sqrt(v->deviation.squares / (double)v->deviation.count) / rms;
        result->real[REAL_error_peak] = v->deviation.largest / rms;
    }
    if (verify_passed(v))
        return;
    result->status = STATUS_FAILED;
    verify_describe(v, result->message, sizeof result->message);
}
