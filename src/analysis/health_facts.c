#include "analysis/health_facts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "table/print_text.h"

/* A fault: of the state of the hardware. Others come with driver, firmware and node. Numbers may differ by `tolerance`. */
static const struct {
    const char *column;
    bool fault;
    double tolerance;
} properties[] = {
    {DEVICE_COLUMN(multiprocessors), true, 0},
    {DEVICE_COLUMN(l2_bytes), true, 0},
    {DEVICE_COLUMN(memory_bytes), true, 0.01},
    {DEVICE_COLUMN(bus_width), true, 0},
    {DEVICE_COLUMN(ecc), true, 0},
    {DEVICE_COLUMN(mig), true, 0},
    {DEVICE_COLUMN(fabric), true, 0},
    {DEVICE_COLUMN(clock_max), true, 0},
    {DEVICE_COLUMN(clock_applied), true, 0},
    {DEVICE_COLUMN(memory_clock_applied), true, 0},
    {DEVICE_COLUMN(memory_clock_load), true, 0.01},
    {DEVICE_COLUMN(power_limit), true, 0.01},
    {DEVICE_COLUMN(pcie_width), true, 0},
    {DEVICE_COLUMN(pcie_generation), true, 0},
    {DEVICE_COLUMN(nvlinks), true, 0},
    {DEVICE_COLUMN(driver), false, 0},
    {DEVICE_COLUMN(vbios), false, 0},
    {DEVICE_COLUMN(board_part), false, 0},
    {DEVICE_COLUMN(host_kernel), false, 0},
    {DEVICE_COLUMN(iommu), false, 0},
};
enum { PROPERTIES = sizeof properties / sizeof *properties };
static_assert((int)PROPERTIES <= (int)HEALTH_FACTS_MAX, "struct health has no room");

struct health_facts {
    const struct dataset *file;
    size_t device;
    bool shared[PROPERTIES];
    bool absent[PROPERTIES]; /* a reference says that it does not have it */
    char there[PROPERTIES]
              [sizeof((struct health_fact *)NULL)->there]; /* the first reference's; "": none knows */
};

struct health_facts *health_facts_new(const struct dataset *file, size_t device)
{
    struct health_facts *facts = memory_new(1, sizeof *facts);
    facts->file = file;
    facts->device = device;
    return facts;
}

static bool is_equal(const struct column *column, union cell a, union cell b, double tolerance)
{
    if (column->type == COLUMN_TEXT)
        return !strcmp(a.text, b.text);
    double x = column->type == COLUMN_INTEGER ? (double)a.integer : a.real,
           y = column->type == COLUMN_INTEGER ? (double)b.integer : b.real;
    return fabs(x - y) <= tolerance * fabs(y);
}

/* What a device without the property says: -1 of a count, or a fabric that is not supported. */
static bool is_absent(const struct column *column, union cell cell)
{
    return column->type == COLUMN_TEXT ? !strcmp(cell.text, "not_supported")
                                       : column->type == COLUMN_INTEGER && cell.integer < 0;
}

/* The cell of a property; false if the file does not know it. */
static bool find(const struct frame *devices, size_t device, const char *name, const struct column **column,
                 union cell *cell)
{
    int index = frame_find(devices, name);
    if (index < 0)
        return false;
    *column = &devices->column[index];
    *cell = *frame_cell(devices, device, index);
    return !frame_is_missing(*column, *cell);
}

void health_facts_compare(struct health_facts *facts, const struct dataset *reference, size_t device)
{
    for (int i = 0; i < PROPERTIES; i++) {
        const struct column *here, *there;
        union cell own, other;
        if (!find(&facts->file->devices, facts->device, properties[i].column, &here, &own) ||
            !find(&reference->devices, device, properties[i].column, &there, &other) ||
            here->type != there->type)
            continue;
        facts->shared[i] |= is_equal(here, own, other, properties[i].tolerance);
        if (is_absent(there, other) != is_absent(here, own)) {
            facts->absent[i] |= is_absent(there, other);
            if (is_absent(there, other))
                continue;
        }
        if (!*facts->there[i])
            print_human(there, other, facts->there[i], sizeof facts->there[i]);
    }
}

void health_facts_end(struct health_facts *facts, struct health *health)
{
    for (int i = 0; i < PROPERTIES; i++) {
        const struct column *column;
        union cell cell;
        bool judged = *facts->there[i];
        if (facts->shared[i] || (!judged && !facts->absent[i]) ||
            !find(&facts->file->devices, facts->device, properties[i].column, &column, &cell))
            continue;
        struct health_fact *fact = &health->fact[health->facts++];
        fact->column = properties[i].column;
        fact->judged = judged;
        fact->fault = judged && properties[i].fault;
        print_human(column, cell, fact->here, sizeof fact->here);
        snprintf(fact->there, sizeof fact->there, "%s", judged ? facts->there[i] : "-");
    }
    free(facts);
}
