#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "worker/handover/handover.h"

#define CLIENTS_MAX 4  /* one is in use; others may be of processes that have not ended yet */
#define RETRY_MS    50 /* until the name is tried again */

struct client {
    int socket;
    struct handover_piece piece[HANDOVER_PIECES_MAX]; /* bytes 0: none */
};

struct handover_server {
    const struct handover_source *source;
    struct sockaddr_un address;
    socklen_t length;
    int listening; /* -1: the name is in use */
    struct client client[CLIENTS_MAX];
    int clients;
};

static void try_to_listen(struct handover_server *server)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&server->address, server->length) != 0 ||
                    listen(fd, CLIENTS_MAX) != 0)) {
        close(fd);
        fd = -1;
    }
    server->listening = fd;
}

struct handover_server *handover_server_new(const char *run, int local_rank,
                                            const struct handover_source *source)
{
    struct handover_server *server = memory_new(1, sizeof *server);
    server->source = source;
    server->length = handover_address(run, local_rank, &server->address);
    try_to_listen(server);
    return server;
}

static void drop_client(struct handover_server *server, int index)
{
    struct client *client = &server->client[index];
    for (int i = 0; i < HANDOVER_PIECES_MAX; i++)
        if (client->piece[i].bytes)
            server->source->release(&client->piece[i]);
    close(client->socket);
    *client = server->client[--server->clients];
}

void handover_server_free(struct handover_server *server)
{
    if (!server)
        return;
    while (server->clients)
        drop_client(server, 0);
    if (server->listening >= 0)
        close(server->listening);
    free(server);
}

static void accept_client(struct handover_server *server)
{
    int fd = accept4(server->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    if (server->clients == CLIENTS_MAX || !handover_is_ours(fd)) {
        close(fd);
        return;
    }
    server->client[server->clients++] = (struct client){.socket = fd};
}

/* Returns the descriptor to send, or -1. */
static int allocate(struct handover_server *server, struct client *client, uint64_t bytes,
                    struct handover_answer *answer, struct error *error)
{
    uint32_t i = 0;
    while (i < HANDOVER_PIECES_MAX && client->piece[i].bytes)
        i++;
    if (!bytes || i == HANDOVER_PIECES_MAX)
        return error_set(error, ERROR_ENVIRONMENT,
                         bytes ? "it has given as many pieces as a connection has"
                               : "0 bytes were asked for");
    struct handover_piece piece = {.bytes = bytes, .fd = -1};
    if (server->source->allocate(&piece, error) != 0)
        return -1;
    client->piece[i] = piece;
    answer->piece = i;
    answer->bytes = piece.bytes;
    return piece.fd;
}

static int release(struct handover_server *server, struct client *client, uint32_t piece, struct error *error)
{
    if (piece >= HANDOVER_PIECES_MAX || !client->piece[piece].bytes)
        return error_set(error, ERROR_ENVIRONMENT, "it has given no piece %u", piece);
    server->source->release(&client->piece[piece]);
    client->piece[piece] = (struct handover_piece){0};
    return 0;
}

/* Answer a request. False: the client is gone, or does not keep to the protocol. */
static bool serve_client(struct handover_server *server, struct client *client)
{
    struct handover_request request;
    struct handover_answer answer = {0};
    struct error error = {0};
    int fd = -1;
    ssize_t got = handover_receive(client->socket, &request, sizeof request, NULL);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return true;
    if (got <= 0 || request.kind >= HANDOVER_KINDS)
        return false;
    if (request.kind == HANDOVER_DESCRIBE)
        server->source->describe(&answer.device);
    else if (request.kind == HANDOVER_ALLOCATE)
        fd = allocate(server, client, request.bytes, &answer, &error);
    else
        release(server, client, request.piece, &error);
    answer.failed = error.kind != ERROR_NONE;
    snprintf(answer.reason, sizeof answer.reason, "%.*s", (int)sizeof answer.reason - 1, error.text);
    bool sent = handover_send(client->socket, &answer, sizeof answer, fd);
    if (fd >= 0) {
        close(fd);
        client->piece[answer.piece].fd = -1;
    }
    return sent;
}

void handover_server_wait(struct handover_server *server, int in)
{
    while (server) {
        struct pollfd poll_of[2 + CLIENTS_MAX] = {{.fd = in, .events = POLLIN},
                                                  {.fd = server->listening, .events = POLLIN}};
        for (int i = 0; i < server->clients; i++)
            poll_of[2 + i] = (struct pollfd){.fd = server->client[i].socket, .events = POLLIN};
        int ready = poll(poll_of, 2 + (nfds_t)server->clients, server->listening < 0 ? RETRY_MS : -1);
        if (poll_of[0].revents || (ready < 0 && errno != EINTR))
            return;
        if (ready < 0)
            continue;
        for (int i = server->clients - 1; i >= 0; i--) /* from the end: dropping moves the last one */
            if (poll_of[2 + i].revents && !serve_client(server, &server->client[i]))
                drop_client(server, i);
        if (server->listening < 0)
            try_to_listen(server);
        else if (poll_of[1].revents)
            accept_client(server);
    }
}
