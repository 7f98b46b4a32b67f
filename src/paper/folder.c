#include "paper/folder.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"

/* Without trailing slashes. */
static struct text trimmed(const char *path)
{
    struct text text = {0};
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    text_append(&text, path, length);
    return text;
}

static bool is_empty(DIR *folder)
{
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return false;
    return true;
}

int folder_check(const char *path, bool overwrite, const char *mark, struct error *error)
{
    struct text marked = {0};
    struct stat what;
    if (stat(path, &what) != 0)
        return errno == ENOENT
                   ? 0
                   : error_set(error, ERROR_ENVIRONMENT, "cannot read %s: %s", path, strerror(errno));
    if (!S_ISDIR(what.st_mode))
        return error_set(error, ERROR_USAGE, "%s exists and is not a folder", path);
    DIR *folder = opendir(path);
    if (!folder)
        return error_set(error, ERROR_ENVIRONMENT, "cannot read %s: %s", path, strerror(errno));
    bool empty = is_empty(folder);
    closedir(folder);
    if (empty)
        return 0;
    if (!overwrite)
        return error_set(error, ERROR_USAGE, "%s is not empty; use another folder or --overwrite", path);
    text_add(&marked, "%s/%s", path, mark);
    bool ours = access(marked.data, F_OK) == 0;
    text_free(&marked);
    if (!ours)
        return error_set(error, ERROR_USAGE,
                         "%s was not written by this command (it has no %s); use another folder", path, mark);
    return 0;
}

char *folder_begin(const char *path, struct error *error)
{
    struct text made = trimmed(path), parent = trimmed(path);
    char *slash = strrchr(parent.data, '/');
    if (slash && slash != parent.data) {
        *slash = '\0';
        if (io_make_folders(parent.data, error) != 0) {
            text_free(&made);
            text_free(&parent);
            return NULL;
        }
    }
    text_free(&parent);
    text_add(&made, ".part-XXXXXX");
    if (!mkdtemp(made.data) || chmod(made.data, 0755) != 0) {
        error_set(error, ERROR_ENVIRONMENT, "cannot create the folder %s: %s", made.data, strerror(errno));
        text_free(&made);
        return NULL;
    }
    return made.data;
}

static int remove_one(const char *path, const struct stat *what, int kind, struct FTW *where)
{
    (void)what, (void)kind, (void)where;
    return remove(path);
}

void folder_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* rename replaces an empty folder; a full one is moved aside first, and restored if the rename fails. */
int folder_put(const char *made, const char *path, struct error *error)
{
    struct text to = trimmed(path), aside = {0};
    int failed = 0;
    if (rename(made, to.data) != 0) {
        int reason = errno;
        text_add(&aside, "%s.old", made);
        if ((reason == ENOTEMPTY || reason == EEXIST) && rename(to.data, aside.data) == 0) {
            if (rename(made, to.data) == 0) {
                folder_remove(aside.data);
            } else {
                reason = errno;
                rename(aside.data, to.data);
                failed = -1;
            }
        } else {
            failed = -1;
        }
        if (failed)
            error_set(error, ERROR_ENVIRONMENT, "cannot rename the new folder to %s: %s", to.data,
                      strerror(reason));
        text_free(&aside);
    }
    if (!failed)
        io_sync_folder(to.data);
    text_free(&to);
    return failed;
}
