#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "worker/handover/handover.h"

#define RETRY_SECONDS 0.02 /* until a server that is starting is tried again */

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

static int reach(const char *run, int local_rank, double patience, struct error *error)
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
    if (!failed && handover_is_ours(fd))
        return fd;
    if (fd >= 0)
        close(fd);
    return error_set(error, ERROR_ENVIRONMENT, "the worker of rank %d of this node cannot be reached: %s",
                     local_rank, failed ? strerror(failed) : "its name belongs to another user");
}

bool handover_is_alive(int connection)
{
    char byte;
    ssize_t got = recv(connection, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK); /* it says nothing unasked */
}

/* What is wrong with an answer, after handover_receive returned `got`; 0 if nothing is. */
static int check(const struct handover_answer *answer, int got, uint64_t wanted, int rank, double patience,
                 int fd, struct error *error)
{
    const enum error_kind kind = ERROR_ENVIRONMENT;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return error_set(error, kind, "the worker of rank %d of this node has not answered for %g s", rank,
                         patience);
    if (got < 0 && errno != ECONNRESET && errno != EPIPE) /* those are of one that ended meanwhile */
        return error_set(error, kind, "the worker of rank %d of this node: %s", rank, strerror(errno));
    if (got <= 0)
        return error_set(error, kind, "the worker of rank %d of this node has ended", rank);
    if (answer->failed)
        return error_set(error, kind, "rank %d of this node hands no memory over: %.*s", rank,
                         (int)sizeof answer->reason - 1, answer->reason);
    if (wanted && (fd < 0 || answer->bytes < wanted))
        return error_set(error, kind, "the worker of rank %d of this node sent no memory", rank);
    return 0;
}

int handover_ask(const char *run, int local_rank, double patience, uint64_t bytes, int *fd,
                 struct handover_answer *answer, struct error *error)
{
    int got = -1, connection = reach(run, local_rank, patience, error);
    *fd = -1;
    if (connection < 0)
        return -1;
    if (send(connection, &bytes, sizeof bytes, MSG_NOSIGNAL) == (ssize_t)sizeof bytes)
        got = handover_receive(connection, answer, fd);
    if (check(answer, got, bytes, local_rank, patience, *fd, error) == 0)
        return connection;
    if (*fd >= 0)
        close(*fd);
    close(connection);
    return -1;
}
