#include "paper/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"

#define FILE_SIZE_MAX ((size_t)1 << 30)
#define HEADER        "warpsweep manifest 1\n"
#define PART          ".part-"
#define ASIDE         ".old"
#define NAMES_MAX     8 /* in a message */

/* Without trailing slashes and symbolic links. */
static struct text trimmed(const char *path)
{
    struct text text = {0};
    char *real = io_real_path(path);
    size_t length = strlen(real);
    while (length > 1 && real[length - 1] == '/')
        length--;
    text_append(&text, real, length);
    free(real);
    return text;
}

static char *join(const char *folder, const char *name)
{
    struct text path = {0};
    text_add(&path, "%s/%s", folder, name);
    return path.data;
}

/* ---- Walking ---- */

/* `name` is relative to the root. In the order of their names; a folder after its content. */
typedef int visit(void *context, const char *name, const struct stat *what);

static int is_file(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int walk(const char *root, const char *under, visit *see, void *context)
{
    char *path = *under ? join(root, under) : memory_text(root);
    struct dirent **entry;
    int count = scandir(path, &entry, is_file, alphasort), failed = count < 0 ? -1 : 0;
    for (int i = 0; i < count && !failed; i++) {
        struct stat what;
        char *name = *under ? join(under, entry[i]->d_name) : memory_text(entry[i]->d_name);
        char *whole = join(root, name);
        failed = lstat(whole, &what) != 0 ? -1 : 0;
        free(whole);
        if (!failed && S_ISDIR(what.st_mode))
            failed = walk(root, name, see, context);
        if (!failed && strcmp(name, FOLDER_MANIFEST) != 0 && strcmp(name, SCRATCH_LOCK) != 0)
            failed = see(context, name, &what);
        free(name);
    }
    for (int i = 0; i < count; i++)
        free(entry[i]);
    if (count >= 0)
        free(entry);
    free(path);
    return failed;
}

/* ---- The manifest: a line for each file, of its CRC-32, its size and its name ---- */

static int describe(const char *root, const char *name, struct text *line)
{
    char *path = join(root, name);
    struct error ignored;
    size_t size;
    char *bytes = io_read_file(path, FILE_SIZE_MAX, &size, &ignored);
    if (bytes)
        text_add(line, "\n%08x %zu %s\n", hash_crc32(0, bytes, size), size, name);
    free(bytes);
    free(path);
    return bytes ? 0 : -1;
}

/* NULL: none, or incomplete. The caller frees it. */
static char *read_manifest(const char *root)
{
    char *path = join(root, FOLDER_MANIFEST);
    struct error ignored;
    size_t size;
    char *text = io_read_file(path, FILE_SIZE_MAX, &size, &ignored);
    free(path);
    if (text && (strncmp(text, HEADER, strlen(HEADER)) != 0 || strlen(text) != size)) {
        free(text);
        text = NULL;
    }
    return text;
}

enum state { OURS, CHANGED, STRANGE };

static enum state state_of(const char *root, const char *manifest, const char *name, const struct stat *what)
{
    struct text line = {0}, end = {0};
    bool ours = S_ISREG(what->st_mode) && describe(root, name, &line) == 0 && strstr(manifest, line.data);
    text_add(&end, " %s\n", name);
    bool listed = false;
    for (const char *at = manifest; !ours && !listed && (at = strchr(at, '\n')) && at[1]; at++) {
        const char *space = strchr(at, ' ');
        space = space ? strchr(space + 1, ' ') : NULL;
        listed = space && !strncmp(space, end.data, end.length);
    }
    text_free(&line);
    text_free(&end);
    return ours ? OURS : listed ? CHANGED : STRANGE;
}

struct listing {
    const char *root;
    struct text text;
};

static int list_one(void *context, const char *name, const struct stat *what)
{
    struct listing *listing = context;
    struct text line = {0};
    int failed = S_ISDIR(what->st_mode) ? 0 : describe(listing->root, name, &line);
    if (line.length)
        text_append(&listing->text, line.data + 1, line.length - 1);
    text_free(&line);
    return failed;
}

static int write_manifest(const char *root, struct error *error)
{
    struct listing listing = {.root = root};
    char *path = join(root, FOLDER_MANIFEST);
    text_add(&listing.text, HEADER);
    int failed = walk(root, "", list_one, &listing);
    if (failed)
        error_set(error, ERROR_ENVIRONMENT, "cannot read %s: %s", root, strerror(errno));
    else
        failed = io_replace_file(path, listing.text.data, listing.text.length, error);
    text_free(&listing.text);
    free(path);
    return failed;
}

/* ---- What the user has in the folder ---- */

struct keeping {
    const char *root, *manifest;
    const char *to;      /* files that are not listed are linked into it; NULL: only check */
    struct text changed; /* names of files that stand in the way */
    int count;
    int reason; /* errno of a link that failed */
    struct text unkept;
};

static void add_changed(struct keeping *keeping, const char *name)
{
    if (keeping->count++ < NAMES_MAX)
        text_add(&keeping->changed, "%s%s", keeping->count > 1 ? ", " : "", name);
}

static int keep_one(void *context, const char *name, const struct stat *what)
{
    struct keeping *keeping = context;
    bool folder = S_ISDIR(what->st_mode);
    enum state state = folder ? STRANGE : state_of(keeping->root, keeping->manifest, name, what);
    if (state == CHANGED)
        add_changed(keeping, name);
    if (state != STRANGE || !keeping->to)
        return 0;
    char *from = join(keeping->root, name), *to = join(keeping->to, name), *slash = strrchr(to, '/');
    struct error ignored;
    struct stat there;
    int failed = 0;
    *slash = '\0';
    io_make_folders(to, &ignored);
    *slash = '/';
    if (folder)
        failed = mkdir(to, what->st_mode & 0777) != 0 &&
                 !(errno == EEXIST && lstat(to, &there) == 0 && S_ISDIR(there.st_mode));
    else
        failed = linkat(AT_FDCWD, from, AT_FDCWD, to, 0) != 0;
    if (failed && errno == EEXIST)
        add_changed(keeping, name);
    else if (failed) {
        keeping->reason = errno;
        text_add(&keeping->unkept, "%s", name);
    }
    free(from);
    free(to);
    return keeping->reason ? -1 : 0;
}

/* Refuse changed files and, with `to`, link the others into it. */
static int keep(const char *root, const char *manifest, const char *to, struct error *error)
{
    struct keeping keeping = {.root = root, .manifest = manifest, .to = to};
    int failed = walk(root, "", keep_one, &keeping);
    if (keeping.reason)
        error_set(error, ERROR_ENVIRONMENT, "cannot keep %s/%s: %s; move it elsewhere", root,
                  keeping.unkept.data, strerror(keeping.reason));
    else if (failed)
        error_set(error, ERROR_ENVIRONMENT, "cannot read %s: %s", root, strerror(errno));
    else if (keeping.count)
        failed = error_set(error, ERROR_USAGE,
                           "%s has files of yours where the command writes its own, or changed ones: %s%s; "
                           "move or delete them",
                           root, keeping.changed.data, keeping.count > NAMES_MAX ? ", ..." : "");
    text_free(&keeping.changed);
    text_free(&keeping.unkept);
    return failed ? -1 : 0;
}

/* ---- Removing the old folder ---- */

struct discarding {
    const char *root, *manifest, *now;
};

/* Its file is removed where it is listed and unchanged, or the same file as in the new folder. */
static int discard_one(void *context, const char *name, const struct stat *what)
{
    const struct discarding *discarding = context;
    char *path = join(discarding->root, name), *kept = join(discarding->now, name);
    struct stat there;
    if (S_ISDIR(what->st_mode))
        rmdir(path);
    else if ((lstat(kept, &there) == 0 && there.st_ino == what->st_ino && there.st_dev == what->st_dev) ||
             state_of(discarding->root, discarding->manifest, name, what) == OURS)
        unlink(path);
    free(path);
    free(kept);
    return 0;
}

static void discard(const char *old, const char *now)
{
    char *manifest = read_manifest(old), *path = join(old, FOLDER_MANIFEST);
    if (manifest) {
        struct discarding discarding = {old, manifest, now};
        walk(old, "", discard_one, &discarding);
        unlink(path);
        if (rmdir(old) != 0)
            fprintf(stderr, "warpsweep: files that changed meanwhile are kept in %s\n", old);
    } else {
        rmdir(old);
    }
    free(manifest);
    free(path);
}

/* A replacement that was killed between its renames is undone, and after them completed. */
static void recover(const char *path)
{
    struct text to = trimmed(path), parent = {0};
    const char *name = io_file_name(to.data);
    size_t length = strlen(name);
    text_append(&parent, to.data, (size_t)(name - to.data));
    text_add(&parent, ".");
    DIR *folder = opendir(parent.data);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, name, length) != 0 ||
            strncmp(entry->d_name + length, PART, strlen(PART)) != 0)
            continue;
        char *left = join(parent.data, entry->d_name), *lock = join(left, SCRATCH_LOCK);
        char *manifest = access(lock, F_OK) != 0 ? read_manifest(left) : NULL;
        const char *aside = strstr(entry->d_name + length, ASIDE);
        if (manifest && aside && access(to.data, F_OK) != 0)
            rename(left, to.data);
        else if (manifest)
            discard(left, to.data);
        free(manifest);
        free(left);
        free(lock);
    }
    if (folder)
        closedir(folder);
    text_free(&to);
    text_free(&parent);
}

