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
#include "base/thread.h"

#define SYNC_RUNS (-1)

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
        if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
            return error_set(error, ERROR_USAGE, "%s: its folder does not exist, or takes no files", path);
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

bool journal_is_syncing(const struct journal *journal)
{
    return journal->syncing && journal->synced == SYNC_RUNS;
}

static void *sync_in_thread(void *argument)
{
    struct journal *journal = argument;
    journal->synced = fdatasync(journal->fd) == 0 ? 0 : errno;
    return NULL;
}

/* Wait for the thread, if there is one. */
static int end_sync(struct journal *journal, struct error *error)
{
    if (!journal->syncing)
        return 0;
    pthread_join(journal->thread, NULL);
    journal->syncing = false;
    journal->unsynced = journal->synced != 0;
    return journal->synced ? fail(journal->path, journal->synced, error) : 0;
}

int journal_flush(struct journal *journal, struct error *error)
{
    if (journal_is_syncing(journal))
        return 0;
    if (end_sync(journal, error) != 0)
        return -1;
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
            journal->written += (uint64_t)put;
            journal->unsynced = true;
        }
    }
    if (done && done < pending->length)
        memmove(pending->data, pending->data + done, pending->length - done);
    pending->length -= done;
    return code ? fail(journal->path, code, error) : 0;
}

int journal_start_sync(struct journal *journal, struct error *error)
{
    if (journal_flush(journal, error) != 0)
        return -1;
    if (!journal->unsynced || journal->syncing)
        return 0;
    journal->synced = SYNC_RUNS;
    journal->syncing = thread_start(&journal->thread, sync_in_thread, journal) == 0;
    return journal->syncing ? 0 : journal_sync(journal, error);
}

int journal_sync(struct journal *journal, struct error *error)
{
    if (end_sync(journal, error) != 0 || journal_flush(journal, error) != 0)
        return -1;
    if (journal->unsynced && fdatasync(journal->fd) != 0)
        return fail(journal->path, errno, error);
    journal->unsynced = false;
    return 0;
}

int journal_restart(struct journal *journal, struct error *error)
{
    wire_reset(&journal->pending);
    if (ftruncate(journal->fd, 0) != 0)
        return fail(journal->path, errno, error);
    for (int i = 0; i < JOURNAL_MAGIC_SIZE; i += 4)
        wire_put_u32(&journal->pending, wire_load_u32((const unsigned char *)JOURNAL_MAGIC + i));
    return 0;
}

void journal_close(struct journal *journal, bool removed)
{
    if (journal->fd < 0)
        return;
    end_sync(journal, NULL);
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
