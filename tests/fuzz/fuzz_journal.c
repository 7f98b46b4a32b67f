/* fuzz_journal.c - any bytes as a journal: first as they are, then with the checksum of each record put right, so that
 * what is in the records is reached. What is made of it has to be sound. */
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
        store_u32(data + at + 8, load_u32(data + at + 8) % (RECORD_END + 1));
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
    uint64_t *named = memory_new(dataset->sample_count / 64 + 1, sizeof *named);
    if (invariants_samples(dataset, dataset->samples, 0, dataset->sample_count, NULL) != 0)
        abort();
    for (size_t row = 0; row < dataset->results.rows; row++)
        if (invariants_row(dataset, frame_row(&dataset->results, row), row, NULL) != 0 ||
            invariants_row_samples(dataset, named, frame_row(&dataset->results, row), row, NULL) != 0)
            abort();
    free(named);
}

/* All that a reader goes by is in range. */
static void check(struct dataset *dataset)
{
    if (!dataset->results.columns)
        return;
    if (invariants_columns(&dataset->results, NULL) != 0)
        return; /* told: replay_journal returns false */
    check_ranges(dataset);
    for (size_t row = 0; row < dataset->results.rows; row++)
        for (int i = 0; i < dataset->results.columns; i++)
            if (dataset->results.column[i].type == COLUMN_TEXT &&
                strlen(frame_row(&dataset->results, row)[i].text) > (1u << 24))
                abort();
    if (dataset->results.rows < 100)
        summary_fill_all(dataset);
}

static void replay(const uint8_t *data, size_t size)
{
    char path[64];
    struct error error;
    struct journal_reader image;
    int fd = memfd_create("journal", MFD_CLOEXEC); /* a file without a name */
    if (fd < 0 || io_write_full(fd, data, size) != 0)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int refused = journal_read(path, &image, &error);
    close(fd);
    if (refused)
        return;
    struct dataset dataset = dataset_new();
    if (replay_journal(&image, &dataset))
        check(&dataset);
    dataset_free(&dataset);
    journal_reader_free(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < MAGIC)
        return 0;
    replay(data, size);
    uint8_t *copy = memory_new(size, 1);
    memcpy(copy, data, size);
    memcpy(copy, JOURNAL_MAGIC, MAGIC);
    put_right(copy, size);
    replay(copy, size);
    free(copy);
    return 0;
}