/* ---- The interface ---- */

static bool is_empty(DIR *folder)
{
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (is_file(entry))
            return false;
    return true;
}

int folder_check(const char *path, bool overwrite, struct error *error)
{
    struct stat what;
    recover(path);
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
    char *manifest = read_manifest(path);
    if (!manifest)
        return error_set(error, ERROR_USAGE,
                         "%s was not written by this command (it has no %s); use another folder", path,
                         FOLDER_MANIFEST);
    int failed = keep(path, manifest, NULL, error);
    free(manifest);
    return failed;
}

/* The mode of the folder that is replaced, or that of a new one. */
static mode_t mode_of(const char *path)
{
    struct stat what;
    if (stat(path, &what) == 0)
        return what.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0777 & ~mask;
}

int folder_begin(const char *path, struct scratch *made, struct error *error)
{
    struct text prefix = trimmed(path);
    char *slash = strrchr(prefix.data, '/');
    mode_t mode = mode_of(path);
    int failed = 0;
    if (slash && slash != prefix.data) {
        *slash = '\0';
        failed = io_make_folders(prefix.data, error);
        *slash = '/';
    }
    text_add(&prefix, PART);
    if (!failed)
        failed = scratch_make(prefix.data, made, error);
    text_free(&prefix);
    if (!failed && chmod(made->path, mode) != 0)
        failed =
            error_set(error, ERROR_ENVIRONMENT, "cannot set the mode of %s: %s", made->path, strerror(errno));
    return failed;
}

