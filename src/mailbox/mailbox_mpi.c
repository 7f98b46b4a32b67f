#include "mailbox/mailbox_mpi.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct parcel {
    MPI_Request request;
    unsigned char *bytes;
};

struct mpi_mailbox {
    struct mailbox mailbox; /* first */
    MPI_Comm communicator;
    struct parcel *sent; /* not complete yet */
    size_t sent_count, sent_capacity;
    bool receiving; /* into `bytes`, which `request` fills */
    MPI_Request request;
    MPI_Status status; /* of the probe: source and tag */
    int length;
    unsigned char *bytes;
    size_t capacity;
};

static void cancel(MPI_Request *request)
{
    MPI_Cancel(request);
    MPI_Request_free(request);
}

static void mpi_close(struct mailbox *base)
{
    struct mpi_mailbox *mailbox = (struct mpi_mailbox *)base;
    if (mailbox->receiving)
        cancel(&mailbox->request);
    /* Their buffers leak on purpose: MPI may still read them. */
    for (size_t i = 0; i < mailbox->sent_count; i++)
        cancel(&mailbox->sent[i].request);
    MPI_Comm_free(&mailbox->communicator);
    free(mailbox->sent);
    free(mailbox->bytes);
    free(mailbox);
}

static bool mpi_is_empty(struct mailbox *base)
{
    struct mpi_mailbox *mailbox = (struct mpi_mailbox *)base;
    size_t kept = 0;
    for (size_t i = 0; i < mailbox->sent_count; i++) {
        struct parcel *parcel = &mailbox->sent[i];
        int done = 0;
        /* On an error the receiver is gone and its message is dropped. The coordinator detects lost ranks itself. */
        if (MPI_Test(&parcel->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done)
            free(parcel->bytes);
        else
            mailbox->sent[kept++] = *parcel;
    }
    mailbox->sent_count = kept;
    return kept == 0;
}

static void mpi_send(struct mailbox *base, int rank, enum message message, const struct wire *payload)
{
    struct mpi_mailbox *mailbox = (struct mpi_mailbox *)base;
    size_t length = payload ? payload->length : 0;
    mpi_is_empty(base); /* release what has left */
    mailbox->sent =
        memory_grow(mailbox->sent, mailbox->sent_count, &mailbox->sent_capacity, sizeof *mailbox->sent);
    struct parcel *parcel = &mailbox->sent[mailbox->sent_count++];
    parcel->bytes = memory_new(length, 1);
    if (length)
        memcpy(parcel->bytes, payload->data, length);
    if (MPI_Isend(parcel->bytes, (int)length, MPI_BYTE, rank, (int)message, mailbox->communicator,
                  &parcel->request) != MPI_SUCCESS) {
        free(parcel->bytes); /* the receiver is gone */
        mailbox->sent_count--;
    }
}

static void start_receiving(struct mpi_mailbox *mailbox)
{
    MPI_Message found;
    int there = 0;
    if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, mailbox->communicator, &there, &found, &mailbox->status) !=
            MPI_SUCCESS ||
        !there)
        return;
    MPI_Get_count(&mailbox->status, MPI_BYTE, &mailbox->length);
    if ((size_t)mailbox->length + 1 > mailbox->capacity) {
        mailbox->capacity = (size_t)mailbox->length * 2 + 1;
        mailbox->bytes = memory_resize(mailbox->bytes, mailbox->capacity, 1);
    }
    MPI_Imrecv(mailbox->bytes, mailbox->length, MPI_BYTE, &found, &mailbox->request);
    mailbox->receiving = true;
}

static bool mpi_receive(struct mailbox *base, int *rank, enum message *message, struct wire_reader *payload)
{
    struct mpi_mailbox *mailbox = (struct mpi_mailbox *)base;
    int done = 0;
    if (!mailbox->receiving)
        start_receiving(mailbox);
    if (mailbox->receiving && MPI_Test(&mailbox->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        mailbox->receiving = false; /* its sender is gone */
        return false;
    }
    if (!done)
        return false;
    mailbox->receiving = false;
    *rank = mailbox->status.MPI_SOURCE;
    *message = (enum message)mailbox->status.MPI_TAG;
    *payload = wire_read(mailbox->bytes, (size_t)mailbox->length);
    return true;
}

struct mailbox *mailbox_mpi_open(MPI_Comm communicator)
{
    static const struct mailbox_kind kind = {mpi_send, mpi_receive, mpi_is_empty, mpi_close};
    struct mpi_mailbox *mailbox = memory_new(1, sizeof *mailbox);
    mailbox->mailbox.kind = &kind;
    MPI_Comm_dup(communicator, &mailbox->communicator);
    MPI_Comm_set_errhandler(mailbox->communicator, MPI_ERRORS_RETURN);
    return &mailbox->mailbox;
}
