/* The calls of the family `collective` with the NCCL of the tests: every operation against the reference, the
 * communicators that are kept, the environment, and every error. FAKE_NCCL (fake_nccl.c) says which of them
 * this process tests. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fake_nccl.h"
#include "family/code/closure.h"
#include "family_test.h"
#include "worker/backend.h"

enum { GUARD = 64 }; /* bytes before and after a buffer */

static struct fake_nccl *fake(void)
{
    void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    struct fake_nccl *found = library ? dlsym(library, "fake_nccl") : NULL;
    assert_non_null(found);
    return found;
}

/* A point whose buffers are in memory of the host. */
struct opened {
    struct point point;
    struct setup setup;
    struct call call;
    unsigned char *memory[SETUP_BUFFERS_MAX]; /* with guards */
};

static uint64_t bytes_of(const struct opened *o, int b)
{
    return dtype_bytes(o->setup.buffer[b].dtype, o->setup.buffer[b].count);
}

static void prepare(struct opened *o, const char *settings)
{
    char reason[256];
    memset(o, 0, sizeof *o);
    o->point = family_point("collective", settings);
    const char *why = family_skip(&o->point, &hopper, reason, sizeof reason);
    if (why)
        fail_msg("%s: %s", settings, why);
    o->setup = family_of(&o->point)->setup(&o->point, &hopper);
    o->call = (struct call){.point = &o->point, .setup = &o->setup};
    o->call.devices = (int)point_value(&o->point, "gpus", 0);
    for (int d = 0; d < o->call.devices; d++) {
        o->call.ordinal[d] = d;
        o->call.device_stream[d] = (void *)((uintptr_t)d + 1);
    }
    o->call.stream = o->call.device_stream[0];
    for (int b = 0; b < o->setup.buffers; b++) {
        const struct buffer *buffer = &o->setup.buffer[b];
        o->memory[b] = malloc(bytes_of(o, b) + 2 * GUARD);
        memset(o->memory[b], 0xff, bytes_of(o, b) + 2 * GUARD);
        o->call.buffer[b] = o->memory[b] + GUARD;
        if (buffer_is_filled(buffer))
            fill_range(&buffer->fill, buffer->dtype, 21 + (uint64_t)b, 0, buffer->count, o->call.buffer[b]);
    }
}

static void finish(struct opened *o)
{
    family_of(&o->point)->close_call(&o->call);
    for (int b = 0; b < o->setup.buffers; b++)
        free(o->memory[b]);
}

/* The output of the reference or, of an input, its contents. */
static void assert_buffer(const struct opened *o, int b, const char *settings)
{
    const struct buffer *buffer = &o->setup.buffer[b];
    const struct inputs inputs = {.setup = &o->setup, .seed = 21};
    unsigned char *expected = malloc(bytes_of(o, b) + 2 * GUARD), *at = expected + GUARD;
    memset(expected, 0xff, bytes_of(o, b) + 2 * GUARD);
    if (buffer_is_compared(buffer))
        family_of(&o->point)->reference(&o->point, &inputs, b, 0, buffer->count, at);
    else
        fill_range(&buffer->fill, buffer->dtype, 21 + (uint64_t)b, 0, buffer->count, at);
    if (memcmp(expected, o->memory[b], bytes_of(o, b) + 2 * GUARD) != 0)
        fail_msg("%s: buffer %s", settings, buffer->name);
    free(expected);
}

static void assert_operation(const char *settings)
{
    struct opened o;
    prepare(&o, settings);
    const struct family *family = family_of(&o.point);
    if (family->open_call(&o.call) != 0 || family->call(&o.call) != 0)
        fail_msg("%s: %s", settings, call_reason(&o.call));
    for (int b = 0; b < o.setup.buffers; b++)
        assert_buffer(&o, b, settings);
    finish(&o);
}

static void test_operations(void **state)
{
    static const char *const operations[] = {"all_reduce", "all_gather", "reduce_scatter",
                                             "all_to_all", "broadcast",  "send_recv"};
    int before = fake()->groups;
    for (int o = 0; o < 6; o++)
        for (int n = 1; n <= 8; n++)
            for (int d = 0; d < DTYPE_E2M1; d++)
                for (int place = 0; place < 2; place++) {
                    char settings[200];
                    if (place && (n == 1 || o == 3 || o == 5))
                        continue; /* not in place */
                    snprintf(settings, sizeof settings, "variant=%s gpus=%d dtype=%s in_place=%s size=%d",
                             operations[o], n, dtype_words[d], place ? "yes" : "no", 20011 + n);
                    assert_operation(settings);
                }
    assert_int_equal(fake()->groups - before, 6 * 8 * 9 + 4 * 7 * 9);
    assert_false(fake()->wrong_stream);
    assert_int_equal(fake()->aborted, 0);
}

static void open_one(struct opened *o, const char *settings)
{
    prepare(o, settings);
    assert_int_equal(family_of(&o->point)->open_call(&o->call), 0);
}

static void test_environment(void **state)
{
    struct opened o;
    assert_string_equal(getenv("NCCL_NVLS_ENABLE"), "0"); /* set when the library was loaded */
    setenv("NCCL_PROTO", "LL", 1);
    open_one(&o, "gpus=2 size=1KiB algorithm=ring protocol=ll128");
    assert_int_equal(o.call.library_version, 22803);
    assert_string_equal(fake()->algorithm, "Ring");
    assert_string_equal(fake()->protocol, "LL128");
    assert_string_equal(fake()->multicast, "0");
    assert_null(getenv("NCCL_ALGO"));
    assert_string_equal(getenv("NCCL_PROTO"), "LL");
    finish(&o);
    unsetenv("NCCL_PROTO");
}

