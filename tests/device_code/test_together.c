/* Cubins that nvdisasm lists together have the listings that each has alone. */
#include "folder_fixture.h"

#include "family/code/sass.h"
#include "kernels/registry.h"
#include "worker/cuda/compile/compile.h"

enum { CUBINS_MAX = 64 };

/* Branches and loops, calls of functions, tables of jumps, several kernels in a cubin; two architectures mixed. */
static const struct {
    const char *kernel, *architecture;
} rows[] = {{"copy", "sm_90a"},      {"matmul", "sm_80"}, {"dram_channels", "sm_90a"},
            {"mma_rate", "sm_100a"}, {"lookup", "sm_80"}, {"add", "sm_120"}};

static struct code code[CUBINS_MAX];
static const char *entry[CUBINS_MAX];
static size_t count;

static void compile_variants(const char *kernel, const char *architecture)
{
    const struct space *space = family_space(kernel);
    int variant = space_axis(space, "variant");
    for (int v = 0; space->axes[variant].words[v]; v++) {
        struct point point = point_standard(space);
        struct text log = {0};
        char reason[256];
        arch value;
        assert_true(arch_parse(architecture, &value));
        point.value[variant] = v;
        point.value[space_axis(space, "arch")] = value;
        struct target target = {.capability = arch_capability(value)};
        if (family_skip(&point, &target, reason, sizeof reason) || count == CUBINS_MAX)
            continue;
        struct setup setup = family_of(&point)->setup(&point, &target);
        if (!setup_has_code(&setup))
            continue;
        entry[count] = setup.entry;
        if (compile_point(&point, 0, "", &code[count++], &log) != 0)
            fail_msg("%s: %s", kernel, log.data);
        text_free(&log);
    }
}

static void assert_same(const char *alone, const char *together, const char *name)
{
    struct sass a, b;
    assert_int_equal(sass_read(alone, name, &a), 0);
    assert_int_equal(sass_read(together, name, &b), 0);
    assert_int_equal(a.count, b.count);
    assert_int_equal(a.loop_first, b.loop_first);
    assert_int_equal(a.loop_last, b.loop_last);
    for (size_t i = 0; i < a.count; i++) {
        const struct sass_instruction *one = &a.instruction[i], *other = &b.instruction[i];
        assert_string_equal(one->opcode, other->opcode);
        assert_int_equal(one->target, other->target);
        assert_int_equal(one->predicated, other->predicated);
        if (!strstr(one->operands, ".L_x_")) /* labels are numbered through all of a file */
            assert_string_equal(one->operands, other->operands);
    }
    sass_free(&a);
    sass_free(&b);
}

static void list_alone(struct text *listing)
{
    struct error error;
    for (size_t i = 0; i < count; i++)
        if (disassemble(code[i].image, code[i].size, &listing[i], &error) != 0)
            fail_msg("%s", error.text);
}

static int skip_without_nvdisasm(void **state)
{
    (void)state;
    if (!disassembler_path()) {
        puts("skipped: there is no nvdisasm; ./quickstart test installs it");
        exit(77);
    }
    return make_folder(state);
}

GROUP(skip_without_nvdisasm, remove_folder)

TEST(together_as_alone)
{
    struct cubin_view cubins[CUBINS_MAX];
    struct text alone[CUBINS_MAX] = {{0}};
    size_t joined = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        compile_variants(rows[i].kernel, rows[i].architecture);
    for (size_t i = 0; i < count; i++)
        cubins[i] = (struct cubin_view){code[i].image, code[i].size};
    list_alone(alone);
    disassemble_ahead(cubins, count, folder);
    setenv("NVDISASM", "/bin/false", 1); /* what is listed from now on is in the cache */
    for (size_t i = 0; i < count; i++) {
        struct text together = {0};
        struct error error;
        int failed = disassemble_once(code[i].image, code[i].size, folder, &together, &error);
        assert_int_equal(failed != 0, cubin_joinable(&cubins[i]) == 0);
        joined += !failed;
        if (!failed) {
            assert_null(strstr(together.data, CUBIN_JOINED));
            assert_same(alone[i].data, together.data, entry[i]);
        }
        text_free(&together);
        text_free(&alone[i]);
        code_free(&code[i]);
    }
    printf("%zu of %zu cubins were listed together\n", joined, count);
    assert_in_range(joined, 20, count - 1); /* some have a table of jumps */
}
