/* handover.h - memory of one worker's device for the worker of another rank of the node.
 *
 * A point of several devices is run by one worker. Where that sees only its own device, the workers of the other devices, which
 * are idle meanwhile, hand memory over: each answers requests on a Unix socket while it waits for its own rank (struct
 * handover_server), and the worker of the point asks (struct handover_peer). The memory travels as a file descriptor; what it is
 * and how it is mapped is the back end's matter. A connection that ends gives everything back, so neither end outlives the other's
 * death, and every wait has a limit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"

#define HANDOVER_REASON_SIZE  256
#define HANDOVER_PATIENCE_MAX 10.0 /* s: a worker that is restarted opens its device in less */
#define HANDOVER_PIECES_MAX   8    /* of one connection */

/* The device whose memory is handed over. */
struct handover_device {
    int32_t capability;  /* major * 10 + minor; 0 on the host */
    uint64_t room_bytes; /* at most so much is handed over at present */
};

struct handover_piece {
    uint64_t bytes;  /* as asked for, or rounded up */
    int fd;          /* what is sent */
    uint64_t handle; /* the source's own */
};

/* What a back end gives away of its device. */
struct handover_source {
    void (*describe)(struct handover_device *device);

    /* Allocate piece->bytes or more. 0, or -1 with an error. The caller closes piece->fd. */
    int (*allocate)(struct handover_piece *piece, struct error *error);

    /* Free a piece. The memory may live on until the other process has unmapped it. */
    void (*release)(const struct handover_piece *piece);
};

/* Serve the other ranks of the node in the run `run` (struct place). Never fails: where the name is in use, by a worker of this
 * rank that has not ended yet, it is tried again. */
struct handover_server *handover_server_new(const char *run, int local_rank,
                                            const struct handover_source *source);
void handover_server_free(struct handover_server *server); /* releases all pieces */

/* Answer requests until descriptor `in` is readable or at its end. NULL: return at once. */
void handover_server_wait(struct handover_server *server, int in);

/* How long to wait for another worker, for points that may take `timeout` seconds: so that a point fails with a reason before it
 * times out. */
static inline double handover_patience(double timeout)
{
    return timeout / 4 < HANDOVER_PATIENCE_MAX ? timeout / 4 : HANDOVER_PATIENCE_MAX;
}

/* Connect to the server of a rank, which may be starting; every wait ends after `patience` seconds. NULL with an error. */
struct handover_peer *handover_connect(const char *run, int local_rank, double patience, struct error *error);
void handover_disconnect(struct handover_peer *peer); /* gives all pieces back; NULL: nothing */

/* Whether the other worker still holds what it has given. */
bool handover_is_alive(const struct handover_peer *peer);

/* Describe the other device. 0, or -1 with an error: then the connection is of no more use. */
int handover_describe(struct handover_peer *peer, struct handover_device *device, struct error *error);

/* Get memory: a descriptor, which the caller closes, or -1 with an error. `*bytes` may be rounded up. `*piece` is its number. */
int handover_take(struct handover_peer *peer, uint64_t *bytes, uint32_t *piece, struct error *error);

/* Give a piece back, unmapped. 0, or -1 with an error. */
int handover_give(struct handover_peer *peer, uint32_t piece, struct error *error);

/* ---- What the two ends send each other: one packet each way, both of one build ---- */

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
