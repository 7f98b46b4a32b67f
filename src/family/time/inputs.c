#include "family/time/roof.h"

static enum formula fill_chain(double *real, const struct chain *chain)
{
    static const enum formula formulas[] = {[CHAIN_NONE] = FORMULA_none,
                                            [CHAIN_LOAD] = FORMULA_chain_load,
                                            [CHAIN_LOAD_L1] = FORMULA_chain_load_l1,
                                            [CHAIN_ATOMIC] = FORMULA_chain_atomic,
                                            [CHAIN_FENCE] = FORMULA_chain_fence,
                                            [CHAIN_FLAG] = FORMULA_chain_flag};
    real[REAL_chain_count] = (double)chain->count;
    real[REAL_chain_groups] = (double)chain->groups;
    real[REAL_chain_slots] = (double)chain->slots;
    real[REAL_chain_bytes] = (double)chain->bytes;
    return formulas[chain->kind];
}

static void fill_tiles(double *real, const struct tile_pipeline *tiles)
{
    real[REAL_tile_count] = tiles->tiles;
    real[REAL_tile_slices] = tiles->slices;
    real[REAL_tile_ahead] = tiles->ahead;
    real[REAL_tile_flops] = tiles->flops / tiles->rate;
    real[REAL_tile_bytes_copied] = tiles->bytes;
    real[REAL_tile_bank_bytes] = tiles->bank_bytes;
    real[REAL_tile_apart] = tiles->apart;
    real[REAL_tile_stored] = tiles->stored;
    real[REAL_tile_warps] = tiles->warps;
    real[REAL_tile_resident] = tiles->resident;
    real[REAL_tile_persistent] = tiles->persistent;
}

static enum formula fill_host_link(double *real, const struct setup *setup, const struct work *work)
{
    bool both_ways = work->bytes_read && work->bytes_written;
    bool two_arrays = both_ways && setup->buffer[2].role != BUFFER_SCRATCH; /* each one way */
    real[REAL_parts] = two_arrays ? 0 : setup->host_copy.chunks;
    return FORMULA_host_link;
}

static enum formula fill_kernel(double *real, const struct point *point, const struct target *target)
{
    const struct family *family = family_of(point);
    struct tile_pipeline tiles;
    if (family->pipeline && family->pipeline(point, target, &tiles)) {
        fill_tiles(real, &tiles);
        return FORMULA_tiles;
    }
    return family->memory == MEMORY_SHARED ? FORMULA_shared : FORMULA_kernel;
}

/* Of measurements of latency only those that are chains have a time; links that share their ends have
 * none. */
static enum formula fill_formula(double *real, const struct point *point, const struct setup *setup,
                                 const struct target *target, const struct work *work)
{
    const struct family *family = family_of(point);
    if (family_devices(point).count > 2)
        return FORMULA_none;
    if (family->chain) {
        struct chain chain = family->chain(point);
        return fill_chain(real, &chain);
    }
    if (family->memory == MEMORY_NONE)
        return FORMULA_none;
    if (family->memory == MEMORY_LINK)
        return fill_host_link(real, setup, work);
    if (family->memory == MEMORY_PEER) {
        real[REAL_parts] = setup_has_parts(setup) ? setup->parts : 1;
        return setup->engine == ENGINE_KERNEL ? FORMULA_link_kernel : FORMULA_link_copy;
    }
    return setup->engine == ENGINE_KERNEL ? fill_kernel(real, point, target) : FORMULA_library;
}

void inputs_fill(struct result *result, const struct point *point, const struct setup *setup,
                 const struct target *target, const struct prediction *accesses, bool known)
{
    struct work work = family_of(point)->work(point);
    double *real = result->real;
#define X(name) real[REAL_predicted_##name] = accesses->name;
    PREDICTIONS(X)
#undef X
    real[REAL_special] = (double)work.special;
    real[REAL_footprint] = (double)setup_bytes(setup, 512);
    real[REAL_addresses] = known && model_is_complete(setup);
    real[REAL_model_devices] = family_devices(point).count;
    real[REAL_dependent_launch] = setup->programmatic_launch;
    result->formula = fill_formula(real, point, setup, target, &work);
    result->arithmetic = roof_of_type(point);
}
