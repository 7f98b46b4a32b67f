/* What users get wrong in a setup or a tolerance: each mistake is told, none is unsupported. */
#include "unit_test.h"

#include <math.h>

#include "family_test.h"

static struct setup made;
static struct tolerance allowed;

static struct setup setup(const struct point *point, const struct target *target)
{
    (void)point;
    (void)target;
    return made;
}

static struct tolerance tolerance(const struct point *point)
{
    (void)point;
    return allowed;
}

/* copy, with another setup and tolerance. */
static const char *told(struct setup given, struct tolerance tolerated)
{
    static char reason[256];
    static struct family family;
    family = *family_in(families, "copy");
    family.setup = setup;
    family.tolerance = tolerance;
    made = given;
    allowed = tolerated;
    struct point point = point_standard(&family.space);
    const char *why = family_mistake(&point, &hopper, reason, sizeof reason);
    assert_null(family_skip(&point, &hopper, (char[256]){0}, 256)); /* it exists, and fails */
    struct setup bounded = point_setup(&point, &hopper);
    assert_in_range(bounded.buffers, 0, SETUP_BUFFERS_MAX);
    assert_in_range(bounded.arguments, 0, SETUP_ARGUMENTS_MAX);
    return why ? why : "";
}

#define good                                                                                                 \
    .entry = "k", .buffer = {buffer_output("a", DTYPE_F32, 4), buffer_output("b", DTYPE_F32, 4)},            \
    .buffers = 2, .argument = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}}, .arguments = 2,                  \
    .grid = {1, 1, 1}, .block = {32, 1, 1}
#define assert_told(text, ...)                                                                               \
    assert_string_equal(told((struct setup){good, __VA_ARGS__}, (struct tolerance){0}), text)

#pragma GCC diagnostic ignored "-Woverride-init"

TEST(setups)
{
    assert_told("", .carveout = -1);
    assert_told("its setup has 17 buffers; expected 0 to 16", .buffers = 17);
    assert_told("its setup has -1 buffers; expected 0 to 16", .buffers = -1);
    assert_told("its setup has 9 buffers, but does not describe buffer 2", .buffers = 9);
    assert_told("its setup has 17 arguments; expected 0 to 16", .arguments = 17);
    assert_told("argument 1 of its setup is of buffer 7, and it has 2 buffers",
                .argument = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 7}});
    assert_told("argument 1 of its setup is of buffer 2, and it has 2 buffers",
                .argument = {{ARGUMENT_U32, 9}, {ARGUMENT_TEXTURE, 2}});
    assert_told("argument 1 of its setup is tensor 3; expected 0 to 2",
                .argument = {{ARGUMENT_U64, 9}, {ARGUMENT_TENSOR, 3}});
    assert_told("its setup has no `entry`, the name of its kernel", .entry = NULL);
    assert_told(
        "its setup has a grid of 0 x 1 x 1 blocks; expected each from 1, the first up to 2^31 - 1, the "
        "others up to 65535",
        .grid = {0, 1, 1});
    assert_told("its setup has a block of 32 x 64 x 1 threads; expected 1 to 1024, the last at most 64",
                .block = {32, 64, 1});
    assert_told("its setup has a block of 65536 x 65536 x 1 threads; expected 1 to 1024, the last at most 64",
                .block = {65536, 65536, 1});
    assert_told("", .engine = ENGINE_MEMCPY, .grid = {0});
    assert_told("its setup has an engine that this warpsweep does not have", .engine = ENGINES);
}

TEST(tolerances)
{
    const struct tolerance bad[] = {{.relative = NAN}, {.absolute = -1}, {.rms = INFINITY}};
    for (int i = 0; i < 3; i++)
        assert_non_null(strstr(told((struct setup){good}, bad[i]), "expected numbers from 0"));
    assert_string_equal(told((struct setup){good}, (struct tolerance){1e-3, 1e-6, 0}), "");
}
