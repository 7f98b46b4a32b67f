/* Prefetched outputs equal the reference, for every family, and the thread that verifies the point finds
 * them. */
#include "unit_test.h"

#include "base/clock.h"
#include "kernels/registry.h"
#include "worker/verify.h"
#include "worker/pool.h"
#include "worker/referee.h"

#define SEED    11
#define SECRET  12 /* the referee's */
#define THREADS 3

static const struct target target = {.capability = 90,
                                     .memory_bytes = UINT64_C(80) << 30,
                                     .shared_bytes = 227 << 10,
                                     .shared_sm_bytes = 228 << 10,
                                     .l2_bytes = 50 << 20,
                                     .multiprocessors = 132,
                                     .threads_sm = 2048};

static void set(struct point *point, const char *axis, int64_t value)
{
    int i = space_axis(point->space, axis);
    if (i >= 0)
        point->value[i] = value;
}

/* A point of the family whose outputs are large enough to be compared in parts. */
static struct point point_of(const struct family *family)
{
    struct point point = point_standard(&family->space);
    if (strcmp(family->space.kernel, "cluster") != 0) /* its first variant has no size to choose */
        set(&point, "size",
            strcmp(family->space.kernel, "latency") ? 4 << 20 : 64 << 10); /* a ring within L1 */
    set(&point, "rows", 512);
    set(&point, "columns", 512);
    set(&point, "batch", 64);
    set(&point, "d", 1003);
    set(&point, "m", 96);
    set(&point, "n", 160);
    set(&point, "k", 64);
    return point;
}

/* The reference outputs of the plan's elements, in its order. */
static unsigned char *compute_reference(struct verification *v, const struct verify_plan *plan,
                                        uint64_t *bytes)
{
    uint64_t size = dtype_size(v->inputs->setup->buffer[plan->buffer].dtype);
    assert_int_equal(plan->samples, 0); /* an output this small is compared whole */
    *bytes = plan->range[0].count * size;
    unsigned char *out = malloc(*bytes);
    memset(out, VERIFY_POISON, *bytes);
    v->family->reference(v->point, v->inputs, plan->buffer, 0, plan->range[0].count, out);
    return out;
}

/* Prefetch the point; then right outputs pass against the prefetched ones, and a wrong element is found. */
static void check_family(const struct family *family)
{
    struct point point = point_of(family);
    char reason[256];
    const char *why = family_skip(&point, &target, reason, sizeof reason);
    if (why)
        fail_msg("%s: %s", family->space.kernel, why);
    struct setup setup = point_setup(&point, &target);
    struct inputs inputs = {.setup = &setup, .seed = SEED, .threads = THREADS, .parallel = pool_run};
    struct expectations *kept = expectations_new(UINT64_C(256) << 20),
                        *few = expectations_new(UINT64_C(1) << 20);
    struct reference_prefetch *prefetch = reference_prefetch_new(kept, few, THREADS, true);
    reference_prefetch_announce(prefetch, &point, &target, SEED, SECRET);
    reference_prefetch_claim(prefetch, &point, SEED);
    if (family->materialise)
        materialise_inputs(&inputs);
    for (int b = 0; b < setup.buffers; b++) {
        struct verification v = verify_start(family, &point, &inputs, 1);
        struct verify_plan plan = verify_plan_buffer(&setup, b, SEED);
        uint64_t bytes;
        if (setup.buffer[b].role != BUFFER_OUTPUT)
            continue;
        v.kept = kept;
        assert_true(verify_is_known(&v));
        unsigned char *right = compute_reference(&v, &plan, &bytes);
        verify_range(&v, &plan, 0, plan.range[0].count, right);
        if (!verify_passed(&v) || v.error_max != 0)
            fail_msg("%s: the prefetched output differs from the reference", family->space.kernel);
        right[bytes / 2] ^= 0x40;
        struct tolerance none = {0};
        v.tolerance = none;
        verify_range(&v, &plan, 0, plan.range[0].count, right);
        assert_int_equal(v.mismatches, 1);
        free(right);
    }
    reference_prefetch_claim_few(prefetch); /* also while another point is in work */
    struct inputs unknown = {.setup = &setup, .seed = SECRET, .threads = THREADS, .parallel = pool_run};
    struct verification v = verify_start(family, &point, &unknown, 1);
    v.kept = few;
    v.sparse = true;
    assert_true(verify_is_known(&v) == referee_compares(&point, &setup));
    reference_prefetch_release(prefetch);
    materialise_release(&inputs);
    reference_prefetch_free(prefetch);
    expectations_free(kept);
    expectations_free(few);
}

TEST(every_family)
{
    int families_seen = 0;
    for (const struct family *const *f = families; *f; f++) {
        struct point point = point_of(*f);
        struct setup setup = point_setup(&point, &target);
        bool reports_only = true;
        for (int b = 0; b < setup.buffers; b++)
            reports_only = reports_only && setup.buffer[b].role != BUFFER_OUTPUT;
        if (reports_only)
            continue;
        check_family(*f);
        families_seen++;
    }
    assert_true(families_seen >= 13);
}

