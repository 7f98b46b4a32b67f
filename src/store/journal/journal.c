#include "store/journal/journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/journal/format.h"

static int fail(const char *path, int code, struct error *error)
{
    return error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, strerror(code));
}

/* False when another run has removed the file between open and lock. */
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
        int locked = io_lock(fd);
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
                    "warpsweep: note: %s: the file system has no locks (%s); make sure that no other run "
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
    wire_put_u32(&journal->pending, 0); /* length and CRC: set by journal_end */
    wire_put_u32(&journal->pending, 0);
    wire_put_u32(&journal->pending, type);
    return &journal->pending;
}

void journal_end(struct journal *journal)
{
    assert(journal->pending.length >= journal->record + JOURNAL_HEADER_SIZE);
    unsigned char *header = journal->pending.data + journal->record;
    size_t length = journal->pending.length - journal->record - JOURNAL_HEADER_SIZE;
    wire_store_u32(header, (uint32_t)length);
    wire_store_u32(header + 4, journal_record_crc(header, header + JOURNAL_HEADER_SIZE, length));
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
    for (int i = 0; i < JOURNAL_MAGIC_SIZE; i += 4)
        wire_put_u32(&journal->pending, wire_load_u32((const unsigned char *)JOURNAL_MAGIC + i));
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

/* "FILE.h5.tmp-journal-PID" for "FILE.h5.journal": if this run is killed, the next one removes it. */
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
    /* The second time copies only what came during the first fdatasync. */
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
                         (journal->locked && io_lock(successor->fd) != 1) ||
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
