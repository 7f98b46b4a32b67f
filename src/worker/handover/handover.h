/* handover.h - memory of one worker's device for the worker of another rank of the node.
 *
 * A point of several devices is run by one worker. Where that sees only its own device, the workers of the other devices, which
 * are idle meanwhile, hand memory over: each answers requests on a Unix socket while it waits for its own rank (struct
 * handover_server), and the worker of the point asks. The memory travels as a file descriptor; what it is and how it is mapped is the
 * back end's matter. Each piece has a connection of its own, whose end gives it back, so neither end outlives the other's death, and
 * every wait has a limit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"

#define HANDOVER_REASON_SIZE  256
#define HANDOVER_PATIENCE_MAX 10.0 /* s: a worker that is restarted opens its device in less */
#define HANDOVER_CLIENTS_MAX  16 /* connections: three of a device in use, and those of processes that end */

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

/* What a server answers. */
struct handover_answer {
    uint64_t bytes; /* handed over: as asked for, or rounded up */
    struct handover_device device;
    uint32_t failed; /* 1: reason says why */
    char reason[HANDOVER_REASON_SIZE];
};

/* Ask the server of a rank, which may be starting, for `bytes` bytes of memory; 0: for a description of the device only. Returns the
 * connection, which holds the memory until it is closed, with the memory's descriptor, which the caller closes, in `*fd`. -1 with an
 * error; every wait ends after `patience` seconds. */
int handover_ask(const char *run, int local_rank, double patience, uint64_t bytes, int *fd,
                 struct handover_answer *answer, struct error *error);

/* Whether the other worker still holds what it has given. */
bool handover_is_alive(int connection);

/* ---- What the two ends send each other: a u64 of bytes, and an answer; both are of one build ---- */

/* The address of a rank's server: an abstract name, which leaves no file behind and is of this node only. Returns its length. */
socklen_t handover_address(const char *run, int local_rank, struct sockaddr_un *address);

/* Does the process at the other end of a connection belong to this user? */
bool handover_is_ours(int connection);

/* Send an answer, with a descriptor unless that is -1. False with errno. */
bool handover_send(int connection, const struct handover_answer *answer, int fd);

/* Receive an answer. `*fd` gets its descriptor, or -1. 1, or 0 at the end; -1 with errno, which is EPROTO for what is no answer. */
int handover_receive(int connection, struct handover_answer *answer, int *fd);
