#include "store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"

enum { MAGIC_SIZE = 8, HEADER_SIZE = 12, REST_BYTES = 1 << 22 };

static uint32_t load_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void store_u32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static uint32_t record_crc(const unsigned char *header, const void *payload, size_t length)
{
    uint32_t crc = hash_crc32(0, header, 4); /* length */
    crc = hash_crc32(crc, header + 8, 4);    /* type */
    return hash_crc32(crc, payload, length);
}

static int fail(const char *path, int code, struct error *error)
{
    return error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, strerror(code));
}

/* Take the lock: 1, or 0 when another process has it, or -1 when the file system has no locks. Open-file
 * locks: they belong to our descriptor, survive no exec, and can be asked about without taking them. */
static int take_lock(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
        return 1;
    return errno == EAGAIN || errno == EACCES ? 0 : -1;
}

static bool is_locked(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Whether the path still names the open file: the run that had the lock may have removed it meanwhile. */
static bool is_current(int fd, const char *path)
{
    struct stat open_file, named;
    return fstat(fd, &open_file) == 0 && stat(path, &named) == 0 && open_file.st_ino == named.st_ino &&
           open_file.st_dev == named.st_dev;
}

int journal_open(struct journal *journal, const char *path, bool fresh, unsigned mode, struct error *error)
{
    *journal = (struct journal){.fd = -1};
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | (fresh ? O_EXCL : 0), mode);
        if (fd < 0)
            return fail(path, errno, error);
        int locked = take_lock(fd);
        if (locked == 0) {
            close(fd);
            return error_set(error, ERROR_ENVIRONMENT, "%s: another run is writing this results file", path);
        }
        if (!is_current(fd, path)) {
            close(fd);
            continue;
        }
        if (locked < 0)
            fprintf(stderr,
                    "warpsweep: note: %s: the file system has no locks (%s); take care that no other run "
                    "writes the same file\n",
                    path, strerror(errno));
        journal->fd = fd;
        journal->locked = locked > 0;
        journal->path = memory_text(path);
        return 0;
    }
}

bool journal_is_there(const struct journal *journal)
{
    return is_current(journal->fd, journal->path);
}

struct wire *journal_begin(struct journal *journal, uint32_t type)
{
    journal->record = journal->pending.length;
    wire_put_u32(&journal->pending, 0); /* length and CRC: journal_end knows them */
    wire_put_u32(&journal->pending, 0);
    wire_put_u32(&journal->pending, type);
    return &journal->pending;
}

void journal_end(struct journal *journal)
{
    unsigned char *header = journal->pending.data + journal->record;
    size_t length = journal->pending.length - journal->record - HEADER_SIZE;
    store_u32(header, (uint32_t)length);
    store_u32(header + 4, record_crc(header, header + HEADER_SIZE, length));
}

int journal_flush(struct journal *journal, struct error *error)
{
    struct wire *pending = &journal->pending;
    size_t done = 0;
    int code = 0;
    while (done < pending->length) {
        ssize_t put = write(journal->fd, pending->data + done, pending->length - done);
        if (put < 0 && errno != EINTR) {
            code = errno;
            break;
        }
        if (put > 0) {
            done += (size_t)put;
            journal->unsynced = true;
        }
    }
    if (done && done < pending->length)
        memmove(pending->data, pending->data + done, pending->length - done);
    pending->length -= done;
    return code ? fail(journal->path, code, error) : 0;
}

int journal_sync(struct journal *journal, struct error *error)
{
    if (journal_flush(journal, error) != 0)
        return -1;
    if (journal->unsynced && fdatasync(journal->fd) != 0)
        return fail(journal->path, errno, error);
    journal->unsynced = false;
    return 0;
}

void journal_put_magic(struct journal *journal)
{
    for (int i = 0; i < MAGIC_SIZE; i += 4)
        wire_put_u32(&journal->pending, load_u32((const unsigned char *)JOURNAL_MAGIC + i));
}

int journal_restart(struct journal *journal, struct error *error)
{
    wire_reset(&journal->pending);
    if (ftruncate(journal->fd, 0) != 0)
        return fail(journal->path, errno, error);
    journal_put_magic(journal);
    return 0;
}

/* ---- Successors ---- */

void journal_forsake(struct successor *successor)
{
    if (successor->fd >= 0)
        close(successor->fd);
    unlink(successor->temporary);
    free(successor->temporary);
    *successor = (struct successor){.fd = -1};
}

/* "FILE.h5.journal" gives "FILE.h5.tmp-journal-PID", which the next run finds among what was left over. */
static char *temporary_path(const char *path)
{
    static const char ending[] = ".journal";
    struct text text = {0};
    size_t length = strlen(path), cut = length > sizeof ending - 1 ? length - (sizeof ending - 1) : length;
    text_append(&text, path, strcmp(path + cut, ending) == 0 ? cut : length);
    text_add(&text, ".tmp-journal-%ld", (long)getpid());
    return text.data;
}

