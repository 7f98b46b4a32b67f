/* Device code and axes: every kind of disagreement is found, and nothing else is called one. */
#include "unit_test.h"

#include "family/code/source.h"
#include "kernels/device_headers.h"
#include "kernels/registry.h"

static const char *const variants[] = {"load", "store", NULL};
static const char *const only[] = {"plain", NULL};
static const struct axis axes[] = {
    AXIS_VARIANT(variants, "load"),
    AXIS_VECTOR("1"),
    AXIS_STRIDE("1"),
    AXIS_DTYPE("f32"),
    AXIS_WORDS("way", "an axis of one word", "plain", only, true),
    AXIS_WORDS("order", "an axis that is not compiled", "load", variants, false),
    AXIS_CACHE,
    AXIS_ARCHITECTURE,
};

/* All that is needed: what follows begins on line 4. */
#define USES "#ifdef variant_load\n#endif\n"
#define ALL  " ELEMENT a[VECTOR];\n"

static int check(const char *source, struct error *error)
{
    static const struct device_header headers[] = {
        {"known.cuh", "#include \"deeper.cuh\"\n#define IN_HEADER 1\n"},
        {"deeper.cuh", "#include \"known.cuh\"\n#define DEEP\nint v = VECTOR; ELEMENT e;\n"},
        {NULL, NULL},
    };
    struct family family = {.space = {.kernel = "k", .axes = axes, .count = sizeof axes / sizeof *axes},
                            .source = source};
    *error = (struct error){0};
    return macros_check(&family, "k.cu", headers, error);
}

static void assert_good(const char *source)
{
    struct error error;
    if (check(source, &error) != 0)
        fail_msg("%s: %s", source, error.text);
}

static void assert_bad(const char *source, const char *text)
{
    struct error error;
    if (check(source, &error) == 0)
        fail_msg("%s: nothing is found", source);
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.text, text))
        fail_msg("%s: '%s', expected '%s'", source, error.text, text);
}

TEST(what_is_right)
{
    assert_good(USES ALL);
    assert_good(
        USES ALL
        "#if defined(variant_store) && VECTOR > 2 || !defined DTYPE_f32 && ELEMENT_SIZE == 4u\n#endif\n");
    assert_good(
        USES ALL
        "#if __CUDA_ARCH__ >= 900 && CUDA_VERSION >= 12080 && defined(__CUDACC_RTC__) and true\n#endif\n");
    assert_good(USES ALL "#if defined(_CCCL_STD_VER) && __has_include(<cuda/barrier>)\n#endif\n");
    assert_good(USES ALL
                "#ifndef UNROLL\n#define UNROLL 4\n#endif\n#if UNROLL == 0x1F + 1'000 + 1e+5\n#endif\n");
    assert_good(USES ALL "#if way_plain\n#endif\n");
    assert_good(USES ALL "  #  ifdef /* why */ variant_store // else\n#else\n#endif\n");
}

TEST(unknown_macros)
{
    assert_bad(USES ALL "#ifdef VARIANT_load\n#endif\n",
               "k.cu:4:8: 'VARIANT_load' is no macro (did you mean 'variant_load'?)");
    assert_bad(USES ALL "#if defined(variant_laod)\n#endif\n",
               "k.cu:4:13: 'variant_laod' is no macro (did you mean 'variant_load'?)");
    assert_bad(USES ALL "#if 1\n#elif vector > 1\n#endif\n",
               "k.cu:5:7: 'vector' is no macro (did you mean 'VECTOR'?)");
    assert_bad(USES ALL "#ifndef variant_gather\n#endif\n", "'variant_gather' is no macro");
    assert_bad(USES ALL "#if VECTOR > 1 && \\\n    WIDTH > 2\n#endif\n", "k.cu:5:5: 'WIDTH' is no macro;");
    assert_bad(USES ALL "#if __has_include(<x>) && SOMETHING\n#endif\n", "'SOMETHING' is no macro");
    assert_bad(USES ALL "#if DTYPE_F32\n#endif\n", "did you mean 'DTYPE_f32'?");
    assert_bad(USES ALL "/* long\n comment */ #if NOT_THERE\n#endif\n", "k.cu:5:17: 'NOT_THERE'");
}

