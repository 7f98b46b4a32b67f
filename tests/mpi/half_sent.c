/* half_sent - the program of half_sent.sh. Rank 1 announces a message that is too long to be sent at once,
 * and dies before the rest has left. Rank 2 waits until then, and sends short and long ones, which rank 0
 * must receive whole and in order. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "mailbox/mailbox.h"

enum { LONG = 4 << 20, ROUNDS = 50, SECONDS = 20 };

static void send_one(struct mailbox *mailbox, uint32_t number, size_t length)
{
    static unsigned char filler[LONG];
    struct wire wire = {0};
    wire_put_u32(&wire, number);
    wire_put_bytes(&wire, filler, length);
    mailbox_send(mailbox, 0, WIRE_NOTE, &wire);
    wire_free(&wire);
}

static int receive_all(struct mailbox *mailbox)
{
    double end = clock_now() + SECONDS;
    uint32_t next = 0;
    while (next < 2 * ROUNDS && clock_now() < end) {
        struct wire_reader payload;
        enum wire_type message;
        int rank;
        if (!mailbox_receive(mailbox, &rank, &message, &payload))
            continue;
        uint32_t number = wire_get_u32(&payload);
        if (rank != 2 || number != next) {
            fprintf(stderr, "expected number %u of rank 2, not %u of rank %d\n", next, number, rank);
            return 1;
        }
        next++;
    }
    fprintf(stderr, "received %u of %d messages\n", next, 2 * ROUNDS);
    return next < 2 * ROUNDS;
}

int main(int argc, char **argv)
{
    int rank, failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct mailbox *mailbox = mailbox_mpi_open();
    if (rank == 1) {
        send_one(mailbox, 0, LONG - 64);
        raise(SIGKILL);
    }
    if (rank == 0) {
        failed = receive_all(mailbox);
        _exit(failed); /* rank 1 will not come to MPI_Finalize */
    }
    sleep(1);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        send_one(mailbox, 2 * i, 1);
        send_one(mailbox, 2 * i + 1, i % 2 ? LONG - 64 : 20000);
    }
    while (!mailbox_is_empty(mailbox))
        usleep(1000);
    _exit(0);
}
