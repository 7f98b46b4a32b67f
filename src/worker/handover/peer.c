#include <errno.h>
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

struct handover_peer *handover_connect(const char *run, int local_rank, double patience, struct error *error)
{
    struct sockaddr_un address;
    socklen_t length = handover_address(run, local_rank, &address);
    double end = clock_now() + patience;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), failed = fd < 0 ? errno : 0;
    if (!failed)
        limit_waits(fd, patience);
    while (!failed && connect(fd, (struct sockaddr *)&address, length) != 0) {
        bool starting = errno == ECONNREFUSED || errno == EAGAIN || errno == EINTR;
        failed = starting && clock_now() < end ? 0 : errno;
        if (!failed)
            clock_sleep(RETRY_SECONDS);
    }
    if (!failed && handover_is_ours(fd)) {
        struct handover_peer *peer = memory_new(1, sizeof *peer);
        *peer = (struct handover_peer){.socket = fd, .rank = local_rank, .patience = patience};
        return peer;
    }
    error_set(error, ERROR_ENVIRONMENT, "the worker of rank %d of this node cannot be reached: %s",
              local_rank, failed ? strerror(failed) : "its name belongs to another user");
    if (fd >= 0)
        close(fd);
    return NULL;
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
               struct handover_answer *answer, int *fd, struct error *error)
{
    const enum error_kind kind = ERROR_ENVIRONMENT;
    answer->failed = 0;
    if (!handover_send(peer->socket, request, sizeof *request, -1))
        return error_set(error, kind, "the worker of rank %d of this node has ended: %s", peer->rank,
                         strerror(errno));
    ssize_t got = handover_receive(peer->socket, answer, sizeof *answer, fd);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return error_set(error, kind, "the worker of rank %d of this node has not answered for %g s",
                         peer->rank, peer->patience);
    if (got < 0 && errno != ECONNRESET) /* that is of one that ended with the request unread */
        return error_set(error, kind, "the worker of rank %d of this node: %s", peer->rank, strerror(errno));
    if (got <= 0)
        return error_set(error, kind, "the worker of rank %d of this node has ended", peer->rank);
    if (answer->failed)
        return error_set(error, kind, "rank %d of this node hands no memory over: %.*s", peer->rank,
                         (int)sizeof answer->reason - 1, answer->reason);
    return 0;
}

int handover_describe(struct handover_peer *peer, struct handover_device *device, struct error *error)
{
    struct handover_request request = {.kind = HANDOVER_DESCRIBE};
    struct handover_answer answer;
    int failed = ask(peer, &request, &answer, NULL, error);
    if (!failed)
        *device = answer.device;
    return failed;
}

int handover_take(struct handover_peer *peer, uint64_t *bytes, uint32_t *piece, struct error *error)
{
    struct handover_request request = {.kind = HANDOVER_ALLOCATE, .bytes = *bytes};
    struct handover_answer answer;
    int fd = -1;
    if (ask(peer, &request, &answer, &fd, error) != 0)
        return -1;
    if (fd < 0 || answer.bytes < *bytes) {
        if (fd >= 0)
            close(fd);
        return error_set(error, ERROR_ENVIRONMENT, "the worker of rank %d of this node sent no memory",
                         peer->rank);
    }
    *bytes = answer.bytes;
    *piece = answer.piece;
    return fd;
}

int handover_give(struct handover_peer *peer, uint32_t piece, struct error *error)
{
    struct handover_request request = {.kind = HANDOVER_RELEASE, .piece = piece};
    struct handover_answer answer;
    return ask(peer, &request, &answer, NULL, error);
}
