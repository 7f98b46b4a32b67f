/* slow_disk - preloaded into the ranks of a run: the disk of rank 0 stalls. Of the syncs of files whose path
 * fits the pattern STALLS_AT, the one after STALLS_AFTER others (0: the first) takes STALLS_FOR seconds.
 * Syncs before there is a file STALLS_WHEN do not count. */
#include <dlfcn.h>
#include <fnmatch.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : 0;
}

static void stall(int fd)
{
    static atomic_int syncs;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *at = getenv("STALLS_AT"),
               *when = getenv("STALLS_WHEN");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    if (!at || (rank && strcmp(rank, "0") != 0) || fnmatch(at, path, 0) != 0 ||
        (when && access(when, F_OK) != 0) || syncs++ != number_of("STALLS_AFTER"))
        return;
    fprintf(stderr, "slow_disk: stalls at %s\n", path);
    for (unsigned left = (unsigned)number_of("STALLS_FOR"); left;)
        left = sleep(left); /* a signal does not wake a disk */
}

#define SYNC(name)                                                                                           \
    int name(int fd)                                                                                         \
    {                                                                                                        \
        int (*real)(int);                                                                                    \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                           \
        stall(fd);                                                                                           \
        return real(fd);                                                                                     \
    }
SYNC(fsync)
SYNC(fdatasync)
