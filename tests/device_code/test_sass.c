/* test_sass FAMILY FOLDER [ARCHITECTURE...] - check what a family claims of its machine code (NAME.claims).
 *
 * Every claim is checked on each of the given architectures (none: all) that it is for and that the point
 * supports. Every variant with device code needs a claim on each of them. Its standard point uses no local
 * memory unless a claim allows it. Machine code and its listings are kept in FOLDER, which test_compile
 * shares. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "claims.h"
#include "kernels/registry.h"
#include "worker/cuda/compile/compile.h"
#include "worker/pool.h"

/* The first ones are for all claims; the rest for claims that name their capability alone, of instructions
 * that sm_100a has, too. */
static const char *const architectures[] = {"sm_80",   "sm_90a",  "sm_100a", "sm_120a",
                                            "sm_103a", "sm_110a", "sm_100f"};
enum { ARCHITECTURES = 7, FOR_ALL = 4, NAME = 6, VARIANTS_MAX = 32 };

static bool chosen[ARCHITECTURES];

static const char *cache;
static int failures, held;

/* All claims are gone through twice: first their cubins are collected, so that they are listed by all
 * processors. */
static bool collecting;
static struct code *collected;
static size_t collected_count, collected_capacity;

static void collect(const struct point *point)
{
    struct text log = {0};
    struct code code;
    if (compile_point(point, 0, cache, &code, &log) == 0) {
        collected = memory_grow(collected, collected_count, &collected_capacity, sizeof *collected);
        collected[collected_count++] = code;
    } /* else the second time says why */
    text_free(&log);
}

static void list_some(void *unused, uint64_t first, uint64_t count)
{
    (void)unused;
    for (uint64_t i = first; i < first + count; i++) {
        struct text listing = {0};
        struct error error; /* the second time says why */
        disassemble_once(collected[i].image, collected[i].size, cache, &listing, &error);
        text_free(&listing);
    }
}

static void list_collected(void)
{
    if (collected_count)
        list_some(NULL, 0, 1); /* keeps the version of nvdisasm, which the threads only read */
    pool_run((int)sysconf(_SC_NPROCESSORS_ONLN), collected_count, 1, list_some, NULL);
    for (size_t i = 0; i < collected_count; i++)
        code_free(&collected[i]);
    free(collected);
}

static void complain(const struct point *point, const char *what)
{
    struct text description = {0};
    if (collecting)
        return;
    point_describe(point, &description);
    fprintf(stderr, "%s: %s\n", description.data, what);
    text_free(&description);
    failures++;
}

/* As claim_code. */
static int code_of(void *context, const struct point *point, struct sass *sass, struct error *error)
{
    struct target target = {.capability = arch_capability(point_value(point, "arch", 0))};
    struct text log = {0}, listing = {0};
    struct code code;
    char reason[256];
    const char *why = family_skip(point, &target, reason, sizeof reason);
    if (why)
        return error_set(error, ERROR_USAGE, "it cannot exist: %s", why);
    int failed = compile_point(point, 0, cache, &code, &log);
    if (failed)
        error_set(error, ERROR_USAGE, "it does not compile: %.400s", log.data);
    else
        failed = disassemble_once(code.image, code.size, cache, &listing, error);
    const char *entry = family_of(point)->setup(point, &target).entry;
    if (!failed && cubin_registers(code.image, code.size, entry) < 4)
        failed = error_set(error, ERROR_USAGE, "the cubin does not tell its registers");
    if (!failed && sass_read(listing.data, entry, sass) != 0)
        failed = error_set(error, ERROR_USAGE, "nvdisasm does not list '%s'", entry);
    code_free(&code);
    text_free(&log);
    text_free(&listing);
    return failed;
}

static bool can_exist(const struct point *point)
{
    struct target target = {.capability = arch_capability(point_value(point, "arch", 0))};
    char reason[256];
    if (family_skip(point, &target, reason, sizeof reason))
        return false;
    struct setup setup = family_of(point)->setup(point, &target);
    return setup_has_code(&setup);
}

