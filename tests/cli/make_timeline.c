/* make_timeline FILE.h5 [overlap|backwards|device] - a small results file with a timeline in which everything is made up:
 * two ranks of ten seconds, in round numbers; or one that is damaged so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"
#include "store/store.h"

static void check(int failed, const struct error *error)
{
    if (failed) {
        fprintf(stderr, "make_timeline: %s\n", error->text);
        exit(1);
    }
}

static uint64_t add_point(struct store *store, int row)
{
    struct error error = {0};
    struct point point = point_standard(family_space("copy"));
    struct result result = result_new();
    result.id = point_id(&point);
    result.device = row;
    check(store_append(store, &point, &result, &error), &error);
    return result.id;
}

static void add(struct store *store, int rank, int device, enum phase phase, uint64_t point, double start,
                double end)
{
    store_span(store, &(struct span){.start = start,
                                     .end = end,
                                     .point = point,
                                     .parts = 1,
                                     .device = device,
                                     .rank = rank,
                                     .phase = (uint8_t)phase});
}

int main(int argc, char **argv)
{
    const char *damage = argc > 2 ? argv[2] : "";
    struct error error = {0};
    const struct space *spaces[] = {family_space("copy"), NULL};
    char name[] = "backend", value[] = "fake";
    struct store_pair pair = {name, value, 0};
    struct store_head head = {.job = "",
                              .job_path = "SYNTHETIC",
                              .planned = 1,
                              .environment = &pair,
                              .environment_count = 1,
                              .spaces = spaces};
    struct device device = device_unknown();
    struct store *store;
    snprintf(device.name, sizeof device.name, "SYNTHETIC");
    snprintf(device.backend, sizeof device.backend, "fake");
    check(argc < 2 || store_open(argv[1], false, &head, &store, &error), &error);
    int row = store_device(store, &device);
    uint64_t id = add_point(store, row);
    for (int rank = 0; rank < 2; rank++) {
        add(store, rank, row, PHASE_mpi, 0, 0, 1);
        add(store, rank, row, PHASE_peaks, 0, 1, 2);
        add(store, rank, row, PHASE_reference, id, 2, 3);
        add(store, rank, row, PHASE_warm_up, id, 3, 3.5);
        add(store, rank, row, PHASE_sample, id, 3.5, rank ? 6 : 9.5);
        if (rank)
            add(store, rank, row, PHASE_wait_work, 0, 6, 9.5);
        add(store, rank, row, PHASE_end, 0, 9.5, 10);
    }
    if (!strcmp(damage, "overlap"))
        add(store, 1, row, PHASE_sample, 0, 9.75, 11);
    else if (!strcmp(damage, "backwards"))
        add(store, 1, row, PHASE_sample, 0, 12, 11);
    else if (!strcmp(damage, "device"))
        add(store, 1, 7, PHASE_sample, 0, 11, 12);
    check(store_close(store, &error), &error);
    return 0;
}
