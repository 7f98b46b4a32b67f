#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"

#define ADDRESSES ((size_t)1 << 40) /* reserved, not used */
#define STEP      ((size_t)16 << 20)
#define PORTION   ((size_t)1 << 20) /* copied from file to file at once */

struct spill {
    char *base;
    atomic_size_t usable, in_file; /* bytes; the first of them, what is behind is memory */
    int fd;                        /* -1: memory from the start */
    bool full;                     /* the file grows no more */
};

static int open_unnamed(void)
{
    const char *const folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[4096];
        if (!folders[i] || !*folders[i])
            continue;
        snprintf(path, sizeof path, "%s/warpsweep-spill.XXXXXX", folders[i]);
        int fd = mkostemp(path, O_CLOEXEC);
        if (fd < 0)
            continue;
        unlink(path);
        return fd;
    }
    return -1;
}

struct spill *spill_new(void)
{
    void *base = mmap(NULL, ADDRESSES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    struct spill *spill = memory_new(1, sizeof *spill);
    *spill = (struct spill){.base = base, .fd = open_unnamed()};
    spill->full = spill->fd < 0;
    return spill;
}

void spill_free(struct spill *spill)
{
    if (!spill)
        return;
    munmap(spill->base, ADDRESSES);
    if (spill->fd >= 0)
        close(spill->fd);
    free(spill);
}

void *spill_base(const struct spill *spill)
{
    return spill->base;
}

static void *map(struct spill *spill, size_t bytes, int flags, int fd)
{
    return mmap(spill->base + spill->usable, bytes, PROT_READ | PROT_WRITE, MAP_FIXED | flags, fd,
                fd < 0 ? 0 : (off_t)spill->usable);
}

void spill_reserve(struct spill *spill, size_t bytes)
{
    if (bytes <= spill->usable)
        return;
    size_t more = (bytes - spill->usable + STEP - 1) / STEP * STEP;
    /* Its blocks are taken now: a disk that fills up later would kill us at a write to memory. */
    spill->full = spill->full || posix_fallocate(spill->fd, (off_t)spill->usable, (off_t)more) != 0 ||
                  map(spill, more, MAP_SHARED, spill->fd) == MAP_FAILED;
    if (!spill->full)
        atomic_fetch_add(&spill->in_file, more);
    else if (more > ADDRESSES - spill->usable ||
             map(spill, more, MAP_PRIVATE | MAP_ANONYMOUS, -1) == MAP_FAILED) {
        fprintf(stderr, "warpsweep: out of host memory (%zu bytes)\n", more);
        abort();
    }
    spill->usable += more;
}

void spill_put(struct spill *spill, size_t at, const void *bytes, size_t size)
{
    size_t done = 0, in_file = atomic_load(&spill->in_file);
    size_t to_file = at < in_file ? in_file - at : 0;
    if (to_file > size)
        to_file = size;
    while (done < to_file) {
        ssize_t put = pwrite(spill->fd, (const char *)bytes + done, to_file - done, (off_t)(at + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            break;
        done += (size_t)put;
    }
    if (done < size) /* through the addresses: it may be memory */
        memcpy(spill->base + at + done, (const char *)bytes + done, size - done);
}

bool spill_is_memory(const struct spill *spill)
{
    return spill->usable > spill->in_file;
}

void spill_evict(struct spill *spill)
{
    size_t in_file = atomic_load(&spill->in_file);
    if (in_file)
        madvise(spill->base, in_file, MADV_DONTNEED);
}

int spill_write(const struct spill *spill, size_t size, int fd)
{
    size_t in_file = atomic_load(&spill->in_file), end = size < in_file ? size : in_file;
    char *portion = memory_new(PORTION, 1);
    int failed = 0;
    for (size_t at = 0; at < end && !failed;) {
        size_t wanted = end - at < PORTION ? end - at : PORTION;
        ssize_t got = pread(spill->fd, portion, wanted, (off_t)at);
        if (got > 0)
            failed = io_write_full(fd, portion, (size_t)got) != 0;
        else if (got == 0 || errno != EINTR)
            failed = 1;
        at += got > 0 ? (size_t)got : 0;
    }
    free(portion);
    if (!failed && size > end)
        failed = io_write_full(fd, spill->base + end, size - end) != 0;
    return failed ? -1 : 0;
}
