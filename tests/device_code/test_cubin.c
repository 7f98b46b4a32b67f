/* What a cubin says of itself, and that nothing in a file can lead the reading astray. */
#include "unit_test.h"

#include "worker/cuda/compile/compile.h"

static const char source[] = "extern \"C\" __global__ void one(int *out) { *out = 1; }\n"
                             "extern \"C\" __global__ void two(int *out) {\n"
                             "    __shared__ int held[96];\n"
                             "    held[threadIdx.x] = out[threadIdx.x];\n"
                             "    __syncthreads();\n"
                             "    *out = held[threadIdx.x ^ 1];\n"
                             "}";

static struct code compiled(const char *architecture)
{
    struct text log = {0};
    struct code code;
    arch target;
    assert_true(arch_parse(architecture, &target));
    if (compile_source("test.cu", source, NULL, target, "", "", &code, &log) != 0)
        fail_msg("%s", log.data);
    text_free(&log);
    return code;
}

TEST(what_it_says)
{
    static const struct {
        const char *architecture;
        int capability;
    } rows[] = {{"sm_80", 80}, {"sm_90", 90}, {"sm_90a", 90}, {"sm_100a", 100}, {"sm_120", 120}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct code code = compiled(rows[i].architecture);
        struct text names = {0};
        assert_true(cubin_is(code.image, code.size));
        assert_int_equal(cubin_capability(code.image, code.size), rows[i].capability);
        assert_true(cubin_has(code.image, code.size, "one"));
        assert_true(cubin_has(code.image, code.size, "two"));
        assert_false(cubin_has(code.image, code.size, "three"));
        assert_true(cubin_registers(code.image, code.size, "two") > 3);
        cubin_functions(code.image, code.size, &names);
        assert_true(!strcmp(names.data, "one, two") || !strcmp(names.data, "two, one"));
        text_free(&names);
        uint32_t bytes[CUBIN_PARAMETERS_MAX];
        assert_int_equal(cubin_parameters(code.image, code.size, "one", bytes), 1);
        assert_int_equal(bytes[0], 8);
        assert_int_equal(cubin_parameters(code.image, code.size, "three", bytes), -1);
        code_free(&code);
    }
}

TEST(parameters)
{
    static const char many[] = "struct map { alignas(64) char bytes[128]; };\n"
                               "extern \"C\" __global__ void many(char a, float b, void *c, const "
                               "__grid_constant__ map d, short e) {\n"
                               "    *(float *)c = a + b + d.bytes[3] + e; }\n"
                               "extern \"C\" __global__ void none() {}";
    const uint32_t sizes[] = {1, 4, 8, 128, 2};
    static const char *const architectures[] = {"sm_80", "sm_90a", "sm_100a", "sm_120"};
    for (int i = 0; i < 4; i++) {
        struct text log = {0};
        struct code code;
        uint32_t bytes[CUBIN_PARAMETERS_MAX];
        arch target;
        assert_true(arch_parse(architectures[i], &target));
        if (compile_source("many.cu", many, NULL, target, "", "", &code, &log) != 0)
            fail_msg("%s", log.data);
        assert_int_equal(cubin_parameters(code.image, code.size, "many", bytes), 5);
        assert_memory_equal(bytes, sizes, sizeof sizes);
        assert_int_equal(cubin_parameters(code.image, code.size, "none", bytes), 0);
        text_free(&log);
        code_free(&code);
    }
}

static uint64_t hash_of(const char *name, const char *text, const char *options, const char *kernel)
{
    struct text log = {0};
    struct code code;
    arch target;
    assert_true(arch_parse("sm_90", &target));
    if (compile_source(name, text, NULL, target, options, "", &code, &log) != 0)
        fail_msg("%s", log.data);
    text_free(&log);
    uint64_t hash = cubin_code_hash(code.image, code.size, kernel);
    code_free(&code);
    return hash;
}

#define KERNEL(name, rest) "extern \"C\" __global__ void " name "(int *out) {" rest "}"

