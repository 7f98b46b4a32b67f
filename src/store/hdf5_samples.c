#include "store/hdf5_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/bounded_queue.h"
#include "base/hash.h"
#include "base/memory.h"
#include "store/contents.h"
#include "store/hdf5_chunks.h"
#include "store/hdf5_rows.h"
#include "store/hdf5_write.h"

enum {
    CHUNK = HDF5_CHUNK_BYTES / sizeof(struct sample),
    AT_A_TIME = 3 * CHUNK, /* whole chunks: each is unpacked once */
    RATIO = 600, /* bytes in memory for one in the file: equal times pack well; deflate can no more than
                              1032 to 1 */
    REST_ROWS = 1 << 14, /* after which what is spilled is left to its file */
    REST_EVERY = 64,     /* the same in chunks */
};

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
    const atomic_bool *stop;
    size_t done;
    bool add;
};

static int take(void *of, void *block, size_t count)
{
    struct samples_reader *reader = of;
    struct dataset *dataset = reader->dataset;
    const struct sample *sample = block;
    char why[256];
    if (contents_check_samples(dataset, sample, reader->done, count, why, sizeof why) != 0)
        return hdf5_misfit(reader->source, why);
    for (size_t i = 0; i < count; i++)
        contents_note_process(dataset, sample[i].process);
    if (reader->add)
        contents_add_samples(dataset, sample, count);
    reader->done += count;
    return 0;
}

static int stop_here(const struct samples_reader *reader)
{
    return error_set(reader->source->error, ERROR_ENVIRONMENT, "%s: reading was stopped",
                     reader->source->path);
}

static int read_blocks(struct samples_reader *reader, hid_t set, hid_t type, size_t rows, bool whole,
                       uint32_t *crc)
{
    size_t most = rows < AT_A_TIME ? rows : AT_A_TIME;
    struct conveyor *conveyor = conveyor_start(most * sizeof(struct sample), take, reader);
    bool damaged = false, stopped = false;
    for (size_t first = 0, count; first < rows && !stopped; first += count) {
        struct sample *block = conveyor_block(conveyor);
        if (!block)
            break;
        count = rows - first < most ? rows - first : most;
        /* Files of release 0.1 have no labels: what is not read stays as it is here. */
        for (size_t i = 0; i < count && !whole; i++)
            block[i] = (struct sample){.device = -1};
        damaged = hdf5_read_rows(set, type, first, count, block) != 0;
        if (damaged)
            break;
        if (reader->source->verification)
            *crc = hash_crc32(*crc, block, count * sizeof *block);
        conveyor_send(conveyor, count);
        stopped = reader->stop && atomic_load(reader->stop);
    }
    int failed = conveyor_end(conveyor);
    if (failed || stopped)
        return failed ? failed : stop_here(reader);
    return damaged ? hdf5_bad_table(reader->source, "samples", "the file is damaged") : 0;
}

/* Open /samples and count its rows; *set is -1 when there is none. */
static int open_samples(const struct hdf5_source *source, hid_t *set, size_t *count)
{
    *count = 0;
    if (hdf5_open_set(source, "samples", set) != 0)
        return -1;
    if (*set < 0)
        return 0;
    int64_t rows = hdf5_count_rows(source, *set, sizeof(struct sample), RATIO);
    if (rows < 0) {
        H5Dclose(*set);
        return hdf5_bad_table(source, "samples", "the file is damaged");
    }
    *count = (size_t)rows;
    return 0;
}

int hdf5_samples_count(const struct hdf5_source *source, size_t *count)
{
    hid_t set;
    if (open_samples(source, &set, count) != 0)
        return -1;
    if (set >= 0)
        H5Dclose(set);
    return 0;
}

static uint32_t number_of(const struct hdf5_planes *planes, size_t offset, size_t row)
{
    const unsigned char *byte = planes->bytes + offset * planes->stride + row;
    return byte[0] | (uint32_t)byte[planes->stride] << 8 | (uint32_t)byte[2 * planes->stride] << 16 |
           (uint32_t)byte[3 * planes->stride] << 24;
}

/* Whether contents_check_samples would find nothing; notes the processes. A time is finite unless all bits of its exponent
 * (IEEE 754: 11, below the sign) are set. */
static bool is_sound(const struct hdf5_planes *planes, struct dataset *dataset)
{
    const unsigned char *high = planes->bytes + (offsetof(struct sample, seconds) + 7) * planes->stride;
    const unsigned char *low = high - planes->stride;
    bool sound = true;
    uint32_t highest = 0;
    for (size_t i = 0; i < planes->rows; i++) {
        int32_t device = (int32_t)number_of(planes, offsetof(struct sample, device), i);
        uint32_t process = number_of(planes, offsetof(struct sample, process), i);
        highest = process > highest ? process : highest;
        sound &= (high[i] & 0x7f) != 0x7f || (low[i] & 0xf0) != 0xf0;
        sound &= device < 0 || (uint32_t)device < dataset->devices.rows;
    }
    contents_note_process(dataset, highest);
    return sound;
}

