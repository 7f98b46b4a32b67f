/* io.h - complete reads and writes, and atomic replacement of files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* Open those of stdin, stdout and stderr that are closed, in the wrong direction, so that using them still
 * fails. Else the next file to be opened would take their number and receive what is printed. Call it
 * first. */
void io_fill_standard(void);

/* Read until `size` bytes, end of file or error, through EINTR. Bytes read, or -1 with errno. */
ssize_t io_read_full(int fd, void *buffer, size_t size);

/* Write all, through EINTR and short writes. 0, or -1 with errno. */
int io_write_full(int fd, const void *buffer, size_t size);

/* The content of `path`, NUL-terminated; `*size` excludes the NUL. The caller frees it. NULL with an error,
 * also for a file of more than `limit` bytes. */
char *io_read_file(const char *path, size_t limit, size_t *size, struct error *error);

/* Hash of the content of a regular file. -1 with an error. */
int io_hash_file(const char *path, uint64_t *hash, struct error *error);

/* Small files of /proc and /sys: the first line without its newline; or the value of "key: value", a line of
 * many. False if there is none. Printf-like: the path. */
bool io_read_line(char *out, size_t size, const char *path, ...) __attribute__((format(printf, 3, 4)));
bool io_read_field(const char *key, char *out, size_t size, const char *path, ...)
    __attribute__((format(printf, 4, 5)));

/* The type of the file system that a real path lies on, such as ext4 or nfs4. `root` comes before /proc: ""
 * but in tests. False if it is unknown. */
bool io_filesystem(const char *root, const char *path, char *out, size_t size);

/* The absolute path of `path` with symbolic links resolved; the file need not exist. `path`, or the target
 * that it links to, if that folder does not exist. The caller frees it. */
char *io_real_path(const char *path);

/* The part of a path after its last slash. */
const char *io_file_name(const char *path);

/* Whether the files that are written beside `path` can have names, which go on behind its own.
 * ERROR_USAGE. */
int io_check_name(const char *path, struct error *error);

/* Which file a path leads to: the same while a file is written to, another one when a file is moved there. */
struct io_identity {
    dev_t device;
    ino_t inode; /* 0: no file */
};

/* {0} when there is no such file. */
struct io_identity io_identify(const char *path);

/* Replace `path` atomically: readers see the old or the new content, also after a crash. Writes a temporary
 * file beside it, fsync, rename, fsync of the folder. Safe with concurrent writers. Keeps the file's mode,
 * and symbolic links; a new file is not writable by every user. When it returns 0, the content is on disk.
 *
 * `mine`: the file that may be replaced, none of {0}; becomes the new file. 1: another file is there, which
 * stays. NULL: any file may be replaced. */
int io_replace_file(const char *path, const void *bytes, size_t size, struct io_identity *mine,
                    struct error *error);

/* Remove what killed processes left of replacing `path`: files beside it whose names go on with ".tmp-". */
void io_remove_leftovers(const char *path);

/* Lock a file for writing: 1; 0 when another process has the lock; -1 when the file system has no locks. The
 * lock belongs to the descriptor, and ends at exec. */
int io_lock(int fd);
/* Whether another descriptor has the lock, as far as this node can tell. */
bool io_is_locked(int fd);

/* fsync the folder of `path`, so that a rename in it survives a power failure. 0 also if the file system does
 * not support it, or the folder is writable but not readable; else -1 with errno. */
int io_sync_folder(const char *path);

/* mkdir -p. Whatever the umask, not every user may write to them: caches have code that is executed. */
int io_make_folders(const char *path, struct error *error);

/* The folder of the running executable, without a slash at its end; empty without /proc. */
void io_executable_folder(char *out, size_t size);