/* Swap the folders. Where the file system cannot in one step, the old one is moved aside first, and back if the second rename
 * fails. `old`: where it is now. */
static int swap(const char *made, const char *to, struct text *old)
{
    text_add(old, "%s", made);
    if (renameat2(AT_FDCWD, made, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    text_add(old, ASIDE);
    if (rename(to, old->data) != 0)
        return -1;
    if (rename(made, to) == 0)
        return 0;
    int reason = errno;
    rename(old->data, to);
    errno = reason;
    return -1;
}

int folder_put(struct scratch *made, const char *path, struct error *error)
{
    struct text to = trimmed(path), old = {0};
    char *manifest = read_manifest(to.data);
    int failed = write_manifest(made->path, error);
    if (!failed && manifest)
        failed = keep(to.data, manifest, made->path, error);
    if (!failed) {
        scratch_keep(made);
        failed = manifest ? swap(made->path, to.data, &old) : rename(made->path, to.data);
        if (failed) {
            error_set(error, ERROR_ENVIRONMENT, "cannot rename the new folder to %s: %s", to.data,
                      strerror(errno));
            discard(made->path, to.data);
        } else {
            io_sync_folder(to.data);
            if (manifest)
                discard(old.data, to.data);
        }
    }
    free(manifest);
    text_free(&old);
    text_free(&to);
    return failed ? -1 : 0;
}
