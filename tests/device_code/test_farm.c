/* The compilers of a farm: this program, started anew by the farm, stands in for one and notes who it is.
 * They are as many as can be used, and what the cache has needs none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/registry.h"
#include "process/process.h"
#include "protocol/wire.h"
#include "worker/cuda/compile/compile.h"

#define NOTES "FARM_TEST_NOTES" /* the file that each compiler begins with a line */

enum { POINTS = 40, THREADS = 64, COMPILERS = 16 };

/* ---- A compiler ---- */

static void answer(struct wire_reader *request)
{
    struct wire out = {0};
    struct point point;
    wire_get_u32(request);
    bool good = wire_get_point(request, family_space, &point);
    bool refused = good && point_value(&point, "stride", 1) == 7;
    if (good && point_value(&point, "stride", 1) == 9)
        exit(1);
    wire_put_u32(&out, 0);
    wire_put_u32(&out, good && !refused);
    wire_put_text(&out, refused ? "seven is refused" : "");
    wire_send(PROCESS_OUT, WIRE_COMPILED, &out);
    wire_free(&out);
}

static int stand_in(void)
{
    struct wire_stream stream = {0};
    struct wire_reader request;
    enum wire_type type;
    FILE *notes = fopen(getenv(NOTES), "a");
    fprintf(notes, "%ld\n", (long)getpid());
    fclose(notes);
    while (wire_stream_fill(&stream, PROCESS_IN) >= 0)
        while (wire_stream_next(&stream, &type, &request) > 0)
            if (type == WIRE_COMPILE)
                answer(&request);
    wire_stream_free(&stream);
    return 0;
}

/* ---- What is asked of them ---- */

static char folder[] = "/tmp/test_farm.XXXXXX", notes[64];
static struct config config;

static int count_compilers(void)
{
    int lines = 0;
    FILE *file = fopen(notes, "r");
    for (int c; file && (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    if (file)
        fclose(file);
    return lines;
}

static struct point copy_with_stride(int64_t stride)
{
    struct point point = point_standard(family_space("copy"));
    point.value[space_axis(point.space, "stride")] = stride;
    return point;
}

struct answers {
    int good, bad;
    uint32_t last_bad;
    char log[64];
    bool seen[POINTS];
};

static void note(void *context, uint32_t index, const char *log)
{
    struct answers *answers = context;
    assert_true(index < POINTS && !answers->seen[index]);
    answers->seen[index] = true;
    *(log ? &answers->bad : &answers->good) += 1;
    if (log) {
        answers->last_bad = index;
        snprintf(answers->log, sizeof answers->log, "%s", log);
    }
}

/* Strides from `first` on. */
static struct answers compile(int64_t first, uint32_t count)
{
    struct answers answers = {0};
    struct point points[POINTS];
    for (uint32_t i = 0; i < count; i++)
        points[i] = copy_with_stride(first + i);
    cuda_farm_compile(&config, 90, points, count, note, &answers);
    assert_int_equal(answers.good + answers.bad, count);
    return answers;
}

static int start(void **state)
{
    remove(notes);
    return 0;
}

static void test_as_many_as_can_be_used(void **state)
{
    assert_int_equal(compile(100, POINTS).good, POINTS);
    assert_int_equal(count_compilers(), COMPILERS);
    assert_int_equal(compile(300, 3).good, 3); /* the others have ended */
    assert_int_equal(count_compilers(), COMPILERS + 3);
}

static void test_a_failure_is_told(void **state)
{
    struct answers answers = compile(1, 8);
    assert_int_equal(answers.good, 7);
    assert_int_equal(answers.last_bad, 6);
    assert_string_equal(answers.log, "seven is refused");
}

static void test_one_that_dies(void **state)
{
    struct answers answers = compile(8, 2); /* 8 and 9 */
    assert_int_equal(answers.good, 1);
    assert_string_equal(answers.log, "the compiler process died");
    assert_int_equal(compile(100, 2).good, 2);
    assert_int_equal(count_compilers(), 4);
}

static bool is_cached(const struct point *point, int capability)
{
    struct code code;
    bool cached = compile_point(point, capability, config.cache_folder, &code, NULL) == 0;
    code_free(&code);
    return cached;
}

static void test_the_cache_needs_none(void **state)
{
    struct text log = {0};
    struct code code;
    struct point point = copy_with_stride(1); /* one source has the kernels of all strides */
    assert_false(is_cached(&point, 90));
    assert_int_equal(compile_point(&point, 90, config.cache_folder, &code, &log), 0);
    assert_true(is_cached(&point, 90));
    assert_false(is_cached(&point, 80));
    code_free(&code);
    assert_int_equal(compile(1, 2).good, 2);
    assert_int_equal(count_compilers(), 0);
    text_free(&log);
}

int main(int argc, char **argv)
{
    if (!strcmp(argv[0], "warpsweep-worker"))
        return stand_in();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_as_many_as_can_be_used, start),
        cmocka_unit_test_setup(test_a_failure_is_told, start),
        cmocka_unit_test_setup(test_one_that_dies, start),
        cmocka_unit_test_setup(test_the_cache_needs_none, start),
    };
    if (!mkdtemp(folder))
        return 1;
    snprintf(notes, sizeof notes, "%s/notes", folder);
    setenv(NOTES, notes, 1);
    config = config_standard();
    config.threads = THREADS;
    snprintf(config.cache_folder, sizeof config.cache_folder, "%s/cache", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) || failed;
}
