/* message.h - what the two ends of a hand-over send each other: one packet each way, both of one build. */
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include "worker/handover/handover.h"

enum handover_kind { HANDOVER_DESCRIBE, HANDOVER_ALLOCATE, HANDOVER_RELEASE, HANDOVER_KINDS };

struct handover_request {
    uint32_t kind;  /* enum handover_kind */
    uint32_t piece; /* to release: index of a piece */
    uint64_t bytes; /* to allocate */
};

struct handover_answer {
    uint32_t failed; /* 1: reason says why */
    uint32_t piece;  /* allocated; its descriptor comes with the packet */
    uint64_t bytes;
    struct handover_device device;
    char reason[HANDOVER_REASON_SIZE];
};

/* The address of a rank's server: an abstract name, which leaves no file behind and is of this node only. Returns its length. */
socklen_t handover_address(const char *run, int local_rank, struct sockaddr_un *address);

/* Does the process at the other end of a connection belong to this user? */
bool handover_is_ours(int socket);

/* Send one packet, with a descriptor unless that is -1. False with errno. */
bool handover_send(int socket, const void *packet, size_t size, int fd);

/* Receive one packet of exactly `size` bytes. `*fd` (may be NULL) gets its descriptor, or -1. Bytes received: `size`; 0 at the end;
 * -1 with errno, which is EPROTO for a packet of another size or with other descriptors. */
ssize_t handover_receive(int socket, void *packet, size_t size, int *fd);
