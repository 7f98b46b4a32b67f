#include <assert.h>
#include <string.h>

#include "store/dataset/invariants.h"
#include "store/hdf5/table.h"

static hid_t sample_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct sample));
    H5Tinsert(type, "seconds", HOFFSET(struct sample, seconds), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "sm_clock", HOFFSET(struct sample, sm_clock), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "process", HOFFSET(struct sample, process), H5T_NATIVE_UINT32);
    H5Tinsert(type, "device", HOFFSET(struct sample, device), H5T_NATIVE_INT32);
    return type;
}

/* ---- Reading ---- */

struct samples_reader {
    const struct hdf5_source *source;
    struct dataset *dataset;
};

static int take(void *context, void *block, size_t count)
{
    const struct samples_reader *reader = context;
    struct dataset *dataset = reader->dataset;
    const struct sample *sample = block;
    if (invariants_samples(dataset, sample, dataset->sample_count, count, reader->source->error) != 0)
        return hdf5_inconsistent(reader->source);
    for (size_t i = 0; i < count; i++)
        dataset_note_process(dataset, sample[i].process);
    dataset_add_samples(dataset, sample, count);
    return 0;
}

int hdf5_samples_read(const struct hdf5_source *source, struct dataset *dataset)
{
    static const struct sample blank = {.device = -1}; /* release 0.1 wrote neither process nor device */
    struct samples_reader reader = {source, dataset};
    hid_t type = sample_type();
    int failed = hdf5_read_table(source, "samples", type, &blank, take, &reader);
    H5Tclose(type);
    return failed;
}

/* ---- Writing ---- */

/* Goes over the samples in the order of the rows that they belong to. */
struct gathering {
    const struct dataset *dataset;
    struct index_columns column; /* of /results */
    size_t row, done;            /* samples of that row */
};

static void fill(void *context, size_t first, size_t wanted, void *block)
{
    struct gathering *gathering = context;
    const struct dataset *dataset = gathering->dataset;
    (void)first;
    for (struct sample *sample = block; wanted;) {
        assert(gathering->row < dataset->results.rows);
        const union cell *cell = frame_row(&dataset->results, gathering->row);
        size_t left = (size_t)cell[gathering->column.sample_count].integer - gathering->done;
        size_t taken = left < wanted ? left : wanted;
        if (taken)
            memcpy(sample, dataset->samples + cell[gathering->column.sample_offset].integer + gathering->done,
                   taken * sizeof *sample);
        sample += taken;
        wanted -= taken;
        gathering->done += taken;
        if (taken == left) {
            gathering->done = 0;
            dataset_evict_at(dataset, ++gathering->row);
        }
    }
}

int hdf5_samples_write(hid_t file, const struct dataset *dataset, size_t count)
{
    struct gathering gathering = {.dataset = dataset, .column = index_columns_of(&dataset->results)};
    hid_t type = sample_type();
    int failed = hdf5_write_rows(file, "samples", type, count, fill, &gathering);
    H5Tclose(type);
    return failed;
}
