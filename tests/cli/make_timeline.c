/* make_timeline FILE.h5 [overlap|backwards|device] - a timeline of two ranks of ten seconds, in round numbers; or one that is damaged so. */
#include "synthetic.h"

static void add(struct store *store, int rank, int device, enum phase phase, uint64_t point, double start,
                double end)
{
    store_span(store,
               &(struct span){.start = start,
                              .sum = {.phase = phase, .point = point, .parts = 1, .seconds = end - start},
                              .device = device,
                              .rank = rank});
}

int main(int argc, char **argv)
{
    const char *damage = argc > 2 ? argv[2] : "";
    const struct space *spaces[] = {family_space("copy"), NULL};
    struct device device = synthetic_device("SYNTHETIC", "fake");
    if (argc < 2)
        return 2;
    struct store *store = create(argv[1], (struct store_head){.planned = 1, .spaces = spaces});
    int row = store_device(store, &device);
    struct point point = point_of("copy", "");
    struct result result = result_new();
    uint64_t id = result.id = point_id(&point);
    result.device = row;
    append(store, &point, &result);
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
    finish(store);
    return 0;
}
