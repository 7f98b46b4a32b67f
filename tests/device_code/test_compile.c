/* test_compile FAMILY - compile a family's device code for every architecture it is promised on.
 *
 * Of each variant: the standard point on every architecture; every value of every other compiled axis by
 * itself, and all pairs of dtype and vector, which decide the instructions together, on an architecture up to
 * Hopper and one from Blackwell on, each in turn. Where headers of CUB or libcu++ make a compile take a
 * second: on one of all, the ends of each axis of numbers, and no pairs. What family_skip refuses is left
 * out. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/registry.h"
#include "worker/cuda/compile/nvrtc.h"
#include "worker/pool.h"

enum { VALUES_MAX = 64, THREADS = 2 };

static const char *const architectures[] = {"sm_80", "sm_90", "sm_90a", "sm_100a", "sm_120"};
enum { ARCHITECTURES = 5, UP_TO_HOPPER = 3 };

struct list {
    struct point *point;
    size_t count, capacity;
};

struct job {
    const struct list *list;
    _Atomic int failures;
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

/* Add `point` for one architecture, if it can exist there, runs device code and is not in the list. */
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
    if (!setup.entry || (setup.engine != ENGINE_KERNEL && setup.engine != ENGINE_HOST_COPY))
        return;
    uint64_t key = family_code_key(&point, target.capability);
    for (size_t i = 0; i < list->count; i++)
        if (family_code_key(&list->point[i], target.capability) == key)
            return;
    list->point = memory_grow(list->point, list->count, &list->capacity, sizeof *list->point);
    list->point[list->count++] = point;
}

static void add(struct list *list, const struct point *point, bool standard)
{
    static unsigned turn;
    bool slow = is_slow(point->space);
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

static struct list points_of(const struct space *space)
{
    struct list list = {0};
    int variant = space_axis(space, "variant"), dtype = space_axis(space, "dtype");
    int vector = space_axis(space, "vector");
    for (int v = 0; space->axes[variant].words[v]; v++) {
        struct point standard = point_standard(space);
        standard.value[variant] = v;
        add(&list, &standard, true);
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

static void compile_body(void *context, uint64_t first, uint64_t count)
{
    struct job *job = context;
    for (uint64_t i = first; i < first + count; i++) {
        const struct point *point = &job->list->point[i];
        struct target target = {.capability = arch_capability(point_value(point, "arch", 0))};
        struct setup setup = family_of(point)->setup(point, &target);
        struct code code;
        struct text log = {0}, name = {0};
        point_describe(point, &name);
        const char *wrong = NULL;
        if (compile_point(point, 0, "", &code, &log) != 0)
            wrong = "does not compile";
        else if (code.size < 64 || memcmp(code.image,
                                          "\x7f"
                                          "ELF",
                                          4) != 0)
            wrong = "gave no cubin";
        else if (!contains(&code, setup.entry))
            wrong = "has no kernel of the name that the setup launches";
        if (wrong) {
            fprintf(stderr, "%s: %s\n%s\n", name.data, wrong, log.data ? log.data : "");
            job->failures++;
        }
        code_free(&code);
        text_free(&log);
        text_free(&name);
    }
}

int main(int argc, char **argv)
{
    const struct space *space = argc == 2 ? family_space(argv[1]) : NULL;
    if (!space) {
        fprintf(stderr, "usage: test_compile FAMILY\n");
        return 2;
    }
    struct list list = points_of(space);
    struct job job = {.list = &list};
    pool_run(THREADS, list.count, 1, compile_body, &job);
    printf("%s: %zu kernels compiled, %d failed\n", space->kernel, list.count, job.failures);
    bool nothing = list.count == 0;
    free(list.point);
    return job.failures || nothing;
}
