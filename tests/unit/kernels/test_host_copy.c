/* The host_copy family: parts, buffers and bytes by hand, every reason to refuse, and the reference. */
#include "unit_test.h"

#define FAMILY "host_copy"
#include "family_test.h"
#include "kernels/registry.h"

TEST(work)
{
    assert_work("size=1GiB", 1 << 30, 0, 0);
    assert_work("size=1GiB direction=d2h", 0, 1 << 30, 0);
    assert_work("size=4 variant=pageable", 4, 0, 0);
    assert_work("size=1GiB variant=round_trip work=64", 1 << 30, 1 << 30, 0);
    assert_work("size=1GiB variant=pinned direction=both", 1 << 30, 1 << 30, 0);
    assert_work("size=1GiB variant=zero_copy", 1 << 30, 0, 0);
    assert_work("size=1GiB variant=zero_copy direction=d2h width=16", 0, 1 << 30, 0);
    assert_work("size=1GiB variant=zero_copy direction=both", 1 << 30, 1 << 30, 0);
}

static void assert_parts(const char *settings, uint32_t parts, uint32_t streams, uint32_t blocks)
{
    struct setup s = setup_of(settings);
    if (s.host_copy.chunks != parts || s.host_copy.streams != streams || s.grid[0] != blocks)
        fail_msg("%s: %u parts, %u streams, %u blocks", settings, s.host_copy.chunks, s.host_copy.streams,
                 s.grid[0]);
    assert_int_equal(s.engine, ENGINE_HOST_COPY);
}

TEST(parts)
{
    assert_parts("size=1GiB", 1, 1, 1024);
    assert_parts("size=1GiB chunk=1GiB", 1, 1, 1024);
    assert_parts("size=1GiB chunk=16MiB streams=4", 64, 4, 1024);
    assert_parts("size=1MiB chunk=64KiB streams=8", 16, 8, 64);
    assert_parts("size=4012 chunk=400", 11, 1, 1); /* 1003 words in parts of 91 or 92 */
    assert_parts("size=4000 chunk=400", 10, 1, 1);
    assert_parts("size=3996 chunk=400", 10, 1, 1);
    assert_parts("size=4", 1, 1, 1);
    assert_parts("size=1GiB blocks=7", 1, 1, 7);
    assert_parts("size=1GiB chunk=16MiB streams=4 direction=both", 64, 4, 1024);
    assert_true(family_find("host_copy")->node_exclusive);
}

