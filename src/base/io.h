/* io.h - whole reads and writes, and files that appear complete or not at all. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/* Open what is closed of stdin, stdout and stderr, the wrong way round: using it is an error as before. Call it first: the
 * next file that is opened would have the number of one of them, and get what is printed. */
void io_fill_standard(void);

/* Read until `size` bytes, end of file or error, through EINTR. Bytes read, or -1 with errno. */
ssize_t io_read_full(int fd, void *buffer, size_t size);

/* Write all, through EINTR and short writes. 0, or -1 with errno. */
int io_write_full(int fd, const void *buffer, size_t size);

/* The whole of `path` in a NUL-terminated block the caller frees; `*size` excludes the NUL. A file over
 * `limit` bytes is an error that says both sizes; it is not read. */
char *io_read_file(const char *path, size_t limit, size_t *size, struct error *error);

/* The file that `path` names, symbolic links followed, whether it is there or not: absolute, owned by the caller. Where
 * a folder of it is missing, `path` itself. */
char *io_real_path(const char *path);

/* Write `path` so that a reader, or a crash, sees the old or the new content, never a part: a file of a
 * name of its own beside it, fsync, rename, fsync of the folder. Safe against concurrent writers. A link stays one, and
 * the file's mode is kept. When 0 is returned, it is on disk. */
int io_replace_file(const char *path, const void *bytes, size_t size, struct error *error);

/* The same, with whatever `fill` writes to the descriptor: it returns 0, or -1 with errno. */
int io_replace_file_by(const char *path, int (*fill)(void *context, int fd), void *context,
                       struct error *error);

/* fsync `path`'s folder, so that a rename in it survives a power cut. 0 also where the file system knows no such thing,
 * or the folder may be written but not read; else -1 with errno. */
int io_sync_folder(const char *path);

/* mkdir -p. */
int io_make_folders(const char *path, struct error *error);

/* The folder of the running executable, without the last slash; empty when /proc is not there. */
void io_executable_folder(char *out, size_t size);

#endif
