/* The likely cause of a slow part of a machine: from which other parts are slow, and from what the driver says. */
#include <math.h>
#include <string.h>

#include "analysis/health.h"
#include "core/frame.h"
#include "core/result.h"

#define CLOCK_LOWER 0.005 /* relative: clocks that differ by less are equal */

static const struct health_fact *find(const struct health *health, const char *column)
{
    for (size_t i = 0; i < health->facts; i++)
        if (health->fact[i].judged && !strcmp(health->fact[i].column, column))
            return &health->fact[i];
    return NULL;
}

/* Add "ecc on instead of off", if that differs. */
static bool add_fact(const struct health *health, const char *column, const char *words, struct text *out)
{
    const struct health_fact *fact = find(health, column);
    if (fact)
        text_add(out, "%s%s %s instead of %s", out->length ? "; " : "", words, fact->here, fact->there);
    return fact != NULL;
}

/* The SMs' clock, when it explains the times. */
static bool add_clock(const struct health *health, const struct health_times *times, struct text *out)
{
    if (!(times->clock < 1 - CLOCK_LOWER))
        return false;
    struct text reasons = {0};
    throttle_words(health->throttle, &reasons);
    text_add(out, "SM clock %.0f MHz instead of %.0f", 1e-6 * times->clock_hz,
             1e-6 * times->clock_hz / times->clock);
    if (reasons.length)
        text_add(out, " (%s)", reasons.data);
    add_fact(health, DEVICE_COLUMN(power_limit), "power limit", out);
    add_fact(health, DEVICE_COLUMN(clock_applied), "application clock", out);
    text_free(&reasons);
    return true;
}

static bool is_any_slow(const struct health *health, const enum health_part *part, int count)
{
    for (int i = 0; i < count; i++)
        if (health_is_slow(health, part[i]))
            return true;
    return false;
}

static void add_cause_of_sm(const struct health *health, struct text *out)
{
    if (!add_fact(health, DEVICE_COLUMN(multiprocessors), "multiprocessors", out) &&
        !add_fact(health, DEVICE_COLUMN(mig), "MIG", out))
        text_add(out, "the clock is as it should be: another process on the device?");
}

static void add_cause_of_l2(const struct health *health, struct text *out)
{
    if (!add_fact(health, DEVICE_COLUMN(l2_bytes), "L2 of", out))
        text_add(out, "part of L2, or its connection to the multiprocessors");
}

static void add_cause_of_dram(const struct health *health, struct text *out)
{
    bool known = add_fact(health, DEVICE_COLUMN(memory_clock_load), "memory clock", out);
    known |= add_fact(health, DEVICE_COLUMN(memory_clock_applied), "application clock of the memory", out);
    known |= add_fact(health, DEVICE_COLUMN(ecc), "ECC", out);
    known |= add_fact(health, DEVICE_COLUMN(bus_width), "bus width", out);
    known |= add_fact(health, DEVICE_COLUMN(board_part), "board", out);
    if (!known)
        text_add(out, "the memory itself: see nvidia-smi -q -d ECC,ROW_REMAPPER");
}

static void add_cause_of_link(const struct health *health, struct text *out)
{
    bool known = add_fact(health, DEVICE_COLUMN(pcie_width), "PCIe lanes", out);
    known |= add_fact(health, DEVICE_COLUMN(pcie_generation), "PCIe generation", out);
    known |= add_fact(health, DEVICE_COLUMN(iommu), "IOMMU", out);
    if (!known)
        text_add(out, "other traffic on the link, or host memory on another NUMA node");
}

static void add_cause_of_short(const struct health *health, struct text *out)
{
    if (!add_fact(health, DEVICE_COLUMN(driver), "driver", out))
        text_add(out, "launches: the host, or the place of the data in L2");
}

static void add_cause_of_peer(const struct health *health, struct text *out)
{
    if (!add_fact(health, DEVICE_COLUMN(nvlinks), "NVLinks", out))
        text_add(out, "a link, or the other device: `report --fleet` compares the pairs");
}

void health_cause(const struct health *health, enum health_part part, struct text *out)
{
    static const enum health_part of_sm[] = {HEALTH_arithmetic, HEALTH_shared, HEALTH_latency_sm},
                                  of_l2[] = {HEALTH_l2, HEALTH_latency_l2};
    bool link = part == HEALTH_link_h2d || part == HEALTH_link_d2h;
    struct text cause = {0};
    if (link)
        add_cause_of_link(health, &cause);
    else if (part == HEALTH_link_peer)
        add_cause_of_peer(health, &cause);
    else if (add_clock(health, &health->part[part], &cause))
        ;
    else if (is_any_slow(health, of_sm, 3))
        add_cause_of_sm(health, &cause);
    else if (is_any_slow(health, of_l2, 2))
        add_cause_of_l2(health, &cause);
    else if (part == HEALTH_short_kernels || part == HEALTH_other)
        add_cause_of_short(health, &cause);
    else
        add_cause_of_dram(health, &cause);
    text_add(out, "%s", cause.data);
    text_free(&cause);
}
