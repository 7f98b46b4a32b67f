/* What a variant's name claims, in its PTX: instructions that have to be there, and some that must not be. */
#include "unit_test.h"

#include "kernels/registry.h"
#include "worker/cuda/compile/point_code.h"

enum { TEXTS_MAX = 4 };

static const struct claim {
    const char *kernel, *settings, *architecture;
    const char *has[TEXTS_MAX], *lacks[TEXTS_MAX]; /* parts of instructions */
} claims[] = {
    /* 16-byte accesses, and arithmetic as wide as its name says; without restrict no read-only path. */
    {"add", "variant=vector", "compute_90", {"ld.global.nc.v4", "st.global.v4", "add.f32"}, {".v2"}},
    {"add", "variant=scalar", "compute_90", {"ld.global.nc", "add.f32"}, {".v4", ".v2"}},
    {"add", "variant=scalar dtype=f16", "compute_90", {"add.f16"}, {"f16x2", ".v4", ".v2"}},
    {"add", "variant=half2 dtype=f16", "compute_90", {"add.f16x2"}, {".v4", ".v2"}},
    {"add", "variant=half2 dtype=bf16", "compute_90", {"add.bf16x2"}, {".v4", ".v2"}},
    {"add", "variant=half2 dtype=bf16", "compute_80", {"fma.rn.bf16x2"}, {".v4", ".v2"}},
    {"add", "variant=unpacked dtype=f16", "compute_90", {"add.f16x2"}, {".v4", ".v2"}},
    {"add",
     "variant=packed dtype=f16",
     "compute_90",
     {"ld.global.nc.v4", "st.global.v4", "add.f16x2"},
     {".v2"}},
    {"add",
     "variant=packed dtype=bf16",
     "compute_90",
     {"ld.global.nc.v4", "st.global.v4", "add.bf16x2"},
     {".v2"}},
    {"add", "variant=vector restrict=no", "compute_90", {"ld.global.v4"}, {"ld.global.nc"}},
    {"add", "variant=vector hint=stream", "compute_90", {"ld.global.cs.v4", "st.global.cs.v4"}, {"L2::"}},
    {"add",
     "variant=vector hint=stream_out",
     "compute_90",
     {"ld.global.nc.v4", "st.global.cs.v4"},
     {"ld.global.cs"}},
    {"add",
     "variant=packed dtype=f16 hint=read_ahead",
     "compute_90",
     {"L1::no_allocate.L2::256B.v4"},
     {".cs"}},

    {"gather", "variant=random items=8", "compute_90", {"ld.global.nc"}, {".v2", ".v4"}},

    /* A record is read field by field, unless a vector is asked for. */
    {"layout", "variant=aos read=4", "compute_90", {"ld.global.nc"}, {".v2", ".v4"}},
    {"layout", "variant=aos read=4 vector=2", "compute_90", {"ld.global.nc.v2"}, {".v4"}},
    {"layout", "variant=aos read=4 vector=4", "compute_90", {"ld.global.nc.v4"}, {".v2"}},
    {"layout", "variant=soa read=4", "compute_90", {"ld.global.nc"}, {".v2", ".v4"}},
    {"layout", "variant=aosoa read=4 items=4", "compute_90", {"ld.global.nc"}, {".v2", ".v4"}},

    {"lookup",
     "variant=plain",
     "compute_90",
     {"ld.global."},
     {"ld.global.nc", "ld.const", "tex.", "ld.shared"}},
    {"lookup", "variant=restrict", "compute_90", {"ld.global.nc"}, {"ld.const", "tex.", "ld.shared"}},
    {"lookup", "variant=ldg", "compute_90", {"ld.global.nc"}, {"ld.const", "tex.", "ld.shared"}},
    {"lookup", "variant=constant", "compute_90", {"ld.const"}, {"tex.", "ld.shared"}},
    {"lookup", "variant=texture", "compute_90", {"tex.1d"}, {"ld.const", "ld.shared"}},
    {"lookup", "variant=shared", "compute_90", {"ld.shared", "st.shared", "bar"}, {"ld.const", "tex."}},

    /* 16 bytes an access where rows allow it; the hardware's exponential; dependent launch when asked for. */
    {"silu_mul",
     "variant=silu",
     "compute_90",
     {"ld.global.nc.v4", "st.global.v4", "ex2.approx"},
     {"griddepcontrol"}},
    {"silu_mul",
     "variant=gelu dtype=e4m3",
     "compute_90",
     {"ld.global.nc.v4", "cvt.rn.satfinite.e4m3x2"},
     {"erf"}},
    {"silu_mul", "variant=gelu_tanh dtype=bf16", "compute_80", {"ld.global.nc.v4", "st.global.v4"}, {"tanh"}},
    {"silu_mul", "pdl=on", "compute_90", {"griddepcontrol.wait", "griddepcontrol.launch_dependents"}, {0}},
    {"silu_mul", "d=1003", "compute_90", {"ld.global.nc.u16", "st.global.u16"}, {".v4", ".v2"}},

    {"reduce",
     "variant=shared_tree",
     "compute_90",
     {"ld.global.nc.v4", "ld.shared", "bar.sync"},
     {"shfl", "redux"}},
    {"reduce", "variant=shuffle", "compute_90", {"ld.global.nc.v4", "shfl.sync.down"}, {"redux"}},
    {"reduce", "variant=redux dtype=i32", "compute_90", {"ld.global.nc.v4", "redux.sync.add"}, {"shfl"}},
    {"reduce", "variant=cub_warp", "compute_90", {"ld.global.nc.v4", "shfl.sync.down"}, {0}},

    {"block_load", "variant=vectorize", "compute_90", {"ld.global.nc.v4", "st.global.v4"}, {"shared"}},
    {"block_load", "variant=direct", "compute_90", {"ld.global.nc"}, {".v4", ".v2", "shared", "bar.sync"}},
    {"block_load", "variant=striped", "compute_90", {"ld.global.nc"}, {".v4", ".v2", "shared", "bar.sync"}},
    {"block_load", "variant=transpose", "compute_90", {"st.shared", "ld.shared", "bar.sync"}, {"global.v4"}},
    {"block_load",
     "variant=manual",
     "compute_90",
     {"st.volatile.shared", "ld.volatile.shared", "bar.sync"},
     {".v4", ".v2"}},

    {"pack_bits", "variant=ballot", "compute_90", {"vote.sync.ballot", "st.global.u32"}, {".v4"}},
    {"pack_bits",
     "variant=ballot order=big",
     "compute_90",
     {"vote.sync.ballot", "brev.b32", "prmt.b32"},
     {".v4"}},
    {"pack_bits", "variant=wide", "compute_90", {"ld.global.nc.v4", "st.global.u16"}, {"vote"}},
    {"pack_bits", "variant=cub", "compute_90", {"ld.global.nc.v4.u8", "st.global.u8"}, {"vote"}},

    /* Element by element, or 16 bytes everywhere; bulk copies both ways, and no access to global memory else.
     */
    {"transpose", "variant=naive", "compute_90", {"ld.global.nc", "st.global"}, {"shared", ".v4", ".v2"}},
    {"transpose", "variant=padded", "compute_90", {"st.shared", "bar.sync", "ld.shared"}, {".v4", ".v2"}},
    {"transpose", "variant=swizzled", "compute_90", {"st.shared", "xor.b32", "ld.shared"}, {".v4", ".v2"}},
    {"transpose",
     "variant=vectorized tile=64",
     "compute_90",
     {"ld.global.nc.v4", "st.shared.v4", "ld.shared.v4", "st.global.v4"},
     {".local"}},
    {"transpose",
     "variant=vectorized tile=64 dtype=f16",
     "compute_90",
     {"prmt.b32", "st.global.v4"},
     {".local"}},
    {"transpose",
     "variant=tma tile=64",
     "compute_90",
     {"cp.async.bulk.tensor.2d.shared", "cp.async.bulk.tensor.2d.global", "mbarrier.try_wait",
      "ld.shared.v4"},
     {"ld.global", "st.global", ".local"}},

    {"matmul", "variant=naive", "compute_90", {"ld.global.nc", "fma.rn.f32"}, {"shared"}},
    {"matmul", "variant=tiled", "compute_90", {"ld.shared", "bar.sync", "fma.rn.f32"}, {".v4"}},
    {"matmul", "block_tile=128", "compute_90", {"ld.shared.v4", "st.shared.v4", "fma.rn.f32"}, {".local"}},
    {"matmul", "block_tile=64 outputs=4", "compute_80", {"ld.global.nc.v4", "st.global.v4"}, {".local"}},
    {"matmul", "outputs=2 block_tile=64", "compute_90", {"ld.shared.v2", "st.global.v2"}, {".local"}},

    /* As wide as asked, and volatile: as often as asked. */
    {"shared_stride", "width=4", "compute_90", {"ld.volatile.shared.u32"}, {".v4", ".v2"}},
    {"shared_stride", "variant=broadcast width=8", "compute_90", {"ld.volatile.shared.v2.u32"}, {".v4"}},
    {"shared_stride", "variant=write width=16", "compute_90", {"st.volatile.shared.v4.u32"}, {".v2"}},

    /* Through registers; by every thread, 16 bytes at a time; by one thread, on a barrier that counts bytes.
     */
    {"prefetch",
     "variant=sync",
     "compute_90",
     {"ld.global.nc.v4", "st.shared.v4", "ld.shared.v4", "bar.sync"},
     {"cp.async", "mbarrier"}},
    {"prefetch",
     "variant=cp_async stages=2 work=8",
     "compute_80",
     {"cp.async.cg.shared.global", "cp.async.wait_group 1", "ld.shared.v4", "fma.rn.f32"},
     {"st.shared", "mbarrier", "ld.global.nc.v4"}},
    {"prefetch",
     "variant=pipeline_thread stages=4",
     "compute_90",
     {"cp.async.cg.shared.global", "cp.async.wait_group 3", "ld.shared.v4"},
     {"mbarrier"}},
    {"prefetch",
     "variant=bulk stages=4",
     "compute_90",
     {"cp.async.bulk.shared::cta.global.mbarrier", "arrive.expect_tx", "try_wait.parity", "ld.shared.v4"},
     {"st.shared", "cp.async.cg"}},
    {"prefetch",
     "variant=tensor stages=4",
     "compute_90",
     {"cp.async.bulk.tensor.2d.shared::cta", "arrive.expect_tx", "try_wait.parity", "ld.shared.v4"},
     {"st.shared", "cp.async.cg"}},

    /* Each load at the address that the last one brought, past L1 where the level says so. */
    {"latency", "variant=shared", "compute_90", {"ld.shared.u32", "clock64"}, {"ld.global.c", "ld.const"}},
    {"latency", "variant=l1", "compute_90", {"ld.global.ca.u64", "clock64"}, {"ld.shared", "ld.global.cg"}},
    {"latency", "variant=l2", "compute_90", {"ld.global.cg.u64", "clock64"}, {"ld.shared", "ld.global.ca"}},
    {"latency", "variant=dram", "compute_90", {"ld.global.cg.u64", "clock64"}, {"ld.shared", "ld.global.ca"}},
    {"latency", "variant=constant", "compute_90", {"ld.const.u32", "clock64"}, {"ld.shared", "ld.global"}},
    {"latency",
     "variant=dsmem",
     "compute_90",
     {"ld.u64", "mapa.u64", "barrier.cluster"},
     {"ld.shared", "ld.global.c"}},

    {"host_copy", "variant=overlapped", "compute_90", {"or.b32", "st.global"}, {".v2", ".v4"}},
};

