#include "worker/host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void describe(struct handover_device *device)
{
    device->room_bytes = host_memory_available();
}

/* The pages are allocated here, so that they are near this rank's processors and not near the other's. */
static int allocate(struct handover_piece *piece, struct error *error)
{
    uint64_t available = host_memory_available();
    if (piece->bytes > available)
        return error_set(error, ERROR_ENVIRONMENT, "%.4g GiB are wanted, and it has %.4g GiB available",
                         (double)piece->bytes / 0x1p30, (double)available / 0x1p30);
    piece->fd = memfd_create("warpsweep", MFD_CLOEXEC);
    int failed = piece->fd < 0 ? errno : posix_fallocate(piece->fd, 0, (off_t)piece->bytes);
    if (!failed)
        return 0;
    if (piece->fd >= 0)
        close(piece->fd);
    return error_set(error, ERROR_ENVIRONMENT, "shared memory: %s", strerror(failed));
}

/* The memory belongs to those who have mapped it. */
static void release(const struct handover_piece *piece)
{
    (void)piece;
}

const struct handover_source host_handover = {.describe = describe, .allocate = allocate, .release = release};

int host_far_open(struct host_far *far, const struct config *config, int rank, uint64_t bytes,
                  struct error *error)
{
    struct handover_answer answer;
    int fd, connection = handover_ask(config->place.handover, rank, handover_patience(config->timing.timeout),
                                      bytes, &fd, &answer, error);
    if (connection < 0)
        return -1;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int failed = errno;
    close(fd);
    if (pages != MAP_FAILED) {
        *far = (struct host_far){connection, pages, bytes};
        return 0;
    }
    close(connection);
    return error_set(error, ERROR_ENVIRONMENT, "the memory of another process cannot be mapped: %s",
                     strerror(failed));
}

void host_far_close(struct host_far *far)
{
    if (!far->pages)
        return;
    munmap(far->pages, far->bytes);
    close(far->connection);
    *far = (struct host_far){0};
}