int journal_succeed(struct journal *journal, const struct wire *start, struct successor *successor,
                    struct error *error)
{
    struct stat status;
    if (journal_flush(journal, error) != 0)
        return -1;
    if (fstat(journal->fd, &status) != 0)
        return fail(journal->path, errno, error);
    *successor = (struct successor){
        .from = journal->fd, .temporary = temporary_path(journal->path), .at = (long long)status.st_size};
    unlink(successor->temporary);
    successor->fd =
        open(successor->temporary, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, status.st_mode & 0777);
    if (successor->fd >= 0 && io_write_full(successor->fd, start->data, start->length) == 0)
        return 0;
    fail(successor->temporary, errno, error);
    journal_forsake(successor);
    return -1;
}

static int copy_rest(struct successor *successor)
{
    enum { BLOCK = 1 << 16 };
    char block[BLOCK];
    for (;;) {
        ssize_t got = pread(successor->from, block, sizeof block, (off_t)successor->at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return (int)got;
        if (io_write_full(successor->fd, block, (size_t)got) != 0)
            return -1;
        successor->at += got;
    }
}

int journal_follow(struct successor *successor, struct error *error)
{
    /* The second time there is no more than came while the first was made durable. */
    for (int i = 0; i < 2; i++)
        if (copy_rest(successor) != 0 || fdatasync(successor->fd) != 0)
            return fail(successor->temporary, errno, error);
    return 0;
}

int journal_become(struct journal *journal, struct successor *successor, struct error *error)
{
    struct stat named;
    int failed = journal_flush(journal, error);
    if (!failed && stat(journal->path, &named) == 0 && !journal_is_there(journal))
        failed = error_set(error, ERROR_ENVIRONMENT, "%s: another run is writing this results file",
                           journal->path);
    else if (!failed && (copy_rest(successor) != 0 || fdatasync(successor->fd) != 0 ||
                         (journal->locked && take_lock(successor->fd) != 1) ||
                         rename(successor->temporary, journal->path) != 0))
        failed = fail(successor->temporary, errno, error);
    if (failed) {
        journal_forsake(successor);
        return -1;
    }
    close(journal->fd);
    journal->fd = successor->fd;
    journal->unsynced = false;
    free(successor->temporary);
    return io_sync_folder(journal->path) == 0 ? 0 : fail(journal->path, errno, error);
}

void journal_close(struct journal *journal, bool removed)
{
    if (journal->fd < 0)
        return;
    if (removed) {
        unlink(journal->path);
        io_sync_folder(journal->path);
    }
    close(journal->fd);
    journal->fd = -1;
    free(journal->path);
    journal->path = NULL;
    wire_free(&journal->pending);
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
    static const unsigned char zeros[MAGIC_SIZE];
    size_t length = image->length < MAGIC_SIZE ? image->length : MAGIC_SIZE;
    if (!length || !memcmp(image->data, zeros, length)) {
        image->length = 0;
        return 0;
    }
    if (!memcmp(image->data, JOURNAL_MAGIC, length)) {
        image->at = length;
        return 0;
    }
    if (!memcmp(image->data, JOURNAL_MAGIC, length < MAGIC_SIZE ? length : MAGIC_SIZE - 1))
        return error_set(error, ERROR_ENVIRONMENT,
                         "%s: this journal was written by another release of warpsweep (version '%c'; this "
                         "one reads '%c')",
                         path, image->data[MAGIC_SIZE - 1], JOURNAL_MAGIC[MAGIC_SIZE - 1]);
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
    if (image->length - at < HEADER_SIZE)
        return false;
    const unsigned char *header = image->data + at;
    size_t length = load_u32(header);
    if (length > image->length - at - HEADER_SIZE || length > *work)
        return false;
    *work -= length;
    return load_u32(header + 4) == record_crc(header, header + HEADER_SIZE, length);
}

/* Where the next whole record starts behind the damage at image->at, or the end. What looks like a header is rare, but
 * a file could be made of nothing else: the search is bounded. */
static size_t find_record(const struct journal_image *image)
{
    size_t work = 16 * image->length;
    for (size_t at = image->at + 1; at + HEADER_SIZE <= image->length; at++) {
        uint32_t type = load_u32(image->data + at + 8);
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
    return zeros == left || left < HEADER_SIZE || load_u32(image->data + image->at) > left - HEADER_SIZE;
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
    size_t length = load_u32(header);
    *type = load_u32(header + 8);
    *payload = wire_read(header + HEADER_SIZE, length);
    image->at += HEADER_SIZE + length;
    if (image->mapped_length)
        rest(image, image->at - HEADER_SIZE - length);
    return true;
}