static struct point point_of(const struct claim *claim)
{
    struct point point = point_standard(family_space(claim->kernel));
    char text[256], *save;
    snprintf(text, sizeof text, "%s arch=%s", claim->settings, claim->architecture);
    for (char *one = strtok_r(text, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
        struct error error;
        char *value = strchr(one, '=');
        *value++ = '\0';
        int axis = space_axis(point.space, one);
        assert_true(axis >= 0);
        if (axis_parse(&point.space->axes[axis], value, &point.value[axis], &error) != 0)
            fail_msg("%s", error.text);
    }
    return point;
}

/* The function's instructions: "tex." and the like must not be found in a directive or a name. */
static const char *body_of(const char *ptx)
{
    const char *entry = strstr(ptx, ".entry");
    assert_non_null(entry);
    const char *body = strchr(entry, '{');
    assert_non_null(body);
    return body;
}

TEST(claims)
{
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const struct claim *claim = &claims[i];
        struct point point = point_of(claim);
        struct code code;
        struct text log = {0};
        char reason[256];
        const struct target target = {.capability = arch_capability(point_value(&point, "arch", 0))};
        const char *why = family_skip(&point, &target, reason, sizeof reason);
        if (why)
            fail_msg("%s %s: %s", claim->kernel, claim->settings, why);
        if (compile_point(&point, 0, "", &code, &log) != 0)
            fail_msg("%s %s: %s", claim->kernel, claim->settings, log.data);
        const char *body = body_of((const char *)code.image);
        for (int t = 0; t < TEXTS_MAX && claim->has[t]; t++)
            if (!strstr(body, claim->has[t]))
                fail_msg("%s %s on %s has no '%s'", claim->kernel, claim->settings, claim->architecture,
                         claim->has[t]);
        for (int t = 0; t < TEXTS_MAX && claim->lacks[t]; t++)
            if (strstr(body, claim->lacks[t]))
                fail_msg("%s %s on %s has '%s'", claim->kernel, claim->settings, claim->architecture,
                         claim->lacks[t]);
        if (strstr(body, ".local")) /* what should be registers */
            fail_msg("%s %s on %s uses local memory", claim->kernel, claim->settings, claim->architecture);
        code_free(&code);
        text_free(&log);
    }
}
