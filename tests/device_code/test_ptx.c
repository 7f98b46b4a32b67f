/* What vector widths become: every global load and store of a copy kernel moves as many bytes as its point
 * says, in one instruction where the architecture has one. */
#include "unit_test.h"

#include "kernels/registry.h"
#include "worker/cuda/compile/point_code.h"

/* Bytes that one PTX access moves: "ld.global.nc.v4.b32" and the like; 0 when it cannot be told. */
static int access_bytes(const char *instruction)
{
    int vector = 1, bits = 0;
    const char *end = instruction + strcspn(instruction, " \t");
    for (const char *part = strchr(instruction, '.'); part && part < end; part = strchr(part + 1, '.')) {
        if (part[1] == 'v')
            vector = atoi(part + 2);
        else if (strchr("bfus", part[1]) && part[2] >= '1' && part[2] <= '9')
            bits = atoi(part + 2);
    }
    return vector * bits / 8;
}

static struct point copy_point(const char *variant, enum dtype dtype, int vector, const char *architecture)
{
    struct point point = point_standard(family_space("copy"));
    struct error error;
    int axis = space_axis(point.space, "variant");
    assert_int_equal(axis_parse(&point.space->axes[axis], variant, &point.value[axis], &error), 0);
    point.value[space_axis(point.space, "dtype")] = dtype;
    point.value[space_axis(point.space, "vector")] = vector;
    axis = space_axis(point.space, "arch");
    assert_int_equal(axis_parse(&point.space->axes[axis], architecture, &point.value[axis], &error), 0);
    return point;
}

/* How many accesses of `kind` ("ld.global", "st.global") there are; each must move `bytes`. */
static int check_accesses(const char *ptx, const char *kind, int bytes, const char *what)
{
    int count = 0;
    for (const char *at = strstr(ptx, kind); at; at = strstr(at + 1, kind)) {
        if (access_bytes(at) != bytes)
            fail_msg("%s: '%.*s' moves %d bytes, not %d", what, (int)strcspn(at, ";"), at, access_bytes(at),
                     bytes);
        count++;
    }
    return count;
}

/* `widest`: bytes of the architecture's widest access. */
static void check_widths(const char *architecture, int widest)
{
    static const char *const variants[] = {"load", "store", "gridstride"};
    static const enum dtype types[] = {DTYPE_U8, DTYPE_BF16, DTYPE_F32, DTYPE_F64};
    for (int i = 0; i < 3 * 4; i++) {
        enum dtype dtype = types[i / 3];
        for (int vector = 1; vector * (int)dtype_size(dtype) <= 32; vector *= 2) {
            int width = vector * (int)dtype_size(dtype), bytes = width < widest ? width : widest;
            struct point point = copy_point(variants[i % 3], dtype, vector, architecture);
            struct code code;
            struct text log = {0}, what = {0};
            point_describe(&point, &what);
            if (compile_point(&point, 0, "", &code, &log) != 0)
                fail_msg("%s: %s", what.data, log.data);
            const char *ptx = (const char *)code.image;
            int loads = check_accesses(ptx, "ld.global", bytes, what.data);
            int stores = check_accesses(ptx, "st.global", bytes, what.data);
            assert_int_equal(loads, stores);
            assert_true(loads >= width / bytes && loads % (width / bytes) == 0);
            code_free(&code);
            text_free(&log);
            text_free(&what);
        }
    }
}

TEST(the_reading_of_instructions)
{
    assert_int_equal(access_bytes("ld.global.nc.v4.b32 \t{%r1, %r2}"), 16);
    assert_int_equal(access_bytes("st.global.v2.u64 [%rd1]"), 16);
    assert_int_equal(access_bytes("ld.global.v8.f32 {"), 32);
    assert_int_equal(access_bytes("ld.global.L1::no_allocate.v4.b64 {"), 32);
    assert_int_equal(access_bytes("st.global.u8 [%rd1], %rs1"), 1);
    assert_int_equal(access_bytes("ld.global.nc.b16 %rs1, [%rd1.v4.b32]"), 2);
}

TEST(16_bytes_up_to_hopper)
{
    check_widths("compute_80", 16);
    check_widths("compute_90", 16);
}

TEST(32_bytes_from_blackwell_on)
{
    char version[32];
    compile_version(version, sizeof version);
    if (atof(version) < 13.0) {
        print_message("NVRTC %s: 32-byte accesses are checked from 13.0 on\n", version);
        skip();
    }
    check_widths("compute_100", 32);
    check_widths("compute_120", 32);
}

/* Reads go through the read-only path: `in` is const and restrict. */
TEST(loads_are_non_coherent)
{
    struct point point = copy_point("load", DTYPE_F32, 4, "compute_90");
    struct code code;
    struct text log = {0};
    assert_int_equal(compile_point(&point, 0, "", &code, &log), 0);
    assert_non_null(strstr((const char *)code.image, "ld.global.nc."));
    assert_null(strstr((const char *)code.image, "ld.volatile"));
    code_free(&code);
    text_free(&log);
}
