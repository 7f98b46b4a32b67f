#include "worker/machine.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"

#define PAGE      4096 /* bytes, at least */
#define NODE_BITS 64
enum { CHECKS = 64 }; /* pages that are looked at, evenly spread */

static int describe(int node, struct error *error)
{
    char nodes[64];
    int number = errno;
    if (!io_read_line("/sys/devices/system/node/has_memory", nodes, sizeof nodes))
        snprintf(nodes, sizeof nodes, "unknown");
    if (number == EINVAL) /* also outside of the process's cpuset */
        return error_set(error, ERROR_ENVIRONMENT,
                         "host memory cannot lie on NUMA node %d: the nodes with memory are %s", node, nodes);
    return error_set(error, ERROR_ENVIRONMENT, "host memory cannot be bound to NUMA node %d: %s%s", node,
                     strerror(number),
                     number == EPERM || number == ENOSYS ? " (a container may need CAP_SYS_NICE)" : "");
}

/* Bound pages never come from another node. Looked at all the same: a figure by node would be wrong without notice. */
static int check_pages(char *pages, size_t bytes, int node, struct error *error)
{
    void *page[CHECKS];
    int at[CHECKS];
    for (size_t i = 0; i < CHECKS; i++) {
        page[i] = pages + bytes / CHECKS * i / PAGE * PAGE;
        at[i] = -1;
    }
    if (syscall(SYS_move_pages, 0, (unsigned long)CHECKS, page, NULL, at, 0) != 0)
        return describe(node, error);
    for (int i = 0; i < CHECKS; i++)
        if (at[i] != node)
            return error_set(error, ERROR_ENVIRONMENT, "host memory bound to NUMA node %d lies on node %d",
                             node, at[i]);
    return 0;
}

void *numa_pages_new(size_t bytes, int node, struct error *error)
{
    unsigned long mask = 1UL << node;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        error_set(error, ERROR_ENVIRONMENT, "the host has no %.4g GiB of memory free",
                  (double)bytes / 0x1p30);
        return NULL;
    }
    madvise(pages, bytes, MADV_HUGEPAGE); /* without it things work all the same */
    int failed = 0;
    if (syscall(SYS_mbind, pages, bytes, MPOL_BIND, &mask, (unsigned long)NODE_BITS + 1, 0U) != 0)
        failed = describe(node, error);
    if (!failed) {
        memset(pages, 0, bytes); /* a page is placed when it is touched */
        failed = check_pages(pages, bytes, node, error);
    }
    if (!failed)
        return pages;
    munmap(pages, bytes);
    return NULL;
}

const char *numa_skip(const struct setup *setup, char *reason, size_t size)
{
    struct error error;
    for (int b = 0; b < setup->buffers; b++) {
        if (!setup->buffer[b].numa)
            continue;
        void *page = numa_pages_new(PAGE, setup->buffer[b].numa - 1, &error);
        if (!page) {
            snprintf(reason, size, "%s", error.text);
            return reason;
        }
        munmap(page, PAGE);
    }
    return NULL;
}
