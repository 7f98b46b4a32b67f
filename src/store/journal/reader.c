#include "store/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"

/* Copy what the file has now; errno, or 0. Its writer may add records meanwhile, or truncate it, after which
 * the copy ends with a record that is cut off. */
static int copy_bytes(int fd, struct journal_reader *reader)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return errno;
    if (!S_ISREG(status.st_mode))
        return EINVAL;
    size_t capacity = (size_t)status.st_size + 4096;
    reader->data = memory_new(capacity, 1);
    for (;;) {
        ssize_t got = io_read_full(fd, reader->data + reader->length, capacity - reader->length);
        if (got < 0)
            return errno;
        reader->length += (size_t)got;
        if (reader->length < capacity)
            return 0;
        capacity *= 2;
        reader->data = memory_resize(reader->data, capacity, 1);
    }
}

/* -1 when the file is not a journal. One that ends within the magic, or has zeros there (reserved by the file
 * system, but not written before a power cut), is an empty journal. */
static int check_magic(const char *path, struct journal_reader *reader, struct error *error)
{
    static const unsigned char zeros[JOURNAL_MAGIC_SIZE];
    size_t length = reader->length < JOURNAL_MAGIC_SIZE ? reader->length : JOURNAL_MAGIC_SIZE;
    if (!length || !memcmp(reader->data, zeros, length)) {
        reader->length = 0;
        return 0;
    }
    if (!memcmp(reader->data, JOURNAL_MAGIC, length)) {
        reader->at = length;
        return 0;
    }
    if (!memcmp(reader->data, JOURNAL_MAGIC, length < JOURNAL_MAGIC_SIZE ? length : JOURNAL_MAGIC_SIZE - 1))
        return error_set(error, ERROR_ENVIRONMENT,
                         "%s: this journal was written by another release of warpsweep (version '%c'; this "
                         "one reads '%c'): resume the run with that release",
                         path, reader->data[JOURNAL_MAGIC_SIZE - 1], JOURNAL_MAGIC[JOURNAL_MAGIC_SIZE - 1]);
    return error_set(error, ERROR_ENVIRONMENT, "%s: this is not a journal of warpsweep; move it away", path);
}

int journal_read(const char *path, struct journal_reader *reader, struct error *error)
{
    *reader = (struct journal_reader){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a FIFO must not block */
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, strerror(errno));
    reader->exists = true;
    reader->writer = io_is_locked(fd);
    int code = copy_bytes(fd, reader);
    close(fd);
    if (code ? error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, strerror(code))
             : check_magic(path, reader, error)) {
        journal_reader_free(reader);
        return -1;
    }
    return 0;
}

void journal_reader_free(struct journal_reader *reader)
{
    free(reader->data);
    *reader = (struct journal_reader){0};
}

/* A whole record starts at `at`. `*work`, the bytes that may still be read for this, goes down. */
static bool is_record(const struct journal_reader *reader, size_t at, size_t *work)
{
    if (reader->length - at < JOURNAL_HEADER_SIZE)
        return false;
    const unsigned char *header = reader->data + at;
    size_t length = wire_load_u32(header);
    if (length > reader->length - at - JOURNAL_HEADER_SIZE || length > *work)
        return false;
    *work -= length;
    return wire_load_u32(header + 4) == journal_record_crc(header, header + JOURNAL_HEADER_SIZE, length);
}

/* Start of the next whole record after the damage at reader->at, or the end. The search is bounded, because a
 * file could consist of nothing but plausible headers. */
static size_t find_record(const struct journal_reader *reader)
{
    size_t work = 16 * reader->length;
    for (size_t at = reader->at + 1; at + JOURNAL_HEADER_SIZE <= reader->length; at++) {
        uint32_t type = wire_load_u32(reader->data + at + 8);
        if (type >= 1 && type <= JOURNAL_TYPE_MAX && is_record(reader, at, &work))
            return at;
    }
    return reader->length;
}

/* A kill leaves a record that is longer than the file; a power cut leaves zeros. */
static bool is_torn_end(const struct journal_reader *reader)
{
    size_t left = reader->length - reader->at, zeros = 0;
    while (zeros < left && !reader->data[reader->at + zeros])
        zeros++;
    return zeros == left || left < JOURNAL_HEADER_SIZE ||
           wire_load_u32(reader->data + reader->at) > left - JOURNAL_HEADER_SIZE;
}

bool journal_next(struct journal_reader *reader, uint32_t *type, struct wire_reader *payload)
{
    size_t all = SIZE_MAX;
    if (reader->at >= reader->length)
        return false;
    if (!is_record(reader, reader->at, &all)) {
        size_t next = find_record(reader);
        if (next < reader->length || !is_torn_end(reader)) {
            reader->gaps++;
            reader->skipped += next - reader->at;
        }
        reader->at = next;
        if (next == reader->length)
            return false;
    }
    const unsigned char *header = reader->data + reader->at;
    size_t length = wire_load_u32(header);
    *type = wire_load_u32(header + 8);
    *payload = wire_read(header + JOURNAL_HEADER_SIZE, length);
    reader->at += JOURNAL_HEADER_SIZE + length;
    return true;
}