static int check_planes(void *of, const struct hdf5_planes *planes)
{
    struct samples_reader *reader = of;
    if (reader->stop && atomic_load(reader->stop))
        return stop_here(reader);
    if (is_sound(planes, reader->dataset))
        return 0;
    struct sample *block = memory_new(planes->rows, sizeof *block);
    for (size_t i = 0; i < planes->rows; i++)
        for (size_t byte = 0; byte < sizeof *block; byte++)
            ((unsigned char *)&block[i])[byte] = planes->bytes[byte * planes->stride + i];
    reader->done = planes->first;
    int failed = take(reader, block, planes->rows);
    free(block);
    return failed;
}

static int check_chunks(struct samples_reader *reader, hid_t set, size_t rows)
{
    bool damaged;
    int failed =
        hdf5_chunks_read(reader->source, set, sizeof(struct sample), rows, check_planes, reader, &damaged);
    return damaged ? hdf5_bad_table(reader->source, "samples", "the file is damaged") : failed;
}

static int read_samples(struct samples_reader *reader, bool in_chunks)
{
    const struct hdf5_source *source = reader->source;
    hid_t set;
    size_t rows;
    uint32_t crc = 0;
    if (open_samples(source, &set, &rows) != 0)
        return -1;
    if (set < 0)
        return 0;
    hid_t type = sample_type(), file_type = H5Dget_type(set);
    bool same = H5Tequal(type, file_type) > 0;
    in_chunks = in_chunks && same && H5Tget_order(H5T_NATIVE_INT32) == H5T_ORDER_LE &&
                hdf5_chunks_are_ours(set, sizeof(struct sample));
    int failed =
        in_chunks ? check_chunks(reader, set, rows) : read_blocks(reader, set, type, rows, same, &crc);
    if (!failed)
        hdf5_verify_table(source, "samples", set, rows, same, crc);
    H5Tclose(file_type);
    H5Tclose(type);
    H5Dclose(set);
    return failed;
}

int hdf5_samples_read(const struct hdf5_source *source, struct dataset *dataset, const atomic_bool *stop)
{
    struct samples_reader reader = {.source = source, .dataset = dataset, .stop = stop, .add = true};
    return read_samples(&reader, false);
}

int hdf5_samples_check(const struct hdf5_source *source, struct dataset *dataset, const atomic_bool *stop)
{
    struct samples_reader reader = {.source = source, .dataset = dataset, .stop = stop};
    return read_samples(&reader, true);
}

/* ---- Writing ---- */

/* Samples one by one, in the order of the rows that name them. */
struct gathering {
    const struct dataset *dataset;
    size_t row, done; /* samples of that row */
};

static size_t count_samples(const struct dataset *dataset)
{
    int count = frame_find(&dataset->results, COLUMN(sample_count));
    size_t all = 0;
    for (size_t row = 0; row < dataset->results.rows; row++) {
        if (row % REST_ROWS == 0)
            contents_rest(dataset);
        all += (size_t)frame_row(&dataset->results, row)[count].integer;
    }
    return all;
}

/* Fill `block` as far as there are samples; returns how many. */
static size_t gather(struct gathering *gathering, struct sample *block, size_t most)
{
    const struct frame *results = &gathering->dataset->results;
    int offset = frame_find(results, COLUMN(sample_offset)),
        count = frame_find(results, COLUMN(sample_count));
    size_t got = 0;
    while (got < most && gathering->row < results->rows) {
        const union cell *cell = frame_row(results, gathering->row);
        size_t left = (size_t)cell[count].integer - gathering->done, room = most - got;
        size_t taken = left < room ? left : room;
        if (taken)
            memcpy(block + got, gathering->dataset->samples + cell[offset].integer + gathering->done,
                   taken * sizeof *block);
        got += taken;
        gathering->done += taken;
        if (taken == left) {
            gathering->row++;
            gathering->done = 0;
            if (gathering->row % REST_ROWS == 0) /* rows may have few samples, or none */
                contents_rest(gathering->dataset);
        }
    }
    return got;
}

int hdf5_samples_write(hid_t file, const struct dataset *dataset)
{
    const size_t chunk = CHUNK;
    hid_t type = sample_type();
    hid_t set = hdf5_create_rows(file, "samples", type, count_samples(dataset), chunk);
    struct sample *block = memory_new(chunk, sizeof *block);
    int failed = set < 0 ? -1 : 0;
    uint32_t crc = 0;
    struct gathering gathering = {.dataset = dataset};
    for (size_t first = 0, rows; !failed && (rows = gather(&gathering, block, chunk)) > 0; first += rows) {
        crc = hash_crc32(crc, block, rows * sizeof *block);
        failed = hdf5_write_rows(set, type, first, rows, block);
        if (first / chunk % REST_EVERY == 0)
            contents_rest(dataset);
    }
    free(block);
    failed = failed || hdf5_put_integer_attribute(set, RESULTS_CHECKSUM, crc) ? -1 : 0;
    if (set >= 0 && H5Dclose(set) < 0)
        failed = -1;
    H5Tclose(type);
    return failed;
}
