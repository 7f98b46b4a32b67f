#include "mailbox/mailbox.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"

struct parcel {
    MPI_Request request;
    unsigned char *bytes;
    MPI_Status status; /* of the probe of one that arrives: source and tag */
    int length;
};

struct parcels {
    struct parcel *parcel;
    size_t count, capacity;
};

/* Several messages arrive at once: one whose sender is killed in the middle of it never does, and must not
 * keep others. */
struct mailbox {
    pthread_mutex_t lock; /* MPI_THREAD_SERIALIZED: one thread at a time calls MPI */
    MPI_Comm communicator;
    struct parcels sent, arriving; /* not complete yet, the oldest first */
    unsigned char *read;           /* the message that was received last */
};

static struct parcel *new_parcel(struct parcels *parcels, int length)
{
    parcels->parcel =
        memory_grow(parcels->parcel, parcels->count, &parcels->capacity, sizeof *parcels->parcel);
    struct parcel *parcel = &parcels->parcel[parcels->count++];
    *parcel = (struct parcel){.bytes = memory_new((size_t)length + 1, 1), .length = length};
    return parcel;
}

static void remove_parcel(struct parcels *parcels, size_t at)
{
    parcels->count--;
    memmove(&parcels->parcel[at], &parcels->parcel[at + 1], (parcels->count - at) * sizeof *parcels->parcel);
}

/* The buffers of what is not complete leak on purpose: MPI may still use them. */
static void cancel(struct parcels *parcels)
{
    for (size_t i = 0; i < parcels->count; i++) {
        MPI_Cancel(&parcels->parcel[i].request);
        MPI_Request_free(&parcels->parcel[i].request);
    }
    free(parcels->parcel);
}

void mailbox_close(struct mailbox *mailbox)
{
    cancel(&mailbox->arriving);
    cancel(&mailbox->sent);
    MPI_Comm_free(&mailbox->communicator);
    pthread_mutex_destroy(&mailbox->lock);
    free(mailbox->read);
    free(mailbox);
}

/* Free the messages that have left. */
static void release_sent(struct parcels *sent)
{
    size_t kept = 0;
    for (size_t i = 0; i < sent->count; i++) {
        struct parcel *parcel = &sent->parcel[i];
        int done = 0;
        /* On an error the receiver is gone and its message is dropped. The coordinator detects lost ranks
         * itself. */
        if (MPI_Test(&parcel->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done)
            free(parcel->bytes);
        else
            sent->parcel[kept++] = *parcel;
    }
    sent->count = kept;
}

bool mailbox_is_empty(struct mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->lock);
    release_sent(&mailbox->sent);
    bool empty = mailbox->sent.count == 0;
    pthread_mutex_unlock(&mailbox->lock);
    return empty;
}

void mailbox_send(struct mailbox *mailbox, int rank, enum wire_type message, const struct wire *payload)
{
    int length = payload ? (int)payload->length : 0;
    pthread_mutex_lock(&mailbox->lock);
    release_sent(&mailbox->sent);
    struct parcel *parcel = new_parcel(&mailbox->sent, length);
    if (length)
        memcpy(parcel->bytes, payload->data, (size_t)length);
    if (MPI_Isend(parcel->bytes, length, MPI_BYTE, rank, (int)message, mailbox->communicator,
                  &parcel->request) != MPI_SUCCESS) {
        free(parcel->bytes); /* the receiver is gone */
        mailbox->sent.count--;
    }
    pthread_mutex_unlock(&mailbox->lock);
}

/* Begin to receive a message, if one has been announced. Called when none of those that arrive is
 * complete. */
static bool start_receiving(struct mailbox *mailbox)
{
    MPI_Message found;
    MPI_Status status;
    int there = 0, length;
    if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, mailbox->communicator, &there, &found, &status) !=
            MPI_SUCCESS ||
        !there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &length);
    struct parcel *parcel = new_parcel(&mailbox->arriving, length);
    parcel->status = status;
    MPI_Imrecv(parcel->bytes, length, MPI_BYTE, &found, &parcel->request);
    return true;
}

/* Messages of one sender are received in the order in which they were sent. */
static bool is_first_of_sender(const struct parcels *arriving, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (arriving->parcel[i].status.MPI_SOURCE == arriving->parcel[at].status.MPI_SOURCE)
            return false;
    return true;
}

static bool receive(struct mailbox *mailbox, int *rank, enum wire_type *message, struct wire_reader *payload)
{
    struct parcels *arriving = &mailbox->arriving;
    size_t at = 0;
    do {
        for (; at < arriving->count; at++) {
            struct parcel *parcel = &arriving->parcel[at];
            int done = 0;
            if (!is_first_of_sender(arriving, at))
                continue;
            if (MPI_Test(&parcel->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
                free(parcel->bytes); /* its sender is gone */
                remove_parcel(arriving, at--);
            } else if (done) {
                free(mailbox->read);
                mailbox->read = parcel->bytes;
                *rank = parcel->status.MPI_SOURCE;
                *message = (enum wire_type)parcel->status.MPI_TAG;
                *payload = wire_read(parcel->bytes, (size_t)parcel->length);
                remove_parcel(arriving, at);
                return true;
            }
        }
    } while (start_receiving(mailbox));
    return false;
}

bool mailbox_receive(struct mailbox *mailbox, int *rank, enum wire_type *message, struct wire_reader *payload)
{
    pthread_mutex_lock(&mailbox->lock);
    bool received = receive(mailbox, rank, message, payload);
    pthread_mutex_unlock(&mailbox->lock);
    return received;
}

struct mailbox *mailbox_mpi_open(void)
{
    struct mailbox *mailbox = memory_new(1, sizeof *mailbox);
    pthread_mutex_init(&mailbox->lock, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &mailbox->communicator);
    MPI_Comm_set_errhandler(mailbox->communicator, MPI_ERRORS_RETURN);
    return mailbox;
}
