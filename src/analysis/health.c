#include "analysis/health.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/health_facts.h"
#include "analysis/pairing.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/roof.h"

#define ERROR_RATE 0.001 /* of a part's verdict */

const struct health_part_info health_parts[HEALTH_PART_COUNT] = {
#define X(name, least, description) {least, description},
    HEALTH_PARTS(X)
#undef X
};

/* ---- One device in one file ---- */

/* The points of a device, in the order of the view's rows. unit_free releases it. */
struct unit {
    const struct view *view;
    uint32_t device;        /* row of /devices */
    struct entry *entry;    /* owned, and so are their cells */
    struct pooling pooling; /* of its processes */
    double processes;       /* of the point that has most */
};

static struct unit unit_of(const struct view *view, const struct summary_cells *cells, uint32_t device)
{
    struct unit unit = {.view = view, .device = device};
    struct levels *levels = memory_new(view->rows + 1, sizeof *levels);
    unit.entry = memory_new(view->rows + 1, sizeof *unit.entry);
    for (size_t i = 0; i < view->rows; i++) {
        struct entry whole = entry_of(view->dataset, cells, view->row[i]);
        unit.entry[i] = entry_part(&whole, &device, 1);
        levels[i] = levels_of(unit.entry[i].cell, unit.entry[i].cells);
    }
    unit.pooling = pooling_of(levels, view->rows);
    for (size_t i = 0; i < view->rows; i++)
        levels_free(&levels[i]);
    free(levels);
    return unit;
}

static void unit_free(struct unit *unit)
{
    for (size_t i = 0; i < unit->view->rows; i++)
        entry_free(&unit->entry[i]);
    free(unit->entry);
}

static const char *device_text(const struct unit *unit, const char *column)
{
    return frame_find_text(&unit->view->dataset->devices, unit->device, column);
}

/* ---- Parts ---- */

enum { COLUMN_IS_pair }; /* an axis of the families of several devices */

static enum health_part part_of_latency(const char *variant)
{
    return !strcmp(variant, "dram") ? HEALTH_latency_dram
           : !strcmp(variant, "l2") ? HEALTH_latency_l2
                                    : HEALTH_latency_sm;
}

static enum health_part part_of(const struct dataset *dataset, size_t row)
{
    const struct frame *results = &dataset->results;
    const char *pair = frame_find_text(results, row, COLUMN(pair));
    if (strchr(pair, '-')) /* of two devices, as "0-1" */
        return HEALTH_link_peer;
    if (!isnan(frame_find_real(results, row, COLUMN(latency_p50))))
        return part_of_latency(frame_find_text(results, row, COLUMN(variant)));
    int kind = text_find(roof_words, frame_find_text(results, row, COLUMN(roof))); /* -1: a newer release's */
    switch (kind) {
    case ROOF_dram_read:
    case ROOF_dram_write:
    case ROOF_dram_mix:
        return frame_find_real(results, row, COLUMN(time_median)) < HEALTH_SHORT ? HEALTH_short_kernels
                                                                                 : HEALTH_dram;
    case ROOF_l2:
        return HEALTH_l2;
    case ROOF_shared:
        return HEALTH_shared;
    case ROOF_link_h2d:
        return HEALTH_link_h2d;
    case ROOF_link_d2h:
        return HEALTH_link_d2h;
    case ROOF_link_peer:
        return HEALTH_link_peer;
    default:
        return kind >= 0 && roof_is_flop((enum roof_kind)kind) ? HEALTH_arithmetic : HEALTH_other;
    }
}

/* ---- A device against a reference ---- */

/* What a product's runs and units add to intervals. */
struct scatter {
    struct between of_short, of_long;
};

static void finish(const struct scatter *scatter, bool other_unit, struct levels_estimate *estimate)
{
    levels_estimate_finish(estimate);
    between_add(estimate->seconds < BETWEEN_LONG ? &scatter->of_short : &scatter->of_long, other_unit,
                estimate);
}

struct sums {
    struct verdict_sums times;
    double clock, clock_hz; /* of the logarithms of the ratios; of the device's */
    size_t clocks;
};

static void add_clock(struct sums *sums, const struct entry *here, const struct entry *there)
{
    double own = frame_find_real(&here->dataset->results, here->row, COLUMN(sm_clock)),
           other = frame_find_real(&there->dataset->results, there->row, COLUMN(sm_clock));
    if (!(own > 0 && other > 0))
        return;
    sums->clock += log(own / other);
    sums->clock_hz += own;
    sums->clocks++;
}

static void compare(const struct unit *device, const struct unit *reference, const struct scatter *scatter,
                    struct sums sums[HEALTH_PART_COUNT])
{
    size_t *partner = pairing_of(device->view, reference->view);
    bool other =
        strcmp(device_text(device, DEVICE_COLUMN(uuid)), device_text(reference, DEVICE_COLUMN(uuid))) != 0;
    for (size_t i = 0; i < device->view->rows; i++) {
        if (partner[i] == PAIRING_NONE)
            continue;
        struct entry here = device->entry[i], there = reference->entry[partner[i]];
        enum health_part part = part_of(there.dataset, there.row);
        if (!here.cells || !there.cells)
            continue;
        entry_estimate(&here, &device->pooling, &reference->pooling);
        entry_estimate(&there, &reference->pooling, &device->pooling);
        finish(scatter, other, &here.estimate);
        finish(scatter, other, &there.estimate);
        verdict_add(&sums[part].times, &there.estimate, &here.estimate);
        add_clock(&sums[part], &here, &there);
    }
    free(partner);
}

