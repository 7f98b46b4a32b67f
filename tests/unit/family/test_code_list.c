/* A list of machine code: which file a point gets, and what is said when there is none. What is wrong with a
 * list is in tests/user_family/user_code.sh. */
#include "folder_fixture.h"

#include "base/io.h"
#include "family/code_list.h"
#include "family/family.h"

static const char *const variants[] = {"only", NULL};
enum { VARIANT, SIZE, BLOCK, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "only"),
    [SIZE] = AXIS_SIZE("1MiB"),
    [BLOCK] = AXIS_BLOCK("128"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

static struct setup setup(const struct point *point, const struct target *target)
{
    return (struct setup){
        .entry = "own", .block = {(uint32_t)point->value[BLOCK], 1, 1}, .shared_dynamic = 16};
}

static const char *never(const struct point *point, const struct target *target, char *reason, size_t size)
{
    return NULL;
}

static struct code_list list;
static struct family family = {.space = {"listed", axes, AXES}, .skip = never, .setup = setup, .code = &list};

static void read_list(const char *text)
{
    struct text path = {0};
    struct error error = {0};
    code_list_free(&list);
    text_add(&path, "%s/x.code", folder);
    assert_int_equal(io_replace_file(path.data, text, strlen(text), NULL, &error), 0);
    if (code_list_read(path.data, &family.space, &list, &error) != 0)
        fail_msg("%s", error.text);
    text_free(&path);
}

static struct point at(int64_t block, const char *architecture)
{
    struct point point = point_standard(&family.space);
    point.value[BLOCK] = block;
    assert_true(arch_parse(architecture, &point.value[ARCH]));
    return point;
}

/* The line of the file that the point gets; 0: none. */
static int line_for(int64_t block, const char *architecture, int capability)
{
    struct point point = at(block, architecture);
    const struct code_file *file = code_list_find(&list, &point, capability);
    return file ? file->line : 0;
}

TEST(the_nearest_code_is_taken)
{
    read_list("block=128 | compute_80 | x.code\n"
              "block=128 | sm_80 | x.code\n"
              "block=128 | sm_90 | x.code\n"
              "block=128 | sm_90a | x.code\n"
              "block=128 | compute_90 | x.code\n"
              "block=256 | sm_100f | x.code\n");
    assert_int_equal(line_for(128, "native", 80), 2);
    assert_int_equal(line_for(128, "native", 86), 2);
    assert_int_equal(line_for(128, "native", 90), 4);
    assert_int_equal(line_for(128, "native", 100), 5); /* PTX, the later one */
    assert_int_equal(line_for(128, "native", 75), 0);
    assert_int_equal(line_for(256, "native", 103), 6);
    assert_int_equal(line_for(256, "native", 90), 0);
    assert_int_equal(line_for(256, "native", 0), 6); /* a device that is not known: some */
    assert_int_equal(line_for(512, "native", 0), 0);
    /* A name is that, or PTX that can be assembled for it. */
    assert_int_equal(line_for(128, "sm_90", 90), 3);
    assert_int_equal(line_for(128, "sm_86", 86), 1);
    assert_int_equal(line_for(128, "compute_80", 90), 1);
    assert_int_equal(line_for(128, "compute_75", 90), 0);
    assert_int_equal(line_for(256, "sm_100a", 100), 0);
}

TEST(native_means_the_code_there_is)
{
    arch hopper = arch_of_device(90, true), named;
    read_list("block=128 | sm_90 | x.code\nblock=256 | compute_80 | x.code\n");
    struct point point = at(128, "native"), ptx = at(256, "native"), fixed = at(128, "sm_80");
    assert_true(arch_parse("sm_90", &named));
    assert_int_equal(family_arch(&point, hopper), named);
    assert_int_equal(family_arch(&ptx, hopper), hopper); /* it is assembled for that */
    assert_int_equal(family_arch(&fixed, hopper), 8000);
    assert_int_equal(family_arch(&point, ARCH_NATIVE), ARCH_NATIVE);
    fixed.value[ARCH] = named;
    assert_true(family_code_key(&point, 90) == family_code_key(&fixed, 90));
    assert_true(family_code_key(&point, 90) != family_code_key(&ptx, 90));
}

TEST(the_list_goes_before_the_setup)
{
    struct target target = {.capability = 90};
    read_list(
        "block=128 | sm_90 | x.code | entry=theirs shared=4KiB threads=128\nblock=256 | sm_90 | x.code\n");
    struct point point = at(128, "native"), plain = at(256, "native");
    struct setup s = point_setup(&point, &target);
    assert_string_equal(s.entry, "theirs");
    assert_int_equal(s.shared_dynamic, 4096);
    s = point_setup(&plain, &target);
    assert_string_equal(s.entry, "own");
    assert_int_equal(s.shared_dynamic, 16);
    assert_int_equal(list.file[0].threads, 128);
    assert_int_equal(list.file[1].threads, -1);
}

static int end(void **state)
{
    code_list_free(&list);
    return remove_folder(state);
}

GROUP(make_folder, end)
