#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "worker/handover/handover.h"

#define RETRY_MS 50 /* until the name is tried again */

struct handover_server {
    const struct handover_source *source;
    struct sockaddr_un address;
    socklen_t length;
    int listening; /* -1: the name is in use */
    struct client {
        int socket;
        struct handover_piece piece; /* bytes 0: none */
    } client[HANDOVER_CLIENTS_MAX];
    int clients;
};

static void try_to_listen(struct handover_server *server)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&server->address, server->length) != 0 ||
                    listen(fd, HANDOVER_CLIENTS_MAX) != 0)) {
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
    if (client->piece.bytes)
        server->source->release(&client->piece);
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
    if (server->clients == HANDOVER_CLIENTS_MAX || !handover_is_ours(fd)) {
        close(fd);
        return;
    }
    server->client[server->clients++] = (struct client){.socket = fd};
}

/* Answer a request. False: the client is gone, or does not keep to the protocol. */
static bool serve_client(const struct handover_server *server, struct client *client)
{
    struct handover_piece piece = {.fd = -1};
    struct handover_answer answer = {.failed = 0};
    struct error error = {0};
    ssize_t got = recv(client->socket, &piece.bytes, sizeof piece.bytes, MSG_TRUNC);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return true;
    if (got != (ssize_t)sizeof piece.bytes || client->piece.bytes) /* it has its piece */
        return false;
    server->source->describe(&answer.device);
    if (piece.bytes && server->source->allocate(&piece, &error) == 0)
        client->piece = piece;
    answer.bytes = client->piece.bytes;
    answer.failed = error.kind != ERROR_NONE;
    snprintf(answer.reason, sizeof answer.reason, "%.*s", (int)sizeof answer.reason - 1, error.text);
    bool sent = handover_send(client->socket, &answer, answer.bytes ? piece.fd : -1);
    if (answer.bytes)
        close(piece.fd);
    return sent;
}

void handover_server_wait(struct handover_server *server, int in)
{
    while (server) {
        struct pollfd poll_of[2 + HANDOVER_CLIENTS_MAX] = {{.fd = in, .events = POLLIN},
                                                           {.fd = server->listening, .events = POLLIN}};
        for (int i = 0; i < server->clients; i++)
            poll_of[2 + i] = (struct pollfd){.fd = server->client[i].socket, .events = POLLIN};
        int ready = poll(poll_of, 2 + (nfds_t)server->clients, server->listening < 0 ? RETRY_MS : -1);
        if (poll_of[0].revents || (ready < 0 && errno != EINTR))
            return;
        if (ready < 0)
            continue;
        /* What was given back is free before the next one asks. From the end: dropping moves the last one. */
        for (int i = server->clients - 1; i >= 0; i--)
            if (poll_of[2 + i].revents && !serve_client(server, &server->client[i]))
                drop_client(server, i);
        if (server->listening < 0)
            try_to_listen(server);
        else if (poll_of[1].revents)
            accept_client(server);
    }
}
