#include "worker/handover/handover.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DESCRIPTORS_MAX 4 /* that a packet could bring; only one is expected */

socklen_t handover_address(const char *run, int local_rank, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    /* an abstract name begins with a NUL and has no end but the length */
    int length =
        snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "warpsweep-%.64s-%d", run, local_rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

bool handover_is_ours(int socket)
{
    struct ucred other;
    socklen_t size = sizeof other;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.uid == geteuid();
}

bool handover_send(int socket, const void *packet, size_t size, int fd)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {(void *)packet, size};
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
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)size;
}

/* The descriptors of a packet: the only one is kept, several are closed. Returns their number. */
static int take_descriptors(struct msghdr *message, int *fd)
{
    int count = 0;
    *fd = -1;
    for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= head->cmsg_len; at += sizeof(int)) {
            int next;
            memcpy(&next, CMSG_DATA(head) + at, sizeof next);
            if (count++)
                close(next);
            else
                *fd = next;
        }
    }
    return count;
}

ssize_t handover_receive(int socket, void *packet, size_t size, int *fd)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
    struct iovec part = {packet, size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t got;
    int brought, count;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (fd)
        *fd = -1;
    if (got < 0)
        return got;
    count = take_descriptors(&message, &brought);
    bool whole = got == (ssize_t)size && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
    if (got == 0 || (whole && count <= (fd != NULL))) {
        if (fd)
            *fd = brought;
        else if (brought >= 0)
            close(brought);
        return got;
    }
    if (brought >= 0)
        close(brought);
    errno = EPROTO;
    return -1;
}