TEST(the_hash_is_that_of_the_code)
{
    const char *const plain = KERNEL("one", "out[threadIdx.x] += 3;");
    const uint64_t hash = hash_of("a.cu", plain, "", "one");
    assert_true(hash != 0);
    assert_true(hash == hash_of("elsewhere/b.cu", plain, "", "one"));
    assert_true(hash == hash_of("a.cu", plain, "-lineinfo\n", "one"));
    assert_true(hash == hash_of("a.cu",
                                KERNEL("other", "\n/* as before */ unsigned i = threadIdx.x; out[i] += 3;"),
                                "", "other"));
    assert_true(hash ==
                hash_of("a.cu", "#define UNUSED 7\n" KERNEL("one", "out[threadIdx.x] += 3;"), "", "one"));
    assert_true(hash != hash_of("a.cu", KERNEL("one", "out[threadIdx.x] += 4;"), "", "one"));
    assert_true(hash != hash_of("a.cu", KERNEL("one", "out[threadIdx.x] -= 3 * out[1];"), "", "one"));
    assert_true(hash != hash_of("a.cu",
                                "extern \"C\" __global__ void __launch_bounds__(64) one(int *out) {"
                                "out[threadIdx.x] += 3; }",
                                "", "one"));
    assert_true(hash_of("a.cu", plain, "", "two") == 0);
    assert_true(hash_of("test.cu", source, "", "one") != hash_of("test.cu", source, "", "two"));
}

TEST(a_hash_of_shared_memory_and_constants)
{
    const char *const shared = "extern \"C\" __global__ void one(int *out) { __shared__ volatile int s[%d];"
                               " s[threadIdx.x] = 1; __syncthreads(); *out = s[0]; }",
                      *const constant =
                          "__constant__ int c[2] = {1, %d};"
                          "extern \"C\" __global__ void one(int *out) { *out = c[threadIdx.x]; }";
    const char *const of[] = {shared, constant};
    for (int i = 0; i < 2; i++) {
        char a[400], b[400];
        snprintf(a, sizeof a, of[i], 64); /* NOLINT(clang-diagnostic-format-nonliteral) */
        snprintf(b, sizeof b, of[i], 96); /* NOLINT(clang-diagnostic-format-nonliteral) */
        assert_true(hash_of("a.cu", a, "", "one") == hash_of("a.cu", a, "", "one"));
        assert_true(hash_of("a.cu", a, "", "one") != hash_of("a.cu", b, "", "one"));
    }
}

/* Variables that no code uses are no code, even if they are in the cubin and give other symbols other
 * numbers. */
TEST(a_hash_without_unused_variables)
{
    const char *const one = "static constexpr int first = 1;" KERNEL("one", "out[threadIdx.x] += 3;"),
                      *const more =
                          "static constexpr int first = 1; static constexpr long long second = 2;" KERNEL(
                              "one", "out[threadIdx.x] += 3;"),
                      *const used = "__device__ int table[4] = {1, %d};" KERNEL("one", "*out = table[*out];");
    char a[400], b[400];
    assert_true(hash_of("a.cu", one, "", "one") == hash_of("a.cu", more, "", "one"));
    snprintf(a, sizeof a, used, 5); /* NOLINT(clang-diagnostic-format-nonliteral) */
    snprintf(b, sizeof b, used, 6); /* NOLINT(clang-diagnostic-format-nonliteral) */
    assert_true(hash_of("a.cu", a, "", "one") != hash_of("a.cu", b, "", "one"));
}

TEST(ptx_is_none)
{
    struct code code = compiled("compute_80");
    assert_false(cubin_is(code.image, code.size));
    assert_int_equal(cubin_capability(code.image, code.size), 0);
    assert_false(cubin_has(code.image, code.size, "one"));
    assert_true(cubin_code_hash(code.image, code.size, "one") == 0);
    code_free(&code);
}

/* Ask a copy in a block of just that size, so that reading past its end is found out by the sanitizer. */
static void ask(const unsigned char *bytes, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    struct text names = {0};
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    cubin_is(copy, size);
    cubin_capability(copy, size);
    cubin_has(copy, size, "one");
    cubin_registers(copy, size, "one");
    cubin_parameters(copy, size, "one", (uint32_t[CUBIN_PARAMETERS_MAX]){0});
    cubin_code_hash(copy, size, "one");
    cubin_functions(copy, size, &names);
    text_free(&names);
    free(copy);
}

TEST(any_file_can_be_asked)
{
    struct code code = compiled("sm_90");
    for (size_t size = 0; size < code.size; size++)
        ask(code.image, size);
    for (size_t i = 0; i < code.size; i++) {
        unsigned char was = code.image[i];
        code.image[i] = (unsigned char)(was ^ 0xff);
        ask(code.image, code.size);
        code.image[i] = was;
    }
    assert_true(cubin_has(code.image, code.size, "one"));
    code_free(&code);
}