TEST(samples_of_a_large_output)
{
    struct point point = point_standard(family_space("copy"));
    set(&point, "size", INT64_C(160) << 20); /* 80 MiB of output: head, tail, samples */
    struct setup setup = point_setup(&point, &target);
    struct inputs inputs = {.setup = &setup, .seed = SEED, .threads = THREADS, .parallel = pool_run};
    struct expectations *kept = expectations_new(UINT64_C(64) << 20);
    struct reference_prefetch *prefetch = reference_prefetch_new(kept, NULL, THREADS, true);
    reference_prefetch_announce(prefetch, &point, &target, SEED, SECRET);
    reference_prefetch_claim(prefetch, &point, SEED);
    reference_prefetch_free(prefetch);
    struct verification v = verify_start(family_of(&point), &point, &inputs, THREADS);
    struct verify_plan plan = verify_plan_buffer(&setup, 1, SEED);
    v.kept = kept;
    assert_int_equal(plan.samples, VERIFY_SAMPLES);
    assert_true(verify_is_known(&v));
    uint64_t size = dtype_size(setup.buffer[1].dtype);
    unsigned char *sampled = malloc(plan.samples * size);
    for (uint64_t k = 0; k < plan.samples; k++)
        v.family->reference(&point, &inputs, 1, verify_index(&plan, k), 1, sampled + k * size);
    verify_samples(&v, &plan, 0, plan.samples, sampled);
    assert_true(verify_passed(&v) && v.error_max == 0);
    assert_int_equal(v.compared, plan.samples);
    free(sampled);
    expectations_free(kept);
}

/* Without expectations, or for an unsupported point, nothing is computed, and a claim does not hang. */
TEST(nothing_to_prefetch)
{
    struct point point = point_standard(family_space("prefetch")), unsupported = point;
    struct target host = {.host = true};
    struct reference_prefetch *nowhere = reference_prefetch_new(NULL, NULL, THREADS, true);
    reference_prefetch_announce(nowhere, &point, &target, SEED, SECRET);
    reference_prefetch_claim(nowhere, &point, SEED);
    reference_prefetch_free(nowhere);
    struct expectations *kept = expectations_new(1 << 20);
    struct reference_prefetch *prefetch = reference_prefetch_new(kept, NULL, THREADS, true);
    reference_prefetch_announce(prefetch, &unsupported, &host, SEED, SECRET);
    reference_prefetch_claim(prefetch, &unsupported, SEED);
    reference_prefetch_claim(prefetch, &unsupported, SEED); /* an error left the first one */
    reference_prefetch_release(prefetch);
    reference_prefetch_release(prefetch);
    reference_prefetch_free(prefetch);
    expectations_free(kept);
}

/* Point `i` of up to 200; each has data of its own, 128 to 328 KiB of output. */
static struct point one_of_many(int i)
{
    struct point point = point_standard(family_space("copy"));
    set(&point, "size", (128 << 10) + 1024 * i);
    return point;
}

static bool is_known(struct expectations *kept, const struct point *point)
{
    struct setup setup = point_setup(point, &target);
    struct inputs inputs = {.setup = &setup, .seed = SEED, .threads = 1, .parallel = pool_run};
    struct verification v = verify_start(family_of(point), point, &inputs, 1);
    v.kept = kept;
    return verify_is_known(&v);
}

static void announce_from(struct reference_prefetch *prefetch, int first)
{
    bool more = true;
    for (int i = first; more && i < first + 16; i++) {
        struct point point = one_of_many(i);
        more = reference_prefetch_announce(prefetch, &point, &target, SEED, SECRET);
    }
}

/* Points are announced and claimed in order, with room for the outputs of three. While a point is claimed
 * nothing else is computed. Every fifth point is never claimed. */
TEST(many_points)
{
    struct expectations *kept = expectations_new(UINT64_C(3) * 332 << 10);
    struct reference_prefetch *prefetch = reference_prefetch_new(kept, NULL, THREADS, true);
    int known = 0, claimed = 0;
    for (int i = 0; i < 200; i++) {
        struct point point = one_of_many(i);
        announce_from(prefetch, i);
        if (i % 5 == 4)
            continue;
        reference_prefetch_claim(prefetch, &point, SEED);
        claimed++;
        bool there = is_known(kept, &point);
        known += there;
        clock_sleep(1e-4);
        assert_int_equal(is_known(kept, &point), there);
        reference_prefetch_release(prefetch);
        if (i % 50 == 49)
            reference_prefetch_clear(prefetch);
    }
    assert_int_equal(claimed, 160);
    assert_true(known > 0);
    reference_prefetch_free(prefetch);
    expectations_free(kept);
}

/* With room for all of them, all are known when they are claimed. */
TEST(all_are_known)
{
    struct expectations *kept = expectations_new(UINT64_C(64) << 20);
    struct reference_prefetch *prefetch = reference_prefetch_new(kept, NULL, THREADS, true);
    for (int i = 0; i < 40; i++) {
        announce_from(prefetch, i);
        struct point point = one_of_many(i);
        reference_prefetch_claim(prefetch, &point, SEED);
        assert_true(is_known(kept, &point));
        reference_prefetch_release(prefetch);
    }
    reference_prefetch_free(prefetch);
    expectations_free(kept);
}
