/* The compiler's face: what it refuses and says, native, and the cache under it. */
#include <stdatomic.h>
#include <time.h>

#include "folder_fixture.h"

#include "family/code/source.h"
#include "kernels/registry.h"
#include "worker/cuda/compile/compile.h"
#include "worker/pool.h"

static const char kernel[] = "extern \"C\" __global__ void one(int *out) { *out = VALUE; }";

static arch parsed(const char *text)
{
    arch value = -1;
    assert_true(arch_parse(text, &value));
    return value;
}

/* Without the macros of one axis the device code must refuse: a default would measure something else. */
TEST(a_missing_macro_is_an_error)
{
    for (const struct family *const *family = families; *family; family++) {
        struct axis axes[POINT_AXES_MAX];
        const struct space *space = &(*family)->space, without = {space->kernel, axes, space->count};
        struct point point = point_standard(space);
        point.space = &without;
        for (int i = 0; i < space->count; i++) {
            struct text options = {0}, log = {0};
            struct code code;
            if (!space->axes[i].compiled || space->axes[i].kind == AXIS_ARCH)
                continue;
            memcpy(axes, space->axes, (size_t)space->count * sizeof *axes);
            axes[i].compiled = false;
            macros_define(&point, &options);
            int failed = compile_source("test.cu", (*family)->source, NULL, parsed("sm_90"),
                                        options.data ? options.data : "", "", &code, &log);
            bool says_so = failed && strstr(log.data, "#error");
            code_free(&code);
            text_free(&options);
            text_free(&log);
            if (!says_so)
                fail_msg("%s compiles without its axis %s, or does not say so", space->kernel, axes[i].name);
        }
    }
}

TEST(errors_carry_the_compilers_words)
{
    struct code code;
    struct text log = {0};
    assert_int_equal(compile_source("bad.cu", "nonsense here;", NULL, parsed("sm_90"), "", "", &code, &log),
                     -1);
    assert_null(code.image);
    assert_non_null(strstr(log.data, "bad.cu"));
    assert_non_null(strstr(log.data, "error"));
    text_free(&log);
    /* NVRTC 13 has left it. */
    assert_int_equal(compile_source("a.cu", kernel, NULL, parsed("sm_50"), "-DVALUE=1", "", &code, &log), -1);
    assert_true(log.length > 0);
    text_free(&log);
}

TEST(native)
{
    struct point point = point_standard(family_space("copy"));
    struct code code;
    struct text log = {0};
    assert_int_equal(compile_point(&point, 0, "", &code, &log), -1);
    assert_non_null(strstr(log.data, "native"));
    text_free(&log);
    assert_int_equal(compile_point(&point, 90, "", &code, &log), 0);
    assert_memory_equal(code.image,
                        "\x7f"
                        "ELF",
                        4);
    code_free(&code);
    assert_null(code.image);
    text_free(&log);
}

TEST(virtual_gives_text)
{
    struct code code;
    struct text log = {0};
    assert_int_equal(compile_source("a.cu", kernel, NULL, parsed("compute_90"), "-DVALUE=7", "", &code, &log),
                     0);
    assert_non_null(strstr((const char *)code.image, ".target sm_90"));
    assert_int_equal(strlen((const char *)code.image) + 1, code.size); /* with its NUL */
    code_free(&code);
    text_free(&log);
}

static void compile_into_folder(int value, bool cached, struct code *code)
{
    struct text log = {0};
    char option[32];
    snprintf(option, sizeof option, "-DVALUE=%d", value);
    if (compile_source("a.cu", kernel, NULL, parsed("sm_90"), option, folder, code, &log) != 0)
        fail_msg("%s", log.data);
    assert_int_equal(code->cached, cached);
    text_free(&log);
}

TEST(the_cache)
{
    struct code first, second, other;
    compile_into_folder(1, false, &first);
    compile_into_folder(1, true, &second);
    compile_into_folder(2, false, &other); /* other options, another entry */
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.image, second.image, first.size);
    assert_true(first.size != other.size || memcmp(first.image, other.image, first.size) != 0);
    code_free(&first);
    code_free(&second);
    code_free(&other);
    compile_into_folder(2, true, &other);
    code_free(&other);
}

/* Threads that compile the same and different sources at once. */
static void compile_body(void *context, uint64_t first, uint64_t count)
{
    _Atomic int *failures = context;
    for (uint64_t i = first; i < first + count; i++) {
        struct code code;
        struct text log = {0};
        char option[32];
        snprintf(option, sizeof option, "-DVALUE=%d", (int)(i % 3));
        if (compile_source("a.cu", kernel, NULL, 9000, option, "", &code, &log) != 0)
            ++*failures;
        code_free(&code);
        text_free(&log);
    }
}

