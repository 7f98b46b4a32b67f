#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "worker/handover/handover.h"

#define RETRY_SECONDS 0.02 /* until a server that is starting is tried again */

struct handover_peer {
    int socket;
    int rank; /* on the node */
    double patience;
};

/* The kernel ends waits of this socket after so long, with EAGAIN. */
static void limit_waits(int fd, double seconds)
{
    struct timeval limit = {.tv_sec = (time_t)seconds,
                            .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)};
    if (!limit.tv_sec && !limit.tv_usec)
        limit.tv_usec = 1; /* 0 would be no limit */
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

struct handover_peer *handover_connect(const char *run, int local_rank, double patience, char *reason,
                                       size_t size)
{
    struct sockaddr_un address;
    socklen_t length = handover_address(run, local_rank, &address);
    double end = clock_now() + patience;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        limit_waits(fd, patience);
    while (fd >= 0 && connect(fd, (struct sockaddr *)&address, length) != 0) {
        bool starting = errno == ECONNREFUSED || errno == EAGAIN || errno == EINTR;
        if (starting && clock_now() < end) {
            clock_sleep(RETRY_SECONDS);
            continue;
        }
        snprintf(reason, size, "the worker of rank %d of this node cannot be reached: %s", local_rank,
                 strerror(errno));
        close(fd);
        return NULL;
    }
    if (fd < 0 || !handover_is_ours(fd)) {
        snprintf(reason, size, "the worker of rank %d of this node cannot be reached: %s", local_rank,
                 fd < 0 ? strerror(errno) : "its name belongs to another user");
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    struct handover_peer *peer = memory_new(1, sizeof *peer);
    *peer = (struct handover_peer){.socket = fd, .rank = local_rank, .patience = patience};
    return peer;
}

void handover_disconnect(struct handover_peer *peer)
{
    if (!peer)
        return;
    close(peer->socket);
    free(peer);
}

bool handover_is_alive(const struct handover_peer *peer)
{
    char byte;
    ssize_t got = recv(peer->socket, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK); /* it says nothing unasked */
}

/* Ask, and wait for the answer. After -1 the connection is out of step and must be closed, unless answer->failed. */
static int ask(struct handover_peer *peer, const struct handover_request *request,
               struct handover_answer *answer, int *fd, char *reason, size_t size)
{
    answer->failed = 0;
    if (!handover_send(peer->socket, request, sizeof *request, -1)) {
        snprintf(reason, size, "the worker of rank %d of this node has ended: %s", peer->rank,
                 strerror(errno));
        return -1;
    }
    ssize_t got = handover_receive(peer->socket, answer, sizeof *answer, fd);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        snprintf(reason, size, "the worker of rank %d of this node has not answered for %g s", peer->rank,
                 peer->patience);
    else if (got < 0 && errno != ECONNRESET) /* that is of one that ended with the request unread */
        snprintf(reason, size, "the worker of rank %d of this node: %s", peer->rank, strerror(errno));
    else if (got <= 0)
        snprintf(reason, size, "the worker of rank %d of this node has ended", peer->rank);
    else if (answer->failed)
        snprintf(reason, size, "rank %d of this node hands no memory over: %.*s", peer->rank,
                 (int)sizeof answer->reason - 1, answer->reason);
    else
        return 0;
    return -1;
}

int handover_describe(struct handover_peer *peer, struct handover_device *device, char *reason, size_t size)
{
    struct handover_request request = {.kind = HANDOVER_DESCRIBE};
    struct handover_answer answer;
    if (ask(peer, &request, &answer, NULL, reason, size) != 0)
        return -1;
    *device = answer.device;
    return 0;
}

int handover_take(struct handover_peer *peer, uint64_t *bytes, uint32_t *piece, char *reason, size_t size)
{
    struct handover_request request = {.kind = HANDOVER_ALLOCATE, .bytes = *bytes};
    struct handover_answer answer;
    int fd = -1;
    if (ask(peer, &request, &answer, &fd, reason, size) != 0)
        return -1;
    if (fd < 0 || answer.bytes < *bytes) {
        snprintf(reason, size, "the worker of rank %d of this node sent no memory", peer->rank);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *bytes = answer.bytes;
    *piece = answer.piece;
    return fd;
}

int handover_give(struct handover_peer *peer, uint32_t piece, char *reason, size_t size)
{
    struct handover_request request = {.kind = HANDOVER_RELEASE, .piece = piece};
    struct handover_answer answer;
    return ask(peer, &request, &answer, NULL, reason, size);
}
