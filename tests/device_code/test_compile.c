/* test_compile FAMILY FOLDER [standard] - compile a family's device code for every architecture it is
 * promised on.
 *
 * Of each variant: the standard point on every architecture, which is all with `standard`; every value of
 * every other compiled axis by itself, and all pairs of dtype and vector, which decide the instructions
 * together, on an architecture up to Hopper and one from Blackwell on, each in turn. Where headers of CUB or
 * libcu++ make a compile take a second: on one of all, the ends of each axis of numbers, and no pairs. What
 * family_skip refuses is left out, and so are points of the same macros as another, as far as the code
 * mentions them.
 *
 * Machine code is kept in FOLDER, as in the tool's own cache: what has not changed is not compiled again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "family/code/source.h"
#include "kernels/registry.h"
#include "worker/cuda/compile/compile.h"

enum { VALUES_MAX = 64 };

static const char *const architectures[] = {"sm_80", "sm_90", "sm_90a", "sm_100a", "sm_120a", "sm_100f"};
enum { ARCHITECTURES = 6, UP_TO_HOPPER = 3 };

/* A point to compile, and its macros as far as the code mentions them. */
struct entry {
    struct point point;
    char *macros;
};

struct list {
    struct entry *entry;
    size_t count, capacity;
};

/* Kernels with a header of CUB or libcu++ take a second to compile. */
static bool is_slow(const struct space *space)
{
    const char *source = family_find(space->kernel)->source;
    return strstr(source, "<cub/") || strstr(source, "<cuda/");
}

/* Values of an axis worth compiling: all words; of numbers, up to `most` powers of two over the range, and 3.
 */
static int values_of(const struct axis *axis, int most, int64_t out[VALUES_MAX])
{
    int count = 0, powers = 0;
    if (axis->kind == AXIS_WORD) {
        for (; axis->words[count] && count < VALUES_MAX; count++)
            out[count] = count;
        return count;
    }
    for (int64_t value = 1; value <= axis->most; value *= 2)
        powers += value >= axis->least;
    int step = (powers + most - 1) / most, at = 0;
    for (int64_t value = 1; value <= axis->most; value *= 2)
        if (value >= axis->least && at++ % step == 0)
            out[count++] = value;
    if (axis->least <= 3 && axis->most >= 3)
        out[count++] = 3;
    return count;
}

static bool mentions(const char *source, const char *name, size_t length)
{
    struct tokens tokens = tokens_start(source);
    struct token token;
    while (tokens_next(&tokens, &token))
        if (token.kind == TOKEN_NAME && strlen(token.text) == length && !strncmp(token.text, name, length))
            return true;
    return false;
}

/* The options of the point's macros, without those that the code does not mention: for instance, code that
 * moves elements by their size is the same for f16 and bf16. The caller frees them. */
static char *mentioned_macros(const struct point *point)
{
    const char *source = family_of(point)->source;
    struct text all = {0}, kept = {0};
    macros_define(point, &all);
    for (char *save, *one = strtok_r(all.data, "\n", &save); one; one = strtok_r(NULL, "\n", &save))
        if (strstr(source, "\"element.cuh\"") || mentions(source, one + 2, strcspn(one + 2, "=")))
            text_add(&kept, "%s\n", one);
    text_free(&all);
    return kept.data ? kept.data : memory_text("");
}

/* Add `point` for one architecture, if it can exist there and runs device code. */
static void add_for(struct list *list, struct point point, const char *architecture)
{
    const struct family *family = family_of(&point);
    char reason[256];
    arch value = ARCH_NATIVE;
    arch_parse(architecture, &value);
    point.value[space_axis(point.space, "arch")] = value;
    struct target target = {.capability = arch_capability(value)};
    if (family_skip(&point, &target, reason, sizeof reason))
        return;
    struct setup setup = family->setup(&point, &target);
    if (!setup_has_code(&setup))
        return;
    list->entry = memory_grow(list->entry, list->count, &list->capacity, sizeof *list->entry);
    list->entry[list->count++] = (struct entry){point, mentioned_macros(&point)};
}

