#include "worker/stages.h"

#include <stdio.h>

#include "family/target.h"

static const char *refuse_first(int own, int first, char *reason, size_t size)
{
    snprintf(reason, size,
             "device %d launches it, and no rank has that device: this one has device %d; start one rank "
             "per device",
             first, own);
    return reason;
}

/* Whether another device than the first launches something, or a call uses it. */
static bool launches_elsewhere(const struct setup *setup)
{
    for (int part = 1; part < setup->parts; part++)
        if (!(setup->idle >> part & 1))
            return true;
    return setup->engine == ENGINE_CALL;
}

/* Each rank sees its own device only: the memory of the others comes from their ranks, which launch nothing. */
static const char *refuse_handover(const struct place *place, const struct devices *devices,
                                   const struct setup *setup, char *reason, size_t size)
{
    for (int i = 1; i < devices->count; i++)
        if (devices->ordinal[i] >= place->ranks) {
            snprintf(reason, size, "device %d is not visible, and no rank has it: this node has %d rank%s",
                     devices->ordinal[i], place->ranks, place->ranks == 1 ? "" : "s");
            return reason;
        }
    return devices->count > 1 && launches_elsewhere(setup)
               ? "several devices launch it, and this rank sees its own only: let each rank see all "
                 "devices of its node (Slurm: --gpus-per-node, not --gpus-per-task)"
               : NULL;
}

/* The host back end computes the reference of a call in memory of its own, and an MPI job brings its memory. */
static bool needs_others(const struct device *device, const struct setup *setup)
{
    return setup->engine != ENGINE_CALL || !device || !target_of_device(device).host;
}

const char *seats_refuse(const struct place *place, const struct device *device, const struct point *point,
                         const struct setup *setup, char *reason, size_t size)
{
    struct devices devices = family_devices(point);
    int own = place->seat >= 0 ? place->seat : device ? (int)device->ordinal : -1;
    if (!devices.count)
        return NULL;
    if (devices.ordinal[0] != own)
        return refuse_first(own, devices.ordinal[0], reason, size);
    return *place->handover && needs_others(device, setup)
               ? refuse_handover(place, &devices, setup, reason, size)
               : NULL;
}