/* Axes that are parameters of the kernel, not macros. */
TEST(axes_that_are_not_compiled)
{
    assert_bad(USES ALL "#if STRIDE > 1\n#endif\n",
               "k.cu:4:5: 'STRIDE' is no macro: the axis 'stride' is not compiled");
    assert_bad(USES ALL "#ifdef order_load\n#endif\n", "the axis 'order' is not compiled");
}

TEST(comments_and_strings)
{
    assert_good(USES ALL "/* #ifdef VARIANT_load */\n// #if NOTHING \\\n#if NOTHING_EITHER\nint x;\n");
    assert_good(USES ALL "const char *s = \"\\\n#if NOTHING\\n\";\nchar c = '#';\n");
    assert_good(USES ALL "const char *s = R\"x(\n#if NOTHING\n)\" )x\";\n#ifdef variant_store\n#endif\n");
    assert_good(USES ALL "const char *s = \"\\\"/*\";\n#ifdef variant_store\n#endif /* */\n");
    assert_good(USES ALL "int a = b # if NOTHING\n;"); /* no directive: it is not first of its line */
    assert_bad("// variant_load\n" ALL,
               "the axis 'variant' is compiled, but the code never mentions variant_load, variant_store");
    assert_bad("const char *s = \"variant_load\";" ALL, "the axis 'variant'");
    assert_bad(USES "ELEMENT e; int VECTORS;",
               "k.cu: the axis 'vector' is compiled, but the code never mentions VECTOR;");
    assert_bad(USES "int v = VECTOR;", "never mentions ELEMENT, ELEMENT_SIZE, DTYPE_");
    assert_bad("", "the axis 'variant'");
}

TEST(joined_lines)
{
    assert_good("#ifdef variant_\\\nload\n#endif\n" ALL);
    assert_good("#if \\\r\n  defined(variant_load)\r\n#endif\r\n" ALL);
    assert_bad(USES ALL "#ifdef variant_\\\nlaod\n#endif\n", "k.cu:4:8: 'variant_laod'");
}

TEST(headers)
{
    /* they include each other, use two axes and define two macros */
    assert_good(USES "#include \"known.cuh\"\n#if IN_HEADER && defined(DEEP)\n#endif\n");
    assert_good(USES ALL "#include \"unknown.cuh\"\n#include <cub/cub.cuh>\n");
    assert_bad(USES ALL "#if IN_HEADER\n#endif\n", "'IN_HEADER' is no macro");
    assert_bad("#include \"known.cuh\"\n", "the axis 'variant'");
}

/* Any beginning of a source is read to its end, and no further. */
TEST(cut_sources)
{
    static const char source[] =
        "#if 1'0 /* x */ \\\n R\"a(\")a\" \"s\\\"\" 'c' .5e+1\n#include \"known.cuh\"\n";
    char cut[sizeof source];
    for (size_t length = 0; length < sizeof source; length++) {
        struct error error;
        snprintf(cut, sizeof cut, "%.*s", (int)length, source);
        assert_int_equal(check(cut, &error), -1); /* without the axes at least */
    }
    char names[1000];
    memset(names, 'a', sizeof names - 1);
    names[sizeof names - 1] = '\0';
    struct tokens tokens = tokens_start(names);
    struct token token;
    assert_true(tokens_next(&tokens, &token) && strlen(token.text) == TOKEN_TEXT_SIZE - 1);
    assert_false(tokens_next(&tokens, &token));
}

TEST(the_families)
{
    bool good = true;
    for (const struct family *const *family = families; *family; family++) {
        char file[128];
        struct error error;
        const char *name = (*family)->space.kernel;
        snprintf(file, sizeof file, "kernels/%s/%s.cu", name, name);
        if (macros_check(*family, file, device_headers, &error) == 0)
            continue;
        print_error("%s\n", error.text);
        good = false;
    }
    assert_true(good);
}