static struct health_times times_of(enum health_part part, double threshold, const struct sums *sums)
{
    struct verdict_rule rule = verdict_rule_of(fmax(threshold, health_parts[part].least));
    rule.discovery_rate = ERROR_RATE;
    double clocks = sums->clocks ? (double)sums->clocks : NAN;
    return (struct health_times){.points = sums->times.many,
                                 .ratio = verdict_group(&rule, &sums->times),
                                 .clock = exp(sums->clock / clocks),
                                 .clock_hz = sums->clock_hz / clocks};
}

/* ---- A device against all ---- */

static void keep_nearest(struct health_times *kept, const struct health_times *times)
{
    if (times->points && (!kept->points || fabs(times->ratio.log_ratio) < fabs(kept->ratio.log_ratio)))
        *kept = *times;
}

/* Its failed points, and the reasons for lower clocks. */
static void add_rows(const struct unit *device, struct health *health)
{
    const struct frame *results = &device->view->dataset->results;
    int its = frame_find(results, COLUMN(device)), mask = frame_find(results, COLUMN(throttle_mask));
    for (size_t i = 0; i < device->view->rows; i++) {
        size_t row = device->view->row[i];
        const char *status = frame_find_text(results, row, COLUMN(status));
        if (frame_cell(results, row, its)->integer != (int64_t)device->device)
            continue;
        health->failed += !status_is_ok(status) && strcmp(status, status_words[STATUS_UNSUPPORTED]) != 0;
        if (mask >= 0 && frame_cell(results, row, mask)->integer > 0)
            health->throttle |= (uint64_t)frame_cell(results, row, mask)->integer;
    }
}

static struct health health_of_device(const struct unit *device, const struct unit *reference, size_t count,
                                      double threshold)
{
    const char *product = device_text(device, DEVICE_COLUMN(name));
    struct health health = {.device = device->device};
    struct scatter scatter;
    struct sums none = {0};
    const struct dataset *file = device->view->dataset;
    comparison_between(product, &scatter.of_short, &scatter.of_long);
    for (int part = 0; part < HEALTH_PART_COUNT; part++)
        health.part[part] = times_of((enum health_part)part, threshold, &none);
    struct health_facts *facts = health_facts_new(file, device->device);
    for (size_t r = 0; r < count; r++) {
        struct sums sums[HEALTH_PART_COUNT] = {0};
        if (strcmp(product, device_text(&reference[r], DEVICE_COLUMN(name))) != 0)
            continue;
        health.references++;
        health_facts_compare(facts, reference[r].view->dataset, reference[r].device);
        compare(device, &reference[r], &scatter, sums);
        for (int part = 0; part < HEALTH_PART_COUNT; part++) {
            struct health_times times = times_of((enum health_part)part, threshold, &sums[part]);
            keep_nearest(&health.part[part], &times);
        }
    }
    health_facts_end(facts, &health);
    add_rows(device, &health);
    return health;
}

/* ---- Files ---- */

struct side {
    struct view view;
    struct summary_cells cells;
    struct unit *unit; /* of each device */
    size_t units;
};

static struct side side_of(const struct dataset *file)
{
    struct side side = {.view = view_new(file), .cells = summary_all_cells(file)};
    view_keep_points(&side.view);
    return side;
}

/* After the side is where it stays. */
static void find_units(struct side *side)
{
    const struct dataset *file = side->view.dataset;
    side->units = file->devices.rows;
    side->unit = memory_new(side->units + 1, sizeof *side->unit);
    for (size_t d = 0; d < side->units; d++)
        side->unit[d] = unit_of(&side->view, &side->cells, (uint32_t)d);
}

static void side_free(struct side *side)
{
    for (size_t d = 0; d < side->units; d++)
        unit_free(&side->unit[d]);
    free(side->unit);
    view_free(&side->view);
    summary_cells_free(&side->cells);
}

static bool has_measured(const struct unit *unit)
{
    const struct frame *results = &unit->view->dataset->results;
    int device = frame_find(results, COLUMN(device));
    for (size_t i = 0; i < unit->view->rows; i++)
        if (unit->entry[i].cells ||
            frame_cell(results, unit->view->row[i], device)->integer == (int64_t)unit->device)
            return true;
    return false;
}

struct health *health_of(const struct dataset *file, const struct dataset *references, size_t count,
                         double threshold, size_t *devices)
{
    struct side own = side_of(file), *side = memory_new(count + 1, sizeof *side);
    struct unit *reference = memory_new(1, sizeof *reference);
    struct health *health = memory_new(file->devices.rows + 1, sizeof *health);
    size_t units = 0;
    find_units(&own);
    for (size_t f = 0; f < count; f++) {
        side[f] = side_of(&references[f]);
        find_units(&side[f]);
        reference = memory_resize(reference, units + side[f].units + 1, sizeof *reference);
        for (size_t d = 0; d < side[f].units; d++)
            if (has_measured(&side[f].unit[d]))
                reference[units++] = side[f].unit[d];
    }
    *devices = 0;
    for (size_t d = 0; d < own.units; d++)
        if (has_measured(&own.unit[d]))
            health[(*devices)++] = health_of_device(&own.unit[d], reference, units, threshold);
    for (size_t f = 0; f < count; f++)
        side_free(&side[f]);
    side_free(&own);
    free(side);
    free(reference);
    return health;
}

bool health_is_slow(const struct health *health, enum health_part part)
{
    return health->part[part].ratio.verdict == VERDICT_SLOWER;
}

bool health_is_wrong(const struct health *health)
{
    bool wrong = health->failed > 0;
    for (int part = 0; part < HEALTH_PART_COUNT; part++)
        wrong |= health_is_slow(health, (enum health_part)part);
    for (size_t i = 0; i < health->facts; i++)
        wrong |= health->fact[i].fault;
    return wrong;
}
