/* The worker's own device code, compiled for every architecture: what measures peaks moves as many bytes at
 * once as the architecture can. */
#include "unit_test.h"

#include "claims.h"
#include "worker/cuda/compile/compile.h"

extern const char support_source[], roofs_source[], product_source[];

static const struct {
    const char *entry;
    bool roof; /* in roofs.cu; else in support.cu */
    struct claim claim;
} rows[] = {
    {"read_words", false, {.architectures = "sm_90-", .claims = "only LDG@16; no LDL"}},
    {"read_words", false, {.architectures = "sm_100+", .claims = "only LDG@32; no LDL"}},
    {"write_words", false, {.architectures = "sm_90-", .claims = "only STG@16; no STL"}},
    {"write_words", false, {.architectures = "sm_100+", .claims = "only STG@32; no STL"}},
    {"copy_words", true, {.architectures = "sm_90-", .claims = "only LDG@16; only STG@16; no LDL"}},
    {"copy_words", true, {.architectures = "sm_100+", .claims = "only LDG@32; only STG@32; no LDL"}},
    {"fill_words", true, {.architectures = "sm_90-", .claims = "only STG@16; no LDG"}},
    {"fill_words", true, {.architectures = "sm_100+", .claims = "only STG@32; no LDG"}},
    {"read_tiles", true, {.architectures = "sm_90-", .claims = "4 LDG@16; only LDG@16; no loop; no LDL"}},
    {"read_tiles", true, {.architectures = "sm_100+", .claims = "2 LDG@32; only LDG@32; no loop; no LDL"}},
    {"write_tiles", true, {.architectures = "sm_90-", .claims = "4 STG@16; only STG@16; no loop; no LDG"}},
    {"write_tiles", true, {.architectures = "sm_100+", .claims = "2 STG@32; only STG@32; no loop; no LDG"}},
    {"copy_tiles", true, {.architectures = "sm_90-", .claims = "4 LDG@16; 4 STG@16; no loop; no LDL"}},
    {"copy_tiles", true, {.architectures = "sm_100+", .claims = "2 LDG@32; 2 STG@32; no loop; no LDL"}},
    {"read_shared", true, {.architectures = "all", .claims = "only LDS@16; no LDL"}},
    {"fma_f32", true, {.architectures = "all", .claims = "has FFMA; no LDL; no STL"}},
    {"fma_f64", true, {.architectures = "all", .claims = "has DFMA; no LDL; no STL"}},
    {"fma_f16", true, {.architectures = "all", .claims = "has HFMA2; no LDL; no STL"}},
    {"fma_bf16", true, {.architectures = "all", .claims = "has HFMA2.BF16_V2; no LDL; no STL"}},
};

/* Multiply-adds of the loop of a roof: 16 steps of 8 chains, and the pipes that they are spread over. Which
 * architecture has two pipes for halves follows from the compiler, which names the second one HFMA2.MMA. */
static const struct {
    const char *entry, *mnemonic;
    int two_pipes[2]; /* capabilities; 0: none */
} loops[] = {
    {"fma_f16", "HFMA2", {80, 90}},
    {"fma_bf16", "HFMA2", {90, 0}},
    {"fma_f32", "FFMA", {0, 0}},
    {"fma_f64", "DFMA", {0, 0}},
};
enum { LOOP_MULTIPLY_ADDS = 16 * 8 };

static struct text list(const char *name, const char *source, arch target)
{
    struct code code;
    struct text log = {0}, listing = {0};
    struct error error;
    if (compile_source(name, source, NULL, target, "--fmad=false\n", "", &code, &log) != 0)
        fail_msg("%s: %s", name, log.data);
    if (disassemble(code.image, code.size, &listing, &error) != 0)
        fail_msg("%s: %s", name, error.text);
    code_free(&code);
    text_free(&log);
    return listing;
}

