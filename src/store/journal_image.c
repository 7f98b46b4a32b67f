#include "store/journal_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "store/journal_format.h"

enum { REST_BYTES = 1 << 22 };

static int fail(const char *path, int code, struct error *error)
{
    return error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, strerror(code));
}

static bool is_locked(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Everything there is to read now. The file may grow, or be started anew by a checkpoint, while we read: the
 * first only adds records, the second ends what we have with a damaged record. */
static int load_bytes(int fd, struct journal_image *image)
{
    size_t capacity = 0;
    struct stat status;
    if (fstat(fd, &status) != 0)
        return errno;
    if (!S_ISREG(status.st_mode))
        return EINVAL;
    for (;;) {
        if (image->length == capacity) {
            capacity = capacity ? 2 * capacity : (size_t)status.st_size + 4096;
            image->data = memory_resize(image->data, capacity, 1);
        }
        ssize_t got = io_read_full(fd, image->data + image->length, capacity - image->length);
        if (got < 0)
            return errno;
        if (got == 0)
            return 0;
        image->length += (size_t)got;
    }
}

/* The same without a copy. A file that shrinks under a mapping kills the reader, so nobody else may write it. */
static int map_bytes(int fd, struct journal_image *image)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return errno;
    if (!S_ISREG(status.st_mode))
        return EINVAL;
    if (!status.st_size)
        return 0;
    void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return load_bytes(fd, image);
    image->data = data;
    image->length = image->mapped_length = (size_t)status.st_size;
    return 0;
}

/* 0, or -1 when the file starts like no journal. One that is cut within the magic, or was never written where
 * the file system had reserved it (zeros after a power cut), is an empty journal. */
static int check_magic(const char *path, struct journal_image *image, struct error *error)
{
    static const unsigned char zeros[JOURNAL_MAGIC_SIZE];
    size_t length = image->length < JOURNAL_MAGIC_SIZE ? image->length : JOURNAL_MAGIC_SIZE;
    if (!length || !memcmp(image->data, zeros, length)) {
        image->length = 0;
        return 0;
    }
    if (!memcmp(image->data, JOURNAL_MAGIC, length)) {
        image->at = length;
        return 0;
    }
    if (!memcmp(image->data, JOURNAL_MAGIC, length < JOURNAL_MAGIC_SIZE ? length : JOURNAL_MAGIC_SIZE - 1))
        return error_set(error, ERROR_ENVIRONMENT,
                         "%s: this journal was written by another release of warpsweep (version '%c'; this "
                         "one reads '%c')",
                         path, image->data[JOURNAL_MAGIC_SIZE - 1], JOURNAL_MAGIC[JOURNAL_MAGIC_SIZE - 1]);
    return error_set(error, ERROR_ENVIRONMENT, "%s: this is not a journal of warpsweep; move it away", path);
}

int journal_load(const char *path, bool own, struct journal_image *image, struct error *error)
{
    *image = (struct journal_image){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not hang us */
    if (fd < 0)
        return errno == ENOENT ? 0 : fail(path, errno, error);
    image->exists = true;
    image->writer = is_locked(fd);
    int code = own ? map_bytes(fd, image) : load_bytes(fd, image);
    close(fd);
    if (code ? fail(path, code, error) : check_magic(path, image, error)) {
        journal_image_free(image);
        return -1;
    }
    return 0;
}

void journal_image_free(struct journal_image *image)
{
    if (image->mapped_length)
        munmap(image->data, image->mapped_length);
    else
        free(image->data);
    *image = (struct journal_image){0};
}

/* Whether a whole record starts at `at`. `*work` is taken down by the bytes that had to be looked at. */
static bool is_record(const struct journal_image *image, size_t at, size_t *work)
{
    if (image->length - at < JOURNAL_HEADER_SIZE)
        return false;
    const unsigned char *header = image->data + at;
    size_t length = journal_load_u32(header);
    if (length > image->length - at - JOURNAL_HEADER_SIZE || length > *work)
        return false;
    *work -= length;
    return journal_load_u32(header + 4) == journal_record_crc(header, header + JOURNAL_HEADER_SIZE, length);
}

/* Where the next whole record starts behind the damage at image->at, or the end. What looks like a header is rare, but
 * a file could be made of nothing else: the search is bounded. */
static size_t find_record(const struct journal_image *image)
{
    size_t work = 16 * image->length;
    for (size_t at = image->at + 1; at + JOURNAL_HEADER_SIZE <= image->length; at++) {
        uint32_t type = journal_load_u32(image->data + at + 8);
        if (type >= 1 && type <= JOURNAL_TYPE_MAX && is_record(image, at, &work))
            return at;
    }
    return image->length;
}

/* A kill leaves a record that is longer than the file, a power cut zeros that were never written. */
static bool is_torn_end(const struct journal_image *image)
{
    size_t left = image->length - image->at, zeros = 0;
    while (zeros < left && !image->data[image->at + zeros])
        zeros++;
    return zeros == left || left < JOURNAL_HEADER_SIZE ||
           journal_load_u32(image->data + image->at) > left - JOURNAL_HEADER_SIZE;
}

/* Leave what lies before `at` to the file. */
static void rest(struct journal_image *image, size_t at)
{
    size_t end = at / REST_BYTES * REST_BYTES; /* whole pages */
    if (end > image->rested)
        madvise(image->data + image->rested, end - image->rested, MADV_DONTNEED);
    image->rested = end;
}

bool journal_next(struct journal_image *image, uint32_t *type, struct wire_reader *payload)
{
    size_t all = SIZE_MAX;
    if (image->at >= image->length)
        return false;
    if (!is_record(image, image->at, &all)) {
        size_t next = find_record(image);
        if (next < image->length || !is_torn_end(image)) {
            image->gaps++;
            image->skipped += next - image->at;
        }
        image->at = next;
        if (next == image->length)
            return false;
    }
    const unsigned char *header = image->data + image->at;
    size_t length = journal_load_u32(header);
    *type = journal_load_u32(header + 8);
    *payload = wire_read(header + JOURNAL_HEADER_SIZE, length);
    image->at += JOURNAL_HEADER_SIZE + length;
    image->whole = image->at;
    if (image->mapped_length)
        rest(image, image->at - JOURNAL_HEADER_SIZE - length);
    return true;
}