TEST(threads)
{
    _Atomic int failures = 0;
    pool_run(4, 12, 1, compile_body, &failures);
    assert_int_equal(failures, 0);
}

/* ---- Precompiled headers ---- */

static struct point point_of(const char *name, const char *variant)
{
    struct point point = point_standard(family_space(name));
    int axis = space_axis(point.space, "variant");
    struct error error;
    assert_int_equal(axis_parse(&point.space->axes[axis], variant, &point.value[axis], &error), 0);
    return point;
}

static bool wants(const char *source, const char *options, struct text *headers)
{
    headers->length = 0;
    return precompiled_headers(source, NULL, options, headers);
}

/* The headers of a point; "": none. */
static void headers_of(const char *name, const char *variant, struct text *headers)
{
    struct point point = point_of(name, variant);
    struct text options = {0};
    macros_define(&point, &options);
    if (!wants(family_of(&point)->source, options.data, headers))
        text_free(headers);
    text_free(&options);
}

TEST(which_sources_precompiled_headers_serve)
{
    static const char load[] = "#include <cub/block/block_load.cuh>\n";
    static const struct {
        const char *before, *after;
        bool serves;
    } rows[] = {{"", "", true},
                {"#ifdef A\n", "#endif\n", true},
                {"#ifdef B\n", "#endif\n", false},
                {"#ifndef A\n#else\n", "#endif\n", true},
                {"#if defined(B)\n#elif defined(A)\n", "#endif\n", true},
                {"#if A == 1\n", "#endif\n", false},
                {"#if A == 1\n#endif\n", "", true},
                {"#define CUB_STDERR\n", "", false},
                {"#ifdef B\n#include <cub/block/block_scan.cuh>\n#endif\n", "", true}};
    struct text headers = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char source[256];
        snprintf(source, sizeof source, "%s%s%s", rows[i].before, load, rows[i].after);
        if (wants(source, "-DA=1\n", &headers) != rows[i].serves)
            fail_msg("%s", source);
    }
    assert_false(wants(load, "-DCUB_STDERR=1\n", &headers));
    assert_false(wants("__global__ void one() {}", "", &headers));
    headers_of("reduce", "cub_warp", &headers);
    assert_string_equal(headers.data, "#include <cub/warp/warp_reduce.cuh>\n");
    headers_of("reduce", "shuffle", &headers);
    assert_null(headers.data);
    text_free(&headers);
}

static uint64_t code_of(const char *name, const char *variant)
{
    struct point point = point_of(name, variant);
    struct target target = {.capability = 90};
    struct setup setup = point_setup(&point, &target);
    struct text log = {0};
    struct code code;
    if (compile_point(&point, 90, "", &code, &log) != 0)
        fail_msg("%s", log.data);
    uint64_t hash = cubin_code_hash(code.image, code.size, setup.entry);
    assert_true(hash != 0);
    text_free(&log);
    code_free(&code);
    return hash;
}

/* The time shows that the headers are used. */
TEST(precompiled_headers_change_no_code)
{
    static const char *const points[][2] = {
        {"block_load", "transpose"}, {"reduce", "cub_block"}, {"reduce", "cub_warp"}, {"pack_bits", "cub"}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        struct precompiled precompiled = {.target = compile_arch(90, true)};
        struct text headers = {0};
        clock_t start = clock();
        uint64_t plain = code_of(points[i][0], points[i][1]);
        clock_t without = clock() - start;
        headers_of(points[i][0], points[i][1], &headers);
        snprintf(precompiled.headers, sizeof precompiled.headers, "%s", headers.data);
        snprintf(precompiled.file, sizeof precompiled.file, "%s/%zu.pch", folder, i);
        precompiled_make(&precompiled);
        precompiled_use(&precompiled);
        start = clock();
        if (code_of(points[i][0], points[i][1]) != plain)
            fail_msg("%s %s", points[i][0], points[i][1]);
        if (clock() - start > 2 * without / 3)
            fail_msg("%s %s takes %ld of %ld", points[i][0], points[i][1], (long)(clock() - start),
                     (long)without);
        precompiled_use(&(struct precompiled){.target = 0});
        text_free(&headers);
    }
}

GROUP(make_folder, remove_folder)
