#include "process/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"

#define RANDOM           "XXXXXX"
#define NEW              ".new"
#define UNLOCKED_SECONDS 60 /* between the making of a folder and of its lock, at most */

static int remove_one(const char *path, const struct stat *what, int kind, struct FTW *where)
{
    (void)what, (void)kind, (void)where;
    return remove(path);
}

static void remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static char *name_lock(const char *folder, const char *ending)
{
    struct text path = {0};
    text_add(&path, "%s/" SCRATCH_LOCK "%s", folder, ending);
    return path.data;
}

/* It gets its name when it is locked: else another process could lock it first, and remove the folder. */
static int make_lock(const char *folder)
{
    char *path = name_lock(folder, ""), *new = name_lock(folder, NEW);
    int fd = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 && (io_lock(fd) == 0 || rename(new, path) != 0)) {
        int reason = errno;
        close(fd);
        errno = reason;
        fd = -1;
    }
    free(path);
    free(new);
    return fd;
}

static void clear_one(const char *folder)
{
    struct stat what;
    if (lstat(folder, &what) != 0 || !S_ISDIR(what.st_mode) || what.st_uid != geteuid())
        return;
    char *path = name_lock(folder, ""), *new = name_lock(folder, NEW);
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && io_lock(fd) == 1)
        remove_folder(folder);
    else if (fd < 0 && errno == ENOENT && time(NULL) - what.st_mtime > UNLOCKED_SECONDS) {
        unlink(new);
        rmdir(folder); /* killed before it had a lock; one with files is kept */
    }
    if (fd >= 0)
        close(fd);
    free(path);
    free(new);
}

static void clear(const char *prefix)
{
    const char *name = io_file_name(prefix);
    struct text parent = {0};
    text_append(&parent, prefix, (size_t)(name - prefix));
    DIR *folder = opendir(parent.length ? parent.data : ".");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (!strncmp(entry->d_name, name, strlen(name)) &&
            strlen(entry->d_name) == strlen(name) + strlen(RANDOM)) {
            struct text path = {0};
            text_add(&path, "%s%s", parent.length ? parent.data : "", entry->d_name);
            clear_one(path.data);
            text_free(&path);
        }
    if (folder)
        closedir(folder);
    text_free(&parent);
}

int scratch_make(const char *prefix, struct scratch *scratch, struct error *error)
{
    struct text path = {0};
    clear(prefix);
    text_add(&path, "%s" RANDOM, prefix);
    *scratch = (struct scratch){.lock = -1};
    if (!mkdtemp(path.data)) {
        error_set(error, ERROR_ENVIRONMENT, "cannot create the folder %s: %s", path.data, strerror(errno));
        text_free(&path);
        return -1;
    }
    scratch->path = path.data;
    scratch->lock = make_lock(path.data);
    if (scratch->lock < 0) {
        error_set(error, ERROR_ENVIRONMENT, "cannot write in %s: %s", path.data, strerror(errno));
        remove_folder(path.data);
        scratch_free(scratch);
        return -1;
    }
    return 0;
}

void scratch_free(struct scratch *scratch)
{
    if (scratch->path && scratch->lock >= 0)
        remove_folder(scratch->path);
    if (scratch->lock >= 0)
        close(scratch->lock);
    free(scratch->path);
    *scratch = (struct scratch){.lock = -1};
}