static void hold(const char *name, const struct text *support, const struct text *roofs, int capability)
{
    int held = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sass sass = {0};
        struct error error;
        if (!claim_is_for(&rows[i].claim, capability))
            continue;
        if (sass_read((rows[i].roof ? roofs : support)->data, rows[i].entry, &sass) != 0)
            fail_msg("%s: nvdisasm does not list '%s'", name, rows[i].entry);
        if (claim_check(&rows[i].claim, NULL, &sass, NULL, NULL, &error) != 0)
            fail_msg("%s, %s: %s", name, rows[i].entry, error.text);
        sass_free(&sass);
        held++;
    }
    assert_int_equal(held, 12);
}

/* The reference of products: by tensor cores, and nothing of it in local memory. */
static void check_product(const char *name, arch target)
{
    static const struct claim claim = {.architectures = "all", .claims = "has DMMA; no LDL; no STL"};
    struct text listing = list("product.cu", product_source, target);
    struct sass sass = {0};
    struct error error;
    assert_int_equal(sass_read(listing.data, "product", &sass), 0);
    if (claim_check(&claim, NULL, &sass, NULL, NULL, &error) != 0)
        fail_msg("%s, product: %s", name, error.text);
    sass_free(&sass);
    text_free(&listing);
}

static bool has_modifier(const char *opcode, const char *modifier)
{
    const char *at = strstr(opcode, modifier);
    return at && (at[strlen(modifier)] == '.' || !at[strlen(modifier)]);
}

/* In the loop that holds the multiply-adds: a backward branch, and what lies between it and its target. */
static void count_loop(const struct sass *sass, const char *mnemonic, int *all, int *second_pipe,
                       int *broadcast)
{
    size_t first = 0, last = 0;
    for (size_t i = 0; i < sass->count; i++)
        if (sass->instruction[i].target >= 0 && (size_t)sass->instruction[i].target < i) {
            first = (size_t)sass->instruction[i].target;
            last = i;
            break;
        }
    *all = *second_pipe = *broadcast = 0;
    for (size_t i = first; i < last; i++) {
        const struct sass_instruction *one = &sass->instruction[i];
        if (sass_mnemonic(one->opcode) != strlen(mnemonic) ||
            strncmp(one->opcode, mnemonic, strlen(mnemonic)) != 0)
            continue;
        ++*all;
        *second_pipe += has_modifier(one->opcode, ".MMA");
        *broadcast += strstr(one->operands, "H0_H0") != NULL;
    }
}

static void check_loops(const char *name, const struct text *roofs, int capability)
{
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct sass sass = {0};
        int all, second_pipe, broadcast;
        bool two = capability == loops[i].two_pipes[0] || capability == loops[i].two_pipes[1];
        assert_int_equal(sass_read(roofs->data, loops[i].entry, &sass), 0);
        count_loop(&sass, loops[i].mnemonic, &all, &second_pipe, &broadcast);
        if (all != LOOP_MULTIPLY_ADDS || broadcast || second_pipe != (two ? all / 2 : 0))
            fail_msg("%s, %s: the loop has %d %s, %d of them on the second pipe, %d with one half for both",
                     name, loops[i].entry, all, loops[i].mnemonic, second_pipe, broadcast);
        sass_free(&sass);
    }
}

static int skip_without_nvdisasm(void **state)
{
    if (!disassembler_path()) {
        puts("skipped: there is no nvdisasm; ./quickstart test installs it");
        exit(77);
    }
    return 0;
}

GROUP(skip_without_nvdisasm, NULL)

TEST(worker_code)
{
    static const char *const architectures[] = {"sm_80", "sm_90a", "sm_100a", "sm_120"};
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        arch target;
        assert_true(arch_parse(architectures[a], &target));
        struct text support = list("support.cu", support_source, target);
        struct text roofs = list("roofs.cu", roofs_source, target);
        hold(architectures[a], &support, &roofs, arch_capability(target));
        check_loops(architectures[a], &roofs, arch_capability(target));
        check_product(architectures[a], target);
        text_free(&support);
        text_free(&roofs);
    }
}
