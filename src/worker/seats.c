#include "worker/stages.h"

#include "family/target.h"

/* Whether another device than the first launches something, or a call uses it. */
static bool launches_elsewhere(const struct setup *setup)
{
    for (int part = 1; part < setup->parts; part++)
        if (!(setup->idle >> part & 1))
            return true;
    return setup->engine == ENGINE_CALL;
}

/* Each rank sees its own device only: the memory of the others comes from their ranks, which launch nothing. */
static int check_handover(const struct place *place, const struct devices *devices, const struct setup *setup,
                          struct error *error)
{
    for (int i = 1; i < devices->count; i++)
        if (devices->ordinal[i] >= place->ranks)
            return error_set(error, ERROR_ENVIRONMENT,
                             "device %d is not visible, and no rank has it: this node has %d rank%s",
                             devices->ordinal[i], place->ranks, place->ranks == 1 ? "" : "s");
    if (devices->count > 1 && launches_elsewhere(setup))
        return error_set(error, ERROR_ENVIRONMENT,
                         "several devices launch it, and this rank sees its own only: let each rank see all "
                         "devices of its node (Slurm: --gpus-per-node, not --gpus-per-task)");
    return 0;
}

/* The host back end computes the reference of a call in memory of its own. */
static bool needs_others(const struct device *device, const struct setup *setup)
{
    return setup->engine != ENGINE_CALL || !device || !target_of_device(device).host;
}

int seats_check(const struct place *place, const struct device *device, const struct point *point,
                const struct setup *setup, struct error *error)
{
    struct devices devices = family_devices(point);
    int own = place->seat >= 0 ? place->seat : device ? (int)device->ordinal : -1;
    if (!devices.count)
        return 0;
    if (devices.ordinal[0] != own)
        return error_set(error, ERROR_ENVIRONMENT,
                         "device %d launches it, and no rank has that device: this one has device %d; start "
                         "one rank per device",
                         devices.ordinal[0], own);
    if (!*place->handover || !needs_others(device, setup))
        return 0;
    return check_handover(place, &devices, setup, error);
}
