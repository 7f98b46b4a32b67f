#include "toolkit/code_facts.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "family/time/executed.h"
#include "toolkit/listing.h"
#include "toolkit/try_compile.h"

const char *const code_use_words[] = {"none", "instructions", "counted", NULL};

struct kernel {
    uint64_t key; /* hash of code and entry */
    struct code_needs needs;
    struct sass sass;
};

struct code_facts {
    int capability;
    struct kernel *kernel; /* owned */
    struct point *point;   /* owned: one point per kernel, with a real architecture */
    size_t kernels, kernels_capacity, points_capacity;
};

struct code_facts *code_facts_new(int capability)
{
    struct code_facts *facts = memory_new(1, sizeof *facts);
    facts->capability = capability;
    return facts;
}

void code_facts_free(struct code_facts *facts)
{
    if (!facts)
        return;
    for (size_t i = 0; i < facts->kernels; i++)
        sass_free(&facts->kernel[i].sass);
    free(facts->kernel);
    free(facts->point);
    free(facts);
}

/* The point with its native architecture replaced by the device's. False: it has no machine code. */
static bool resolve(const struct code_facts *facts, const struct point *point, struct point *out,
                    uint64_t *key)
{
    int axis = space_axis(point->space, "arch");
    struct target target = {.capability = facts->capability};
    struct setup setup = point_setup(point, &target);
    *out = *point;
    if (axis < 0 || !setup_has_code(&setup))
        return false;
    out->value[axis] = family_arch(point, arch_of_device(facts->capability, true));
    *key = hash_text(family_code_key(out, facts->capability), setup.entry);
    return !arch_is_virtual(out->value[axis]);
}

static struct kernel *find(const struct code_facts *facts, uint64_t key)
{
    for (size_t i = facts->kernels; i-- > 0;)
        if (facts->kernel[i].key == key)
            return &facts->kernel[i];
    return NULL;
}

void code_facts_want(struct code_facts *facts, const struct point *point)
{
    struct point named;
    uint64_t key;
    if (!resolve(facts, point, &named, &key) || find(facts, key))
        return;
    facts->kernel =
        memory_grow(facts->kernel, facts->kernels, &facts->kernels_capacity, sizeof *facts->kernel);
    facts->point = memory_grow(facts->point, facts->kernels, &facts->points_capacity, sizeof *facts->point);
    facts->kernel[facts->kernels] = (struct kernel){.key = key};
    facts->point[facts->kernels++] = named;
}

static int read_kernels(struct code_facts *facts, struct error *error)
{
    struct toolkit toolkit;
    int failed =
        toolkit_start(&toolkit, "read compiled code", error) != 0 || compiler_configure(&toolkit, error) != 0;
    for (size_t i = 0; i < facts->kernels && !failed; i++)
        failed = listing_read(&toolkit, facts->point, facts->kernels, i, &facts->kernel[i].needs,
                              &facts->kernel[i].sass, error) != 0;
    toolkit_stop(&toolkit);
    return failed ? -1 : 0;
}

int code_facts_fetch(struct code_facts *facts, struct error *error)
{
    int failures = compile_all(facts->point, facts->kernels, error);
    if (failures > 0)
        return error_set(error, ERROR_ENVIRONMENT,
                         "%d of %zu kernels do not compile; --code none predicts without compiling", failures,
                         facts->kernels);
    return failures < 0 || (facts->kernels && read_kernels(facts, error) != 0) ? -1 : 0;
}

struct code_needs code_facts_fill(const struct code_facts *facts, const struct point *point,
                                  const struct setup *setup, const struct prediction *accesses,
                                  const struct profile *profile, struct time_facts *out)
{
    struct point named;
    uint64_t key;
    const struct kernel *kernel = facts && resolve(facts, point, &named, &key) ? find(facts, key) : NULL;
    double threads = (double)setup->block[0] * setup->block[1] * setup->block[2];
    double warps = (double)setup->grid[0] * setup->grid[1] * setup->grid[2] * ceil(threads / 32);
    out->resident = out->instructions = NAN;
    if (!kernel || setup->engine != ENGINE_KERNEL)
        return (struct code_needs){0};
    out->resident = occupancy_blocks(&kernel->needs, threads, setup->shared_dynamic,
                                     profile->value[PROFILE_threads_sm].value,
                                     profile->value[PROFILE_shared_sm_bytes].value);
    const struct work work = family_of(point)->work(point);
    const struct warp_work each = warp_work_of(accesses, &work, warps);
    out->instructions = warps * executed_min(&kernel->sass, &each);
    return kernel->needs;
}