static void test_multicast(void **state)
{
    struct opened o;
    prepare(&o, "gpus=2 size=1KiB algorithm=nvls");
    assert_int_equal(family_of(&o.point)->open_call(&o.call), -1);
    assert_true(o.call.unavailable);
    assert_non_null(strstr(o.call.reason, "NCCL_NVLS_ENABLE=1"));
    finish(&o);
    setenv("NCCL_NVLS_ENABLE", "1", 1); /* the user's choice */
    open_one(&o, "gpus=2 size=1KiB algorithm=nvls");
    assert_string_equal(fake()->algorithm, "NVLS");
    finish(&o);
    setenv("NCCL_NVLS_ENABLE", "0", 1);
}

/* Communicators are kept from point to point, eight choices of them, and not those that a point has open. */
static void test_communicators(void **state)
{
    struct opened held, o;
    static const char *const protocols[] = {"default", "ll", "ll128", "simple"};
    open_one(&held, "gpus=5 size=1KiB");
    int made = fake()->made, gone = fake()->destroyed;
    for (int i = 0; i < 3; i++) {
        open_one(&o, "gpus=5 size=2KiB");
        finish(&o);
    }
    assert_int_equal(fake()->made, made);
    for (int i = 0; i < 12; i++) {
        char settings[100];
        snprintf(settings, sizeof settings, "gpus=%d size=1KiB protocol=%s", 6 + i / 4, protocols[i % 4]);
        open_one(&o, settings);
        finish(&o);
    }
    assert_true(fake()->destroyed > gone);
    made = fake()->made;
    open_one(&o, "gpus=8 size=1KiB protocol=simple");
    finish(&o);
    open_one(&o, "gpus=5 size=1KiB");
    finish(&o);
    assert_int_equal(fake()->made, made);
    assert_int_equal(family_of(&held.point)->call(&held.call), 0);
    finish(&held);
}

static void assert_error(const char *settings, bool opens, enum status status, const char *part)
{
    struct opened o;
    char small[100];
    snprintf(small, sizeof small, "%s size=1KiB", settings);
    prepare(&o, small);
    const struct family *family = family_of(&o.point);
    assert_int_equal(family->open_call(&o.call), opens ? 0 : -1);
    if (opens)
        assert_int_equal(family->call(&o.call), -1);
    assert_int_equal(call_status(&o.call), status);
    if (!strstr(o.call.reason, part))
        fail_msg("'%s' lacks '%s'", o.call.reason, part);
    finish(&o);
}

static void test_errors(void **state)
{
    const char *mode = getenv("FAKE_NCCL") ? getenv("FAKE_NCCL") : "";
    if (!strcmp(mode, "old")) {
        assert_error("gpus=2", false, STATUS_UNAVAILABLE, "NCCL 2.10.3 is installed; 2.14 or later");
    } else if (!strcmp(mode, "silent")) {
        assert_error("gpus=2 algorithm=tree", false, STATUS_UNSUPPORTED, "NCCL 2.18.1 may take another");
        assert_operation("gpus=2 size=1KiB");
    } else if (!strcmp(mode, "no_choice")) {
        assert_error("gpus=2 protocol=ll128", true, STATUS_UNSUPPORTED,
                     "all_reduce: NCCL says invalid usage: No algorithm/protocol available");
        assert_operation("gpus=2 size=1KiB");
    } else if (!strcmp(mode, "no_type")) {
        assert_error("gpus=2", true, STATUS_UNSUPPORTED, "all_reduce: NCCL says invalid argument");
    } else if (!strcmp(mode, "breaks")) {
        assert_error("gpus=2 variant=all_to_all", true, STATUS_FAILED,
                     "all_to_all: NCCL says unhandled cuda error");
        assert_int_equal(fake()->aborted, 2); /* such communicators are not kept */
    } else if (!strcmp(mode, "no_devices")) {
        assert_error("gpus=2", false, STATUS_FAILED,
                     "no communicators: NCCL says unhandled cuda error: no path between the devices");
    } else {
        assert_string_equal(mode, "absent");
        assert_error("gpus=2", false, STATUS_UNAVAILABLE, "NCCL cannot be loaded: ");
    }
}

/* Whatever the file of the library is called. */
static void test_version(void **state)
{
    struct text lines = {0};
    assert_non_null(fake());
    closure_add(&lines);
    assert_non_null(strstr(lines.data, "version.nccl\t2.28.3\n"));
    assert_non_null(strstr(lines.data, "library.libnccl.so.2\t"));
    text_free(&lines);
}

int main(void)
{
    const struct CMUnitTest works[] = {cmocka_unit_test(test_operations), cmocka_unit_test(test_environment),
                                       cmocka_unit_test(test_multicast), cmocka_unit_test(test_version),
                                       cmocka_unit_test(test_communicators)},
                            fails[] = {cmocka_unit_test(test_errors)};
    return getenv("FAKE_NCCL") ? cmocka_run_group_tests(fails, NULL, NULL)
                               : cmocka_run_group_tests(works, NULL, NULL);
}
