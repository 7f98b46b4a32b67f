#include "worker/handover/handover.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

socklen_t handover_address(const char *run, int local_rank, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    /* an abstract name begins with a NUL and has no end but the length */
    int length =
        snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "warpsweep-%.64s-%d", run, local_rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

bool handover_is_ours(int connection)
{
    struct ucred other;
    socklen_t size = sizeof other;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.uid == geteuid();
}

bool handover_send(int connection, const struct handover_answer *answer, int fd)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {(void *)answer, sizeof *answer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t sent;
    if (fd >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        *head = (struct cmsghdr){
            .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
        memcpy(CMSG_DATA(head), &fd, sizeof fd);
    }
    do
        sent = sendmsg(connection, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *answer;
}

int handover_receive(int connection, struct handover_answer *answer, int *fd)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof *fd)];
    struct iovec part = {answer, sizeof *answer};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = CMSG_LEN(sizeof *fd)}; /* the system closes further ones */
    ssize_t got;
    do
        got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const struct cmsghdr *head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *fd = -1;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(head), sizeof *fd);
    if (got <= 0)
        return (int)got;
    if (got == (ssize_t)sizeof *answer && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
        return 1;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    errno = EPROTO;
    return -1;
}
