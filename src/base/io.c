#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

ssize_t io_read_full(int fd, void *buffer, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, (char *)buffer + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

int io_write_full(int fd, const void *buffer, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t put = write(fd, (const char *)buffer + done, size - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        done += (size_t)put;
    }
    return 0;
}

char *io_read_file(const char *path, size_t limit, size_t *size, struct error *error)
{
    char *bytes = NULL;
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* O_NONBLOCK: a FIFO must not hang us */
    if (fd < 0) {
        error_set(error, ERROR_USAGE, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        error_set(error, ERROR_USAGE, "%s: not a regular file", path);
        goto out;
    }
    if ((unsigned long long)status.st_size > limit) {
        error_set(error, ERROR_USAGE, "%s: the file has %lld bytes; the limit is %zu", path,
                  (long long)status.st_size, limit);
        goto out;
    }
    bytes = memory_new((size_t)status.st_size + 1, 1);
    ssize_t got = io_read_full(fd, bytes, (size_t)status.st_size);
    if (got < 0) {
        error_set(error, ERROR_USAGE, "%s: %s", path, strerror(errno));
        free(bytes);
        bytes = NULL;
        goto out;
    }
    bytes[got] = '\0';
    *size = (size_t)got;
out:
    close(fd);
    return bytes;
}

int io_sync_folder(const char *path)
{
    char *copy = memory_text(path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(copy);
    if (fd < 0)
        return -1;
    int failed = fsync(fd);
    close(fd);
    return failed;
}

int io_replace_file(const char *path, const void *bytes, size_t size, struct error *error)
{
    /* Process and sequence number: unique among the threads and ranks of one machine; the host name among
     * nodes that share the folder. */
    static atomic_uint sequence;
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    struct text temporary = {0};
    text_add(&temporary, "%s.tmp-%s-%ld-%u", path, host, (long)getpid(), atomic_fetch_add(&sequence, 1));
    int failed = -1;
    int fd = open(temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        error_set(error, ERROR_ENVIRONMENT, "%s: %s", temporary.data, strerror(errno));
        goto out;
    }
    failed = io_write_full(fd, bytes, size) != 0 || fsync(fd) != 0;
    if (failed)
        error_set(error, ERROR_ENVIRONMENT, "%s: %s", temporary.data, strerror(errno));
    close(fd);
    if (!failed && rename(temporary.data, path) != 0) {
        error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, strerror(errno));
        failed = 1;
    }
    if (failed)
        unlink(temporary.data);
    else
        io_sync_folder(path);
out:
    text_free(&temporary);
    return failed ? -1 : 0;
}

int io_make_folders(const char *path, struct error *error)
{
    char *copy = memory_text(path);
    int failed = 0;
    for (char *slash = copy + (*copy == '/'); !failed; slash++) {
        slash = strchrnul(slash, '/');
        char kept = *slash;
        *slash = '\0';
        struct stat status;
        if (*copy && mkdir(copy, 0777) != 0 &&
            !(errno == EEXIST && stat(copy, &status) == 0 && S_ISDIR(status.st_mode))) {
            if (errno == EEXIST)
                errno = ENOTDIR;
            failed = error_set(error, ERROR_ENVIRONMENT, "%s: %s", copy, strerror(errno));
        }
        *slash = kept;
        if (!kept)
            break;
    }
    free(copy);
    return failed;
}

void io_executable_folder(char *out, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", out, size - 1);
    out[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(out, '/');
    if (slash)
        *slash = '\0';
}
