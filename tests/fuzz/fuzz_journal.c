/* fuzz_journal.c - any bytes as a journal: first as they are, then with the checksum of each record put right, so that
 * what is in the records is reached. What is made of it has to be sound, and the same in both ways that a journal is read:
 * copied into memory (any reader), and mapped (a run that resumes it, whose rows are spilled). */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "store/dataset/dataset.h"
#include "store/journal/format.h"
#include "store/journal/record.h"
#include "store/dataset/invariants.h"
#include "store/dataset/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { HEADER = 12, MAGIC = 8 };

static uint32_t load_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* Every record ends within the file, has a type that exists (or one before or behind those) and the right CRC. */
static void put_right(uint8_t *data, size_t size)
{
    for (size_t at = MAGIC; at + HEADER <= size;) {
        size_t left = size - at - HEADER, length = load_u32(data + at);
        if (length > left)
            length = left;
        store_u32(data + at, (uint32_t)length);
        store_u32(data + at + 8, load_u32(data + at + 8) % (RECORD_SPANS + 2));
        uint32_t crc = hash_crc32(0, data + at, 4);
        crc = hash_crc32(crc, data + at + 8, 4 + length);
        store_u32(data + at + 4, crc);
        at += HEADER + length;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, most);
    if (seed % 4)
        put_right(data, size);
    return size;
}

static void check_ranges(const struct dataset *dataset)
{
    struct row_check check = row_check_new(dataset);
    if (invariants_samples(dataset, dataset->samples, 0, dataset->sample_count, NULL) != 0)
        abort();
    for (size_t row = 0; row < dataset->results.rows; row++)
        if (row_check_values(&check, frame_row(&dataset->results, row), row, NULL) != 0 ||
            row_check_samples(&check, frame_row(&dataset->results, row), row, NULL) != 0)
            abort();
    row_check_free(&check);
}

/* All that a reader goes by is in range. */
static void check(struct dataset *dataset)
{
    if (!dataset->results.columns)
        return;
    if (invariants_columns(&dataset->results, NULL) != 0)
        return; /* told: REPLAY_GAP */
    check_ranges(dataset);
    for (size_t row = 0; row < dataset->results.rows; row++)
        for (int i = 0; i < dataset->results.columns; i++)
            if (dataset->results.column[i].type == COLUMN_TEXT &&
                strlen(frame_row(&dataset->results, row)[i].text) > (1u << 24))
                abort();
    if (dataset->results.rows < 100)
        summary_fill_all(dataset);
}

/* What two readings of the same bytes have in common. */
struct outcome {
    bool refused; /* as no journal */
    enum replay done;
    size_t rows, samples, devices, at, skipped;
    int gaps;
    uint32_t crc; /* of the samples */
};

static struct outcome replay(const char *path, bool mapped, bool spilled)
{
    struct error error;
    struct outcome outcome = {0};
    struct journal_reader image;
    if (journal_read(path, mapped, &image, &error) != 0)
        return (struct outcome){.refused = true};
    if (image.length && (image.mapped_length > 0) != mapped)
        abort();
    struct dataset dataset = dataset_new(spilled);
    struct mark mark = {0};
    struct row_index index = {0};
    bool news;
    outcome.done = replay_journal(&image, &dataset, &mark, &index, &news);
    if (outcome.done == REPLAY_DONE)
        check(&dataset);
    outcome.rows = dataset.results.rows;
    outcome.devices = dataset.devices.rows;
    if (!spilled || !dataset.samples) { /* spilled samples are not packed */
        outcome.samples = dataset.sample_count;
        outcome.crc = dataset.sample_count
                          ? hash_crc32(0, dataset.samples, dataset.sample_count * sizeof *dataset.samples)
                          : 0;
    }
    outcome.at = image.at;
    outcome.gaps = image.gaps;
    outcome.skipped = image.skipped;
    row_index_free(&index);
    dataset_free(&dataset);
    journal_reader_free(&image);
    return outcome;
}

static void expect_equal(const struct outcome *a, const struct outcome *b)
{
    if (a->refused != b->refused || a->done != b->done || a->rows != b->rows || a->devices != b->devices ||
        a->samples != b->samples || a->crc != b->crc || a->at != b->at || a->gaps != b->gaps ||
        a->skipped != b->skipped)
        abort();
}

/* A record of a newer release, which readers pass over: it takes so many bytes that what lies behind it comes after pages
 * which have been left to the file again. */
static void put_filler(int fd)
{
    enum { LENGTH = (4 << 20) + 4321, TYPE = 200 };
    static uint8_t *filler;
    if (!filler) {
        filler = memory_new(HEADER + LENGTH, 1);
        store_u32(filler, LENGTH);
        store_u32(filler + 8, TYPE);
        uint32_t crc = hash_crc32(0, filler, 4);
        store_u32(filler + 4, hash_crc32(crc, filler + 8, 4 + LENGTH));
    }
    if (io_write_full(fd, filler, HEADER + LENGTH) != 0)
        abort();
}

/* As a file without a name. Long ones and spills take time: some of the inputs have them. */
static void replay_both(const uint8_t *data, size_t size)
{
    enum { FEW = 256 };
    uint64_t dice = hash_mix(hash_bytes(HASH_START, data, size));
    char path[64];
    int fd = memfd_create("journal", MFD_CLOEXEC);
    bool magic = size >= MAGIC && !memcmp(data, JOURNAL_MAGIC, MAGIC);
    size_t head = magic ? MAGIC : 0;
    if (fd < 0 || io_write_full(fd, data, head) != 0)
        abort();
    if (magic && dice % FEW == 0)
        put_filler(fd);
    if (io_write_full(fd, data + head, size - head) != 0)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const struct outcome copied = replay(path, false, false), mapped = replay(path, true, false);
    expect_equal(&copied, &mapped);
    if (dice / FEW % FEW == 0) {
        const struct outcome spilled = replay(path, true, true);
        struct outcome packed = copied;
        packed.samples = spilled.samples;
        packed.crc = spilled.crc;
        expect_equal(&packed, &spilled);
    }
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < MAGIC)
        return 0;
    replay_both(data, size);
    uint8_t *copy = memory_new(size, 1);
    memcpy(copy, data, size);
    memcpy(copy, JOURNAL_MAGIC, MAGIC);
    put_right(copy, size);
    replay_both(copy, size);
    free(copy);
    return 0;
}
