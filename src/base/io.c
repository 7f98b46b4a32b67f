#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

void io_fill_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* takes the lowest free number */
}

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
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* O_NONBLOCK: opening a FIFO must not hang */
    if (fd < 0) {
        error_set(error, ERROR_USAGE, "%.300s: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        error_set(error, ERROR_USAGE, "%.300s: not a regular file", path);
        goto out;
    }
    if ((unsigned long long)status.st_size > limit) {
        error_set(error, ERROR_USAGE, "%.300s: the file has %lld bytes; the limit is %zu", path,
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

int io_hash_file(const char *path, uint64_t *hash, struct error *error)
{
    size_t size;
    char *bytes = io_read_file(path, SIZE_MAX - 1, &size, error);
    if (!bytes)
        return -1;
    *hash = hash_u64(hash_bytes(HASH_START, bytes, size), size);
    free(bytes);
    return 0;
}

int io_sync_folder(const char *path)
{
    char *copy = memory_text(path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(copy);
    if (fd < 0)
        return errno == EACCES ? 0 : -1;
    int failed = fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS;
    int code = errno;
    close(fd);
    errno = code;
    return failed ? -1 : 0;
}

static FILE *open_told(const char *format, va_list arguments)
{
    char path[PATH_MAX];
    vsnprintf(path, sizeof path, format, arguments);
    return fopen(path, "re");
}

bool io_read_line(char *out, size_t size, const char *path, ...)
{
    va_list arguments;
    va_start(arguments, path);
    FILE *file = open_told(path, arguments);
    va_end(arguments);
    bool got = file && fgets(out, (int)size, file);
    if (file)
        fclose(file);
    if (got)
        out[strcspn(out, "\n")] = '\0';
    return got;
}

bool io_read_field(const char *key, char *out, size_t size, const char *path, ...)
{
    va_list arguments;
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    va_start(arguments, path);
    FILE *file = open_told(path, arguments);
    va_end(arguments);
    while (file && !found && getline(&line, &room, file) > 0) {
        const char *colon = strchr(line, ':'), *value = colon ? colon + 1 + strspn(colon + 1, " \t") : NULL;
        found = value && !strncmp(line, key, strlen(key));
        if (found)
            snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
    }
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* Of mounts on one folder the last counts. */
bool io_filesystem(const char *root, const char *path, char *out, size_t size)
{
    char name[PATH_MAX], *line = NULL, folder[PATH_MAX], type[64];
    size_t room = 0, longest = 0;
    snprintf(name, sizeof name, "%s/proc/self/mountinfo", root);
    FILE *file = fopen(name, "re");
    while (file && getline(&line, &room, file) > 0) {
        const char *rest = strstr(line, " - ");
        if (!rest || sscanf(line, "%*s %*s %*s %*s %4095s", folder) != 1 ||
            sscanf(rest, " - %63s", type) != 1)
            continue;
        size_t length = strlen(folder);
        bool top = length == 1;
        if (length < longest ||
            (!top && (strncmp(path, folder, length) != 0 || (path[length] != '/' && path[length] != '\0'))))
            continue;
        longest = length;
        snprintf(out, size, "%s", type);
    }
    free(line);
    if (file)
        fclose(file);
    return longest > 0;
}

/* The target of the link `path`, relative to the same folder as `path`; NULL if it is not a link. */
static char *link_target(const char *path)
{
    char target[4096];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return NULL;
    target[length] = '\0';
    struct text whole = {0};
    const char *slash = strrchr(path, '/');
    if (*target != '/' && slash)
        text_append(&whole, path, (size_t)(slash + 1 - path));
    text_add(&whole, "%s", target);
    return whole.data;
}

char *io_real_path(const char *path)
{
    enum { LINKS_MAX = 40 };
    char *at = memory_text(path), *next;
    for (int i = 0; i < LINKS_MAX && (next = link_target(at)); i++) {
        free(at);
        at = next;
    }
    char *copy = memory_text(at), *name = memory_text(at), *folder = realpath(dirname(copy), NULL);
    struct text real = {0};
    if (folder)
        text_add(&real, "%s%s%s", folder, strcmp(folder, "/") == 0 ? "" : "/", basename(name));
    else
        text_add(&real, "%s", at); /* of a link its target, so that nobody replaces the link */
    free(folder);
    free(name);
    free(copy);
    free(at);
    return real.data;
}

/* Give the new file the mode and group of the one that it replaces. */
static int keep_mode(int fd, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return 0;
    if (fchown(fd, (uid_t)-1, status.st_gid) != 0)
        errno = 0; /* not permitted: the file keeps its default group */
    return fchmod(fd, status.st_mode & 0777);
}

static int write_durably(int fd, const void *bytes, size_t size)
{
    int failed = io_write_full(fd, bytes, size) != 0 || fsync(fd) != 0;
    int code = errno;
    if (close(fd) != 0 && !failed)
        return -1;
    errno = code;
    return failed ? -1 : 0;
}

const char *io_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int io_check_name(const char *path, struct error *error)
{
    enum { LONGEST_ENDING = 40 }; /* ".tmp-", a hash, a process and a number; ".journal.damaged" is shorter */
    const char *name = io_file_name(path);
    if (strlen(name) + LONGEST_ENDING <= NAME_MAX)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "%.60s...: a name of %zu bytes; at most %d, for temporary files beside it", name,
                     strlen(name), NAME_MAX - LONGEST_ENDING);
}

struct io_identity io_identify(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return (struct io_identity){0};
    return (struct io_identity){status.st_dev, status.st_ino};
}

/* Move the new file `temporary` to `path`. The last moment to see what is there: another file may have been
 * moved there while the new one was written. */
static int move_into_place(const char *temporary, const char *path, struct io_identity *mine,
                           struct error *error)
{
    struct stat status;
    if (lstat(path, &status) == 0) {
        if (mine && (status.st_ino != mine->inode || status.st_dev != mine->device))
            return 1;
        if (!S_ISREG(status.st_mode))
            return error_set(error, ERROR_USAGE, "%s is not a regular file", path);
    }
    struct io_identity new = io_identify(temporary);
    if (rename(temporary, path) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, strerror(errno));
    if (mine)
        *mine = new;
    if (io_sync_folder(path) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, strerror(errno));
    return 0;
}

int io_replace_file(const char *named, const void *bytes, size_t size, struct io_identity *mine,
                    struct error *error)
{
    /* Process id and sequence number are unique on one machine, the host name, as a hash, among nodes that
     * share the folder. */
    static atomic_uint sequence;
    char host[64] = "", *path = io_real_path(named);
    gethostname(host, sizeof host - 1);
    struct text temporary = {0};
    text_add(&temporary, "%s.tmp-%08x-%ld-%u", path, (unsigned)hash_text(HASH_START, host), (long)getpid(),
             atomic_fetch_add(&sequence, 1));
    int fd = open(temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666 & ~S_IWOTH);
    int failed = fd < 0 ? -1 : keep_mode(fd, path);
    if (fd >= 0 && write_durably(fd, bytes, size) != 0)
        failed = -1;
    if (failed)
        error_set(error, ERROR_ENVIRONMENT, "%s: %s", named, strerror(errno));
    else
        failed = move_into_place(temporary.data, path, mine, error);
    if (failed && fd >= 0)
        unlink(temporary.data);
    text_free(&temporary);
    free(path);
    return failed;
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
        if (*copy && mkdir(copy, 0777 & ~S_IWOTH) != 0 &&
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

/* An ending of io_replace_file, and no file of the user's. */
static bool is_temporary(const char *ending)
{
    unsigned host, number;
    long process;
    int end = 0;
    return sscanf(ending, ".tmp-%8x-%ld-%u%n", &host, &process, &number, &end) == 3 && end && !ending[end];
}

void io_remove_leftovers(const char *path)
{
    char *folder_copy = memory_text(path), *name_copy = memory_text(path);
    const char *folder = dirname(folder_copy), *name = basename(name_copy);
    size_t length = strlen(name);
    DIR *entries = opendir(folder);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries))
        if (!strncmp(entry->d_name, name, length) && is_temporary(entry->d_name + length))
            unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
    free(folder_copy);
    free(name_copy);
}

/* Open-file locks: they can be asked for without taking them. */
int io_lock(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
        return 1;
    return errno == EAGAIN || errno == EACCES ? 0 : -1;
}

bool io_is_locked(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}
