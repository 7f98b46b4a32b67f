/* The contract of src/family/family.h, checked on every family in the registry. */
#include <ctype.h>

#include "unit_test.h"

#include "family/code/source.h"
#include "kernels/registry.h"
#include "random_point.h"

enum { POINTS = 3000, SMALL_ELEMENTS = 20000 };

/* Made-up devices: unknown, a small old one, a Hopper, a Blackwell, a host. */
static const struct target targets[] = {
    {0},
    {75, 40, 4 << 20, UINT64_C(4) << 30, 64 << 10, 64 << 10, 1024, false},
    {90, 132, 60 << 20, UINT64_C(141) << 30, 227 << 10, 228 << 10, 2048, false},
    {100, 148, 126 << 20, UINT64_C(180) << 30, 227 << 10, 228 << 10, 2048, false},
    {0, 16, 32 << 20, UINT64_C(64) << 30, 0, 0, 0, true},
};
enum { TARGETS = sizeof targets / sizeof *targets };

static bool is_name(const char *text)
{
    if (!islower((unsigned char)*text))
        return false;
    for (; *text; text++)
        if (!islower((unsigned char)*text) && !isdigit((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

static bool is_line(const char *text)
{
    return text && *text && !strchr(text, '\n') && !strchr(text, '\t');
}

TEST(families_are_complete)
{
    assert_non_null(families[0]);
    for (const struct family *const *f = families; *f; f++) {
        const struct family *family = *f;
        assert_true(is_name(family->space.kernel));
        assert_true(is_line(family->summary));
        assert_true(family->source && strlen(family->source) > 100); /* a resumed run compares it */
        assert_true(family->skip && family->setup && family->work && family->tolerance && family->reference);
        assert_in_range(family->space.count, 3, POINT_AXES_MAX);
        assert_true(space_axis(&family->space, "variant") >= 0);
        assert_true(space_axis(&family->space, "arch") >= 0);
        assert_true(space_axis(&family->space, "cache") >= 0);
        for (const struct family *const *other = families; *other; other++)
            assert_true(f == other || strcmp(family->space.kernel, (*other)->space.kernel) != 0);
        struct point point = point_standard(&family->space);
        assert_ptr_equal(family_find(family->space.kernel), family);
        assert_ptr_equal(family_space(family->space.kernel), &family->space);
        assert_ptr_equal(family_of(&point), family);
    }
    assert_null(family_find("no_such_kernel"));
    assert_null(family_space(""));
}

TEST(axes_are_well_formed)
{
    for (const struct family *const *f = families; *f; f++) {
        const struct space *space = &(*f)->space;
        for (int i = 0; i < space->count; i++) {
            const struct axis *axis = &space->axes[i];
            struct error error = {0};
            int64_t value;
            assert_true(is_name(axis->name) && is_line(axis->summary) && axis->unit && axis->standard);
            assert_int_equal(space_axis(space, axis->name), i); /* no name twice */
            if (axis_parse(axis, axis->standard, &value, &error) != 0)
                fail_msg("%s: %s", space->kernel, error.text);
            if (axis->kind == AXIS_WORD) {
                assert_true(axis->words && axis->words[0]);
                for (int w = 0; axis->words[w]; w++)
                    for (int other = 0; other < w; other++)
                        assert_string_not_equal(axis->words[w], axis->words[other]);
            } else if (axis->kind != AXIS_ARCH) {
                assert_true(axis->least >= 0 && axis->least <= axis->most);
            }
        }
    }
}

TEST(shared_axes_mean_the_same_everywhere)
{
    for (const struct family *const *f = families; *f; f++)
        for (const struct family *const *g = families; *g; g++)
            for (int i = 0; i < (*f)->space.count; i++) {
                const struct axis *a = &(*f)->space.axes[i];
                int other = space_axis(&(*g)->space, a->name);
                if (other < 0)
                    continue;
                const struct axis *b = &(*g)->space.axes[other];
                if (a->kind != b->kind)
                    fail_msg("axis %s differs between %s and %s", a->name, (*f)->space.kernel,
                             (*g)->space.kernel);
                static const char *const same_words[] = {"dtype", "cache", "carveout"};
                for (int w = 0; w < 3; w++)
                    if (!strcmp(a->name, same_words[w]))
                        assert_true(a->words == b->words ||
                                    (dtype_are_words(a->words) && dtype_are_words(b->words)));
            }
}

static void assert_reason(const struct point *point, const char *why)
{
    struct text text = {0};
    point_describe(point, &text);
    if (!is_line(why) || why[strlen(why) - 1] == '.' || strlen(why) > 300)
        fail_msg("%s: the reason reads '%s'", text.data, why);
    text_free(&text);
}

static void assert_launch(const struct family *family, const struct point *point, const struct setup *s)
{
    int outputs = 0;
    assert_in_range(s->buffers, 1, SETUP_BUFFERS_MAX);
    assert_in_range(s->arguments, 0, SETUP_ARGUMENTS_MAX);
    for (int i = 0; i < s->buffers; i++) {
        assert_true(s->buffer[i].name && is_name(s->buffer[i].name));
        assert_true(s->buffer[i].count > 0);
        assert_true((int)s->buffer[i].dtype >= 0 && s->buffer[i].dtype < DTYPE_COUNT);
        outputs += buffer_is_compared(&s->buffer[i]);
        if (buffer_is_filled(&s->buffer[i]) && s->buffer[i].fill.kind != FILL_RANDOM &&
            s->buffer[i].fill.kind != FILL_ALTERNATE)
            assert_true(s->buffer[i].fill.modulus > 0);
    }
    assert_true(outputs > 0); /* something that can be verified */
    struct work work = family->work(point);
    assert_true(work.bytes_read + work.bytes_written + work.flops > 0);
    if (s->engine == ENGINE_MEMCPY) {
        assert_true(s->buffers >= 2 && s->buffer[1].role == BUFFER_OUTPUT);
        assert_true(dtype_bytes(s->buffer[0].dtype, s->buffer[0].count) ==
                    dtype_bytes(s->buffer[1].dtype, s->buffer[1].count));
    }
    if (s->engine != ENGINE_KERNEL)
        return; /* what follows is of kernels: a vendor's engine takes no arguments and no grid */
    for (int i = 0; i < s->arguments; i++)
        if (s->argument[i].kind == ARGUMENT_BUFFER)
            assert_true(BUFFER_OF(s->argument[i].value) < s->buffers);
    assert_true(s->entry && strstr(family->source, s->entry));
    assert_in_range(s->grid[0], 1, INT32_MAX);
    assert_in_range(s->grid[1], 1, 65535);
    assert_in_range(s->grid[2], 1, 65535);
    uint64_t threads = (uint64_t)s->block[0] * s->block[1] * s->block[2];
    assert_in_range(threads, 1, 1024);
    assert_in_range(s->block[2], 1, 64);
    assert_true(s->carveout >= -1 && s->carveout <= 100);
}

/* Whatever the point and the device: a reason that can be read, or a launch that the device takes. */
TEST(random_points_are_refused_or_launchable)
{
    for (const struct family *const *f = families; *f; f++) {
        int exist = 0, refused = 0;
        for (uint64_t k = 0; k < POINTS; k++) {
            struct point point = random_point(&(*f)->space, k);
            const struct target *target = &targets[k % TARGETS];
            char reason[256];
            memset(reason, 'x', sizeof reason);
            const char *why = family_skip(&point, target, reason, sizeof reason);
            if (why) {
                assert_reason(&point, why);
                refused++;
                continue;
            }
            exist++;
            struct setup setup = (*f)->setup(&point, target);
            why = family_mistake(&point, target, reason, sizeof reason);
            if (why)
                fail_msg("%s: %s", (*f)->space.kernel, why);
            if (setup_bytes(&setup, 512) < UINT64_C(1) << 40) /* what no device holds is never launched */
                assert_launch(*f, &point, &setup);
        }
        print_message("%s: of %d random points %d can exist, %d cannot\n", (*f)->space.kernel, POINTS, exist,
                      refused);
        assert_true(exist > POINTS / 50 && refused > 0);
    }
}

/* A device that is not known rules nothing out for its sake: what some device can do, `check` accepts. */
TEST(unknown_devices_rule_nothing_out)
{
    for (const struct family *const *f = families; *f; f++) {
        for (uint64_t k = 0; k < POINTS; k++) {
            struct point point = random_point(&(*f)->space, k);
            char reason[256];
            bool somewhere = false;
            for (int t = 1; t < TARGETS; t++)
                somewhere |= !family_skip(&point, &targets[t], reason, sizeof reason);
            if (somewhere)
                assert_null(family_skip(&point, &targets[0], reason, sizeof reason));
        }
    }
}

TEST(rules_that_all_families_share)
{
    for (const struct family *const *f = families; *f; f++) {
        struct point point = point_standard(&(*f)->space);
        char reason[256];
        int arch_axis = space_axis(&(*f)->space, "arch");
        point.value[arch_axis] = 9001; /* sm_90a */
        assert_null(family_skip(&point, &targets[2], reason, sizeof reason));
        assert_non_null(strstr(family_skip(&point, &targets[3], reason, sizeof reason), "sm_90a"));
        assert_non_null(strstr(family_skip(&point, &targets[4], reason, sizeof reason), "sm_90a"));
        point.value[arch_axis] = ARCH_NATIVE;
        struct setup setup = (*f)->setup(&point, &targets[2]);
        struct target tight = targets[2];
        tight.memory_bytes = setup_bytes(&setup, 512);
        assert_null(family_skip(&point, &tight, reason, sizeof reason));
        tight.memory_bytes--;
        assert_non_null(strstr(family_skip(&point, &tight, reason, sizeof reason), "GiB"));
    }
}

TEST(setup_bytes_rounds_each_buffer)
{
    struct setup setup = {.buffer = {{.dtype = DTYPE_U8, .count = 1}, {.dtype = DTYPE_F64, .count = 65}},
                          .buffers = 2};
    assert_int_equal(setup_bytes(&setup, 1), 1 + 520);
    assert_int_equal(setup_bytes(&setup, 512), 512 + 1024);
}

/* Small points on the host: the reference gives the same bits whether asked for all, for portions or for
 * single elements, with inputs in memory or generated. */
static void compare_references(const struct family *family, const struct point *point,
                               const struct setup *setup)
{
    struct inputs in_memory = {.setup = setup, .seed = 5}, generated = {.setup = setup, .seed = 5};
    void *data[SETUP_BUFFERS_MAX] = {0};
    for (int i = 0; i < setup->buffers; i++) {
        const struct buffer *b = &setup->buffer[i];
        if (b->role != BUFFER_INPUT)
            continue;
        in_memory.data[i] = data[i] = malloc(dtype_bytes(b->dtype, b->count));
        fill_range(&b->fill, b->dtype, 5 + (uint64_t)i, 0, b->count, data[i]);
    }
    for (int i = 0; i < setup->buffers; i++) {
        const struct buffer *b = &setup->buffer[i];
        uint64_t size = dtype_size(b->dtype), portion = b->count / 7 + 1;
        if (b->role != BUFFER_OUTPUT)
            continue;
        unsigned char *whole = malloc(b->count * size), *parts = malloc(b->count * size), one[8];
        memset(whole, 0xff, b->count * size);
        memset(parts, 0xff, b->count * size);
        family->reference(point, &in_memory, i, 0, b->count, whole);
        for (uint64_t first = 0; first < b->count; first += portion)
            family->reference(point, &generated, i, first,
                              b->count - first < portion ? b->count - first : portion, parts + first * size);
        assert_memory_equal(whole, parts, b->count * size);
        for (uint64_t k = 0; k < 64; k++) {
            uint64_t index = k < 2 ? k * (b->count - 1) : fill_bits(3, k) % b->count;
            memset(one, 0xff, sizeof one);
            family->reference(point, &generated, i, index, 1, one);
            assert_memory_equal(one, whole + index * size, size);
        }
        free(whole);
        free(parts);
    }
    for (int i = 0; i < setup->buffers; i++)
        free(data[i]);
}

TEST(references_are_functions_of_the_index)
{
    for (const struct family *const *f = families; *f; f++) {
        const struct space *space = &(*f)->space;
        int compared = 0;
        for (uint64_t k = 0; k < 4 * POINTS && compared < 200; k++) {
            struct point point = random_point(space, k);
            int size = space_axis(space, "size");
            if (size >= 0)
                point.value[size] = 1 + (int64_t)(hash_mix(k) % 40000) * (k % 2 ? 1 : 8);
            point.value[space_axis(space, "arch")] = ARCH_NATIVE;
            char reason[256];
            if (family_skip(&point, &targets[4], reason, sizeof reason))
                continue;
            struct setup setup = (*f)->setup(&point, &targets[4]);
            if (setup.engine != ENGINE_KERNEL || setup_bytes(&setup, 1) > SMALL_ELEMENTS * 8)
                continue;
            compare_references(*f, &point, &setup);
            compared++;
        }
        print_message("%s: %d points compared\n", space->kernel, compared);
    }
}

/* Outputs of one buffer over generated inputs, or NULL when there is none of that number. Owned. */
static unsigned char *expect(const struct family *family, const struct point *point,
                             const struct setup *setup, int buffer, uint64_t *bytes)
{
    const struct buffer *b = &setup->buffer[buffer];
    const struct inputs inputs = {.setup = setup, .seed = 5};
    if (!buffer_is_compared(b))
        return NULL;
    *bytes = dtype_bytes(b->dtype, b->count);
    unsigned char *out = malloc(*bytes);
    memset(out, 0xff, *bytes);
    family->reference(point, &inputs, buffer, 0, b->count, out);
    return out;
}

static bool same_buffers(const struct setup *a, const struct setup *b)
{
    for (int i = 0; i < SETUP_BUFFERS_MAX; i++) {
        const struct buffer *x = &a->buffer[i], *y = &b->buffer[i];
        bool has = i < a->buffers && (buffer_is_filled(x) || buffer_is_compared(x));
        bool other = i < b->buffers && (buffer_is_filled(y) || buffer_is_compared(y));
        if (has != other)
            return false;
        if (has && (x->role != y->role || x->dtype != y->dtype || x->count != y->count ||
                    memcmp(&x->fill, &y->fill, sizeof x->fill)))
            return false;
    }
    return true;
}

/* Of points that differ in one axis which is none of the data's: is the same expected of both? Counts the
 * pairs. */
static bool data_axes_hold(const struct family *family, int *pairs)
{
    const struct space *space = &family->space;
    const struct target *target = &targets[2];
    char reason[256];
    bool hold = true;
    for (uint64_t k = 0; k < 20 * POINTS && *pairs < 400; k++) {
        struct point a = random_point(space, k), b = a;
        int size = space_axis(space, "size"), axis = (int)(hash_mix(k) % (uint64_t)space->count);
        if (size >= 0)
            a.value[size] = b.value[size] = 1 + (int64_t)(hash_mix(k) % 5000) * (k % 2 ? 1 : 8);
        a.value[space_axis(space, "arch")] = b.value[space_axis(space, "arch")] = ARCH_NATIVE;
        if (family->data_axes & FAMILY_AXIS(axis))
            continue;
        b.value[axis] = random_value(&space->axes[axis], hash_mix(k + 1));
        if (family_skip(&a, target, reason, sizeof reason) || family_skip(&b, target, reason, sizeof reason))
            continue;
        assert_true(family_data_key(&a) == family_data_key(&b));
        struct setup of_a = family->setup(&a, target), of_b = family->setup(&b, target);
        if (setup_bytes(&of_a, 1) > SMALL_ELEMENTS * 8 || !same_buffers(&of_a, &of_b))
            continue; /* of other inputs nothing is shared */
        for (int i = 0; i < of_a.buffers; i++) {
            uint64_t bytes = 0, more = 0;
            unsigned char *x = expect(family, &a, &of_a, i, &bytes), *y = expect(family, &b, &of_b, i, &more);
            hold = hold && bytes == more && (!x || !memcmp(x, y, bytes));
            free(x);
            free(y);
        }
        ++*pairs;
    }
    return hold;
}

TEST(points_of_one_data_key_share_their_reference)
{
    for (const struct family *const *f = families; *f; f++) {
        int pairs = 0;
        if (!(*f)->data_axes)
            continue;
        bool hold = data_axes_hold(*f, &pairs);
        print_message("%s: %d pairs\n", (*f)->space.kernel, pairs);
        assert_true(hold && pairs > 0);
    }
}

/* A family that forgets an axis is found out. */
TEST(a_forgotten_data_axis_shows)
{
    struct family forgetful = *family_in(families, "silu_mul");
    int pairs = 0;
    forgetful.data_axes &= ~FAMILY_AXIS(space_axis(&forgetful.space, "variant"));
    assert_false(data_axes_hold(&forgetful, &pairs));
}

TEST(macros_and_code_keys)
{
    for (const struct family *const *f = families; *f; f++) {
        struct point standard = point_standard(&(*f)->space);
        for (int i = 0; i < (*f)->space.count; i++) {
            const struct axis *axis = &(*f)->space.axes[i];
            struct point other = standard;
            for (uint64_t k = 1; other.value[i] == standard.value[i] && k < 100; k++)
                other.value[i] = random_value(axis, hash_mix(k));
            if (other.value[i] == standard.value[i])
                continue; /* an axis of one value */
            struct text a = {0}, b = {0};
            macros_define(&standard, &a);
            macros_define(&other, &b);
            bool in_macros = axis->compiled && axis->kind != AXIS_ARCH;
            assert_int_equal(strcmp(a.data ? a.data : "", b.data ? b.data : "") != 0, in_macros);
            assert_int_equal(family_code_key(&standard, 90) != family_code_key(&other, 90), axis->compiled);
            text_free(&a);
            text_free(&b);
        }
        struct point named = standard;
        named.value[space_axis(&(*f)->space, "arch")] = 9001;
        assert_true(family_code_key(&standard, 90) ==
                    family_code_key(&named, 90)); /* native is sm_90a there */
        assert_true(family_code_key(&standard, 90) != family_code_key(&standard, 100));
        assert_true(family_code_key(&named, 90) == family_code_key(&named, 100));
    }
}

TEST(macros_of_copy)
{
    /* as src/family/family.h says */
    struct point point = point_standard(family_space("copy"));
    point.value[space_axis(point.space, "dtype")] = DTYPE_BF16;
    point.value[space_axis(point.space, "vector")] = 8;
    struct text text = {0};
    macros_define(&point, &text);
    assert_non_null(strstr(text.data, "-Dvariant_load=1\n"));
    assert_non_null(strstr(text.data, "-DDTYPE_bf16=1\n-DELEMENT=__nv_bfloat16\n-DELEMENT_SIZE=2\n"));
    assert_non_null(strstr(text.data, "-DVECTOR=8\n"));
    assert_non_null(strstr(text.data, "-DBLOCK=256\n"));
    assert_null(strstr(text.data, "STRIDE"));
    text_free(&text);
}