static struct point for_architecture(struct point point, const char *name)
{
    arch value = ARCH_NATIVE;
    arch_parse(name, &value);
    point.value[space_axis(point.space, "arch")] = value;
    return point;
}

/* Which variants have a claim, by architecture. */
static bool claimed[VARIANTS_MAX][ARCHITECTURES];

/* Variants that are not compiled are the same code: number 0. */
static int variant_of(const struct point *point)
{
    int axis = space_axis(point->space, "variant");
    return point->space->axes[axis].compiled ? (int)point->value[axis] : 0;
}

/* As claim_code, for the negative control of "unlike": every point has the code in `context`. */
static int same_code(void *context, const struct point *point, struct sass *sass, struct error *error)
{
    const struct sass *own = context;
    *sass = (struct sass){.count = own->count};
    sass->instruction = calloc(own->count + 1, sizeof *sass->instruction);
    memcpy(sass->instruction, own->instruction, own->count * sizeof *own->instruction);
    return 0;
}

/* Negative control: code altered so that `part` must not hold. Instructions of its mnemonic are taken out,
 * or, where it wants none, all instructions become such ones; where it limits the length, there is one more
 * than allowed. */
static bool can_break(const char *part, const struct point *point, const struct sass *sass)
{
    struct claim claim = {.architectures = "all"};
    struct sass altered = *sass;
    struct error error;
    char opcode[64], operands[64] = "";
    const char *verb = strncmp(part, "loop ", 5) ? part : part + 5, *op = strchr(verb, ' ');
    bool none = !strncmp(verb, "no ", 3), length = !strncmp(verb, "length ", 7);
    size_t count = sass->count, limit = length ? (size_t)atol(strstr(verb, "<= ") + 3) : 0;
    if (!strcmp(part, "local memory may be used"))
        return true;
    snprintf(claim.claims, sizeof claim.claims, "%s", part);
    if (!strncmp(part, "unlike ", 7))
        return claim_check(&claim, point, sass, same_code, (void *)(uintptr_t)sass, &error) != 0;
    snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(op + 1, "@(*"), op + 1);
    if (strchr(part, '@')) { /* the width, as the disassembler spells it */
        static const char *const widths[] = {
            [1] = ".U8", [2] = ".U16", [4] = "", [8] = ".64", [16] = ".128", [32] = ".256"};
        strcat(opcode, widths[atoi(strchr(part, '@') + 1)]);
    }
    if (strchr(part, '('))
        snprintf(operands, sizeof operands, "%s", strchr(part, '(') + 1);
    altered.instruction = calloc(count + limit + 1, sizeof *altered.instruction);
    altered.count = length && count <= limit ? limit + 1 : count;
    altered.loops |= none;
    for (size_t i = 0; i < altered.count; i++) {
        struct sass_instruction *one = &altered.instruction[i];
        bool named = i < count && !strncmp(sass->instruction[i].opcode, opcode, sass_mnemonic(opcode));
        *one = i < count ? sass->instruction[i] : (struct sass_instruction){.opcode = "NOP", .operands = ""};
        if (none)
            one->opcode = opcode, one->operands = operands;
        else if (named)
            one->opcode = "NOP";
    }
    if (length && part != verb) /* the whole function is its loop */
        altered.loop_first = 0, altered.loop_last = (long)altered.count - 1;
    bool broken = claim_check(&claim, point, &altered, NULL, NULL, &error) != 0;
    free(altered.instruction);
    return broken;
}

static void check_controls(const struct claim *claim, const struct point *point, const struct sass *sass)
{
    char parts[CLAIMS_LINE_MAX], what[CLAIMS_LINE_MAX + 64];
    if (claim_text(claim, point, parts, NULL) != 0)
        return; /* complained about by claim_check */
    for (char *save, *part = strtok_r(parts, ";", &save); part; part = strtok_r(NULL, ";", &save)) {
        part += strspn(part, " ");
        if (can_break(part, point, sass))
            continue;
        snprintf(what, sizeof what, "'%s' holds of code that it must not hold of", part);
        complain(point, what);
    }
}