/* Whether a point of these macros is in the list, for any architecture. */
static bool has(const struct list *list, const struct point *point)
{
    bool found = false;
    char *macros = mentioned_macros(point);
    for (size_t i = 0; i < list->count && !found; i++)
        found = !strcmp(list->entry[i].macros, macros);
    free(macros);
    return found;
}

static void add(struct list *list, const struct point *point, bool standard)
{
    static unsigned turn;
    bool slow = is_slow(point->space);
    if (has(list, point))
        return;
    unsigned before = turn % UP_TO_HOPPER, after = UP_TO_HOPPER + turn % (ARCHITECTURES - UP_TO_HOPPER);
    for (unsigned i = 0; i < ARCHITECTURES; i++)
        if (standard || (slow ? i == turn % ARCHITECTURES : i == before || i == after))
            add_for(list, *point, architectures[i]);
    turn++;
}

static void add_pairs(struct list *list, struct point point, int dtype, int vector)
{
    int64_t dtypes[VALUES_MAX], vectors[VALUES_MAX];
    int m = values_of(&point.space->axes[dtype], 6, dtypes);
    int n = values_of(&point.space->axes[vector], 6, vectors);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            point.value[dtype] = dtypes[i];
            point.value[vector] = vectors[j];
            add(list, &point, false);
        }
    }
}

static struct list points_of(const struct space *space, bool standard_alone)
{
    struct list list = {0};
    int variant = space_axis(space, "variant"), dtype = space_axis(space, "dtype");
    int vector = space_axis(space, "vector");
    for (int v = 0; space->axes[variant].words[v]; v++) {
        struct point standard = point_standard(space);
        standard.value[variant] = v;
        add(&list, &standard, true);
        if (standard_alone)
            continue;
        for (int i = 0; i < space->count; i++) {
            int64_t values[VALUES_MAX];
            if (!space->axes[i].compiled || i == variant || space->axes[i].kind == AXIS_ARCH)
                continue;
            int count = values_of(&space->axes[i], is_slow(space) ? 2 : 6, values);
            for (int j = 0; j < count; j++) {
                struct point point = standard;
                point.value[i] = values[j];
                add(&list, &point, false);
            }
        }
        if (dtype >= 0 && vector >= 0 && !is_slow(space))
            add_pairs(&list, standard, dtype, vector);
    }
    return list;
}

static bool contains(const struct code *code, const char *text)
{
    return memmem(code->image, code->size, text, strlen(text)) != NULL;
}

/* What is wrong with the code of a point, or NULL; `log` has the compiler's words. */
static const char *compile(const struct entry *entry, const char *folder, struct text *log)
{
    const struct point *point = &entry->point;
    struct target target = {.capability = arch_capability(point_value(point, "arch", 0))};
    struct setup setup = family_of(point)->setup(point, &target);
    struct code code;
    const char *wrong = NULL;
    if (compile_point(point, 0, folder, &code, log) != 0)
        wrong = "does not compile";
    else if (code.size < 64 || memcmp(code.image, "\177ELF", 4) != 0)
        wrong = "gave no cubin";
    else if (!contains(&code, setup.entry))
        wrong = "has no kernel of the name that the setup launches";
    code_free(&code);
    return wrong;
}

int main(int argc, char **argv)
{
    bool standard_alone = argc == 4 && !strcmp(argv[3], "standard");
    const struct space *space = argc == 3 || standard_alone ? family_space(argv[1]) : NULL;
    if (!space) {
        fprintf(stderr, "usage: test_compile FAMILY FOLDER [standard]\n");
        return 2;
    }
    mkdir(argv[2], 0777);
    struct list list = points_of(space, standard_alone);
    int failures = 0;
    for (size_t i = 0; i < list.count; i++) {
        struct text log = {0}, name = {0};
        const char *wrong = compile(&list.entry[i], argv[2], &log);
        point_describe(&list.entry[i].point, &name);
        if (wrong)
            fprintf(stderr, "%s: %s\n%s\n", name.data, wrong, log.data ? log.data : "");
        failures += wrong != NULL;
        text_free(&log);
        text_free(&name);
        free(list.entry[i].macros);
    }
    printf("%s: %zu kernels compiled, %d failed\n", space->kernel, list.count, failures);
    bool nothing = list.count == 0;
    free(list.entry);
    return failures || nothing;
}
