/* The host_copy family: parts, buffers and bytes by hand, every reason to refuse, and the reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "family_test.h"
#include "kernels/registry.h"

static void test_work(void **state)
{
    (void)state;
    family_assert_work("host_copy", "size=1GiB", 1 << 30, 0, 0);
    family_assert_work("host_copy", "size=1GiB direction=d2h", 0, 1 << 30, 0);
    family_assert_work("host_copy", "size=4 variant=pageable", 4, 0, 0);
    family_assert_work("host_copy", "size=1GiB variant=round_trip work=64", 1 << 30, 1 << 30, 0);
}

static struct setup setup_of(const char *settings)
{
    struct point point = family_point("host_copy", settings);
    return family_of(&point)->setup(&point, &hopper);
}

static void assert_parts(const char *settings, uint32_t parts, uint32_t streams, uint32_t blocks)
{
    struct setup s = setup_of(settings);
    if (s.host_copy.chunks != parts || s.host_copy.streams != streams || s.grid[0] != blocks)
        fail_msg("%s: %u parts, %u streams, %u blocks", settings, s.host_copy.chunks, s.host_copy.streams,
                 s.grid[0]);
    assert_int_equal(s.engine, ENGINE_HOST_COPY);
}

static void test_parts(void **state)
{
    (void)state;
    assert_parts("size=1GiB", 1, 1, 1024);
    assert_parts("size=1GiB chunk=1GiB", 1, 1, 1024);
    assert_parts("size=1GiB chunk=16MiB streams=4", 64, 4, 1024);
    assert_parts("size=1MiB chunk=64KiB streams=8", 16, 8, 64);
    assert_parts("size=4012 chunk=400", 11, 1, 1); /* 1003 words in parts of 91 or 92 */
    assert_parts("size=4000 chunk=400", 10, 1, 1);
    assert_parts("size=3996 chunk=400", 10, 1, 1);
    assert_parts("size=4", 1, 1, 1);
    assert_true(family_find("host_copy")->node_exclusive);
}

static void test_buffers(void **state)
{
    (void)state;
    struct setup s = setup_of("variant=pageable size=4012");
    assert_true(s.buffer[0].on_host && s.buffer[0].pageable && !s.buffer[1].on_host && !s.buffer[1].pageable);
    assert_int_equal(s.buffer[0].count, 1003);
    assert_null(s.entry);
    s = setup_of("variant=pinned direction=d2h");
    assert_true(!s.buffer[0].on_host && s.buffer[1].on_host && !s.buffer[1].pageable);
    assert_null(s.entry);
    s = setup_of("variant=pageable direction=d2h");
    assert_true(!s.buffer[0].pageable && s.buffer[1].on_host && s.buffer[1].pageable);
    s = setup_of("variant=overlapped");
    assert_true(s.buffer[0].on_host && !s.buffer[0].pageable);
    assert_string_equal(s.entry, "mark");
    assert_int_equal(s.buffers, 2);
    s = setup_of("variant=round_trip size=4012");
    assert_true(s.buffer[0].on_host && s.buffer[1].on_host && !s.buffer[2].on_host);
    assert_int_equal(s.buffers, 3);
    assert_int_equal(s.buffer[2].count, 1003);
    assert_string_equal(s.entry, "mark");
}

static void test_every_reason(void **state)
{
    (void)state;
    family_assert_skip("host_copy", "", &on_host, "no device to copy to or from");
    family_assert_skip("host_copy", "variant=pinned work=2", &hopper, "copies alone do no work");
    family_assert_skip("host_copy", "work=3", &hopper, "work comes in pairs");
    family_assert_skip("host_copy", "variant=round_trip direction=d2h", &hopper,
                       "a round trip goes both ways");
    family_assert_skip("host_copy", "variant=round_trip chunk=1MiB streams=8 work=64", &hopper, NULL);
    family_assert_skip("host_copy", "size=4013", &hopper, "size and chunk have to be multiples");
    family_assert_skip("host_copy", "chunk=6", &hopper, "size and chunk have to be multiples");
    family_assert_skip("host_copy", "variant=pinned arch=sm_90a", &hopper, "no arch to choose");
    family_assert_skip("host_copy", "variant=pageable arch=compute_80", &hopper, "no arch to choose");
    family_assert_skip("host_copy", "variant=overlapped arch=compute_80", &hopper, NULL);
    family_assert_skip("host_copy", "variant=pageable chunk=1MiB streams=2", &hopper, "holds up its caller");
    family_assert_skip("host_copy", "variant=pageable chunk=1MiB", &hopper, NULL);
    family_assert_skip("host_copy", "variant=pinned chunk=1MiB streams=8", &hopper, NULL);
    family_assert_skip("host_copy", "size=1GiB chunk=128KiB", &hopper, "8192 parts are more than 4096");
    family_assert_skip("host_copy", "size=1GiB chunk=256KiB", &hopper, NULL);
    family_assert_skip("host_copy", "streams=2", &hopper, "of 2 streams only 1 would have a part");
    family_assert_skip("host_copy", "size=8MiB chunk=2MiB streams=4", &hopper, NULL);
    family_assert_skip("host_copy", "size=8MiB chunk=2MiB streams=5", &hopper, "of 5 streams only 4");
}

static void check(const char *settings)
{
    struct family_run run = family_run_new("host_copy", settings);
    family_run_reference(&run);
    uint64_t n = run.setup.buffer[0].count, odd = 0;
    const uint32_t *in = run.data[0], *out = run.data[1];
    bool marked = run.setup.entry != NULL;
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(out[i], marked && in[i] % 2 == 0 ? in[i] + 1 : in[i]);
        odd += in[i] % 2;
    }
    if (n > 1000) /* so that a kernel that did not run is found out */
        assert_true(odd > n / 3 && odd < 2 * n / 3);
    family_run_free(&run);
}

static void test_reference(void **state)
{
    (void)state;
    check("size=4");
    check("size=4012 chunk=400");
    check("size=4012 variant=pinned direction=d2h");
    check("size=4012 variant=pageable");
    check("size=4012 variant=round_trip chunk=400 work=64");
    check("size=4194332 direction=d2h chunk=1MiB streams=3"); /* 2^20 + 7 words */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work),         cmocka_unit_test(test_parts),     cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_every_reason), cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