/* sm_103 is named for sm_103a, and not by sm_100+. */
static bool is_named(const struct claim *claim, const char *architecture)
{
    char name[NAME + 1];
    snprintf(name, sizeof name, "%.*s", NAME, architecture);
    const char *at = strstr(claim->architectures, name);
    return at && at[NAME] != '+' && at[NAME] != '-';
}

/* Whether the claim speaks of this architecture; it is checked if that one is chosen. */
static bool hold_on(const struct claim *claim, struct point point, int a)
{
    struct sass sass = {0};
    struct error error;
    point = for_architecture(point, architectures[a]);
    if (!claim_is_for(claim, arch_capability(point_value(&point, "arch", 0))) || !can_exist(&point) ||
        (a >= FOR_ALL && !is_named(claim, architectures[a])))
        return false;
    if (chosen[a] && collecting)
        collect(&point);
    if (!chosen[a] || collecting)
        return true;
    if (code_of(NULL, &point, &sass, &error) != 0 ||
        claim_check(claim, &point, &sass, code_of, NULL, &error) != 0)
        complain(&point, error.text);
    else
        check_controls(claim, &point, &sass);
    sass_free(&sass);
    claimed[variant_of(&point)][a] = true;
    held++;
    return true;
}

static void hold(const struct family *family, const struct claim *claim)
{
    struct error error;
    bool spoke = false;
    for (size_t nth = 0; nth < claim_combinations(claim->settings); nth++) {
        struct point point = point_standard(&family->space);
        if (claim_set_nth(&point, claim->settings, nth, &error) != 0) {
            complain(&point, error.text);
            return;
        }
        for (int a = 0; a < ARCHITECTURES; a++)
            spoke |= hold_on(claim, point, a);
    }
    if (!spoke && !collecting) {
        fprintf(stderr, "%s | %s: it speaks of nothing that can exist\n", claim->settings,
                claim->architectures);
        failures++;
    }
}

static void check_variants(const struct family *family)
{
    const struct axis *axis = &family->space.axes[space_axis(&family->space, "variant")];
    for (int v = 0; axis->words[v]; v++) {
        for (int a = 0; a < FOR_ALL; a++) {
            struct point point = point_standard(&family->space);
            point.value[space_axis(point.space, "variant")] = v;
            point = for_architecture(point, architectures[a]);
            if (chosen[a] && !claimed[variant_of(&point)][a] && can_exist(&point))
                complain(&point, "no claim speaks of this variant");
        }
    }
}

/* Choose the named architectures, or all; false for an unknown name. */
static bool choose(int count, char **names)
{
    for (int a = 0; a < ARCHITECTURES; a++)
        chosen[a] = count == 0;
    for (int i = 0; i < count; i++) {
        int a = 0;
        while (a < ARCHITECTURES && strcmp(names[i], architectures[a]) != 0)
            a++;
        if (a == ARCHITECTURES)
            return false;
        chosen[a] = true;
    }
    return true;
}

int main(int argc, char **argv)
{
    const struct family *family = argc >= 3 ? family_find(argv[1]) : NULL;
    struct claim claim;
    struct error error;
    int got;
    if (!family || !choose(argc - 3, argv + 3)) {
        fprintf(stderr, "usage: test_sass FAMILY FOLDER [ARCHITECTURE...]\n");
        return 2;
    }
    if (!family->claims) {
        printf("%s claims nothing: there is no %s.claims\n", argv[1], argv[1]);
        return 0;
    }
    if (!disassembler_path()) {
        printf("there is no nvdisasm: skipped; ./quickstart test installs it\n");
        return 77;
    }
    cache = argv[2];
    mkdir(cache, 0777);
    for (int pass = 0; pass < 2; pass++) {
        const char *text = family->claims;
        collecting = pass == 0;
        while ((got = claim_next(&text, &claim, &error)) > 0)
            hold(family, &claim);
        if (collecting)
            list_collected();
    }
    if (got < 0) {
        fprintf(stderr, "%s\n", error.text);
        failures++;
    }
    check_variants(family);
    printf("%s: %d claims held against machine code, %d failures\n", family->space.kernel, held, failures);
    return failures || !held;
}