TEST(buffers)
{
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

TEST(both_ways)
{
    struct setup s = setup_of("variant=pinned direction=both size=4012");
    assert_int_equal(s.buffers, 4);
    for (int b = 0; b < 4; b++) { /* host to device, device to host */
        assert_int_equal(s.buffer[b].on_host, b == 0 || b == 3);
        assert_int_equal(s.buffer[b].role, b % 2 ? BUFFER_OUTPUT : BUFFER_INPUT);
        assert_int_equal(s.buffer[b].count, 1003);
    }
    assert_null(s.entry);
    assert_string_equal(setup_of("direction=both work=64").entry, "mark");
}

/* The kernel gets host memory as it is; grid and count go by its accesses. */
TEST(zero_copy)
{
    static const bool on_host_by[][2] = {{true, false}, {false, true}, {true, true}};
    static const char *const directions[] = {"h2d", "d2h", "both"};
    char settings[96];
    for (int d = 0; d < 3; d++) {
        snprintf(settings, sizeof settings, "variant=zero_copy size=1MiB width=16 direction=%s",
                 directions[d]);
        struct setup s = setup_of(settings);
        assert_int_equal(s.engine, ENGINE_KERNEL);
        assert_string_equal(s.entry, "pass");
        assert_int_equal(s.buffers, 2);
        assert_true(s.buffer[0].on_host == on_host_by[d][0] && s.buffer[1].on_host == on_host_by[d][1]);
        assert_int_equal(s.grid[0], 256);
        assert_int_equal(s.argument[2].value, 65536);
    }
    assert_int_equal(setup_of("variant=zero_copy size=1GiB blocks=3").grid[0], 3);
}

TEST(kinds_of_memory)
{
    struct setup s = setup_of("variant=pinned memory=write_combined");
    assert_true(s.buffer[0].write_combined && !s.buffer[1].write_combined && s.buffer[0].numa == 0);
    s = setup_of("variant=pinned direction=both memory=write_combined");
    assert_true(s.buffer[0].write_combined && s.buffer[3].write_combined && !s.buffer[2].write_combined);
    s = setup_of("variant=pageable direction=d2h numa=0");
    assert_true(s.buffer[0].numa == 0 && s.buffer[1].numa == 1 && s.buffer[1].pageable);
    assert_int_equal(setup_of("numa=7").buffer[0].numa, 8);
}

TEST(accesses)
{
    static const char *const settings[] = {"variant=zero_copy size=4",
                                           "variant=zero_copy size=4012 direction=d2h",
                                           "variant=zero_copy size=16400 width=16 blocks=2",
                                           "variant=zero_copy size=65544 width=8 direction=both"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        uint64_t loaded[SETUP_BUFFERS_MAX];
        struct point point = point_of(settings[i]);
        assert_accesses(settings[i], loaded);
        assert_int_equal(loaded[0], point_value(&point, "size", 0));
        assert_int_equal(loaded[1], 0);
    }
}

TEST(every_reason)
{
    assert_skip_on(&on_host, "", NULL);
    assert_skip_on(&on_host, "chunk=1MiB", "has no streams");
    assert_skip_on(&on_host, "work=2", "leaves out the work");
    assert_skip_on(&on_host, "memory=write_combined", "the CUDA driver's");
    assert_skip("variant=pageable memory=write_combined", "is pinned");
    assert_skip("memory=write_combined numa=0", "cannot be chosen");
    assert_skip("memory=write_combined", NULL);
    assert_skip("variant=pinned numa=1", NULL);
    assert_skip("variant=pinned blocks=2", "no blocks to choose");
    assert_skip("width=8", "only zero_copy's kernel has a width");
    assert_skip("variant=zero_copy width=12", "none of 4, 8 and 16");
    assert_skip("variant=zero_copy width=16 size=1000", "a multiple of that");
    assert_skip("variant=zero_copy width=16 size=1008 work=2", NULL);
    assert_skip("variant=zero_copy chunk=1MiB", "no parts and streams");
    assert_skip("variant=pageable direction=both", "holds up its caller");
    assert_skip("variant=round_trip direction=both", "goes both ways");
    assert_skip("size=1GiB chunk=256KiB direction=both", "8192 parts are more");
    assert_skip("size=1GiB chunk=512KiB direction=both streams=8", NULL);
    assert_skip("variant=pinned work=2", "copies alone do no work");
    assert_skip("work=3", "work comes in pairs");
    assert_skip("variant=round_trip direction=d2h", "a round trip goes both ways");
    assert_skip("variant=round_trip chunk=1MiB streams=8 work=64", NULL);
    assert_skip("size=4013", "size and chunk have to be multiples");
    assert_skip("chunk=6", "size and chunk have to be multiples");
    assert_skip("variant=pinned arch=sm_90a", "no arch to choose");
    assert_skip("variant=pageable arch=compute_80", "no arch to choose");
    assert_skip("variant=overlapped arch=compute_80", NULL);
    assert_skip("variant=pageable chunk=1MiB streams=2", "holds up its caller");
    assert_skip("variant=pageable chunk=1MiB", NULL);
    assert_skip("variant=pinned chunk=1MiB streams=8", NULL);
    assert_skip("size=1GiB chunk=128KiB", "8192 parts are more than 4096");
    assert_skip("size=1GiB chunk=256KiB", NULL);
    assert_skip("streams=2", "of 2 streams only 1 would have a part");
    assert_skip("size=8MiB chunk=2MiB streams=4", NULL);
    assert_skip("size=8MiB chunk=2MiB streams=5", "of 5 streams only 4");
}

static void check(const char *settings)
{
    struct family_run run = run_new(settings);
    family_run_reference(&run);
    uint64_t n = run.setup.buffer[0].count, odd = 0;
    bool marked = run.setup.entry != NULL;
    for (int b = 0; b == 0 || run.setup.buffers == b + 2; b += 2) {
        const uint32_t *in = run.data[b], *out = run.data[b + 1];
        odd = 0;
        for (uint64_t i = 0; i < n; i++) {
            assert_int_equal(out[i], marked && in[i] % 2 == 0 ? in[i] + 1 : in[i]);
            odd += in[i] % 2;
        }
    }
    if (n > 1000) /* so that a kernel that did not run is found out */
        assert_true(odd > n / 3 && odd < 2 * n / 3);
}

TEST(reference)
{
    check("size=4");
    check("size=4012 chunk=400");
    check("size=4012 variant=pinned direction=d2h");
    check("size=4012 variant=pageable");
    check("size=4012 variant=pinned direction=both");
    check("size=4012 direction=both chunk=400 streams=2 work=64");
    check("size=4016 variant=zero_copy direction=both width=8 work=64");
    check("size=4012 variant=round_trip chunk=400 work=64");
    check("size=4194332 direction=d2h chunk=1MiB streams=3"); /* 2^20 + 7 words */
}
