/* warpsweep-mpi-process - a process of the MPI job of a point (worker/mpi/mpi_job.h), started by mpirun.
 *
 *   warpsweep-mpi-process SOCKET
 *
 * It gets requests from the worker of the point over a socket, and ends when that closes: also while it waits in MPI for another
 * process, or forever. */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/thread.h"
#include "worker/handover/message.h"
#include "worker/mpi/program/memory.h"
#include "worker/mpi/program/operations.h"

static int worker = -1; /* the socket */

static void *watch(void *unused)
{
    struct pollfd hung = {.fd = worker, .events = POLLRDHUP};
    while (poll(&hung, 1, -1) <= 0)
        continue;
    _exit(1);
    return unused;
}

static int connect_to(const char *name)
{
    struct sockaddr_un address;
    socklen_t length = handover_address(name, 0, &address);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, length) == 0 && handover_is_ours(fd))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool receive(struct mpi_request *request)
{
    return handover_receive(worker, request, sizeof *request, NULL) == sizeof *request;
}

static void answer_with(struct mpi_answer *answer, int fd)
{
    if (!handover_send(worker, answer, sizeof *answer, fd))
        _exit(1);
}

/* The device is chosen before MPI_Init, which may open it. */
static bool begin(void)
{
    struct mpi_request request;
    struct mpi_answer answer = {.outcome = MPI_JOB_FAILED};
    if (!receive(&request) || request.kind != MPI_JOB_BEGIN)
        return false;
    if (memory_open(request.ordinal, answer.reason, sizeof answer.reason) == 0)
        operations_open(&request, &answer);
    answer_with(&answer, -1);
    return answer.outcome == MPI_JOB_OK;
}

static void allocate(const struct mpi_request *request, char **memory, struct mpi_answer *answer, int *fd)
{
    *memory = memory_allocate(request->bytes, fd, answer->handle, answer->reason, sizeof answer->reason);
    answer->outcome = *memory ? MPI_JOB_OK : MPI_JOB_FAILED;
}

static void run(const struct mpi_request *request, char *memory, struct mpi_answer *answer)
{
    operations_run(request, memory, answer);
    /* What MPI leaves to the device is not timed: an operation has ended when MPI returns. */
    if (answer->outcome == MPI_JOB_OK && memory_wait(answer->reason, sizeof answer->reason) != 0)
        answer->outcome = MPI_JOB_FAILED;
}

int main(int argc, char **argv)
{
    struct mpi_request request;
    pthread_t thread;
    char *memory = NULL;
    worker = argc == 2 ? connect_to(argv[1]) : -1;
    if (worker < 0) {
        fprintf(stderr, "warpsweep-mpi-process is started by warpsweep-worker; it has no use of its own\n");
        return 2;
    }
    if (thread_start(&thread, watch, NULL) != 0 || !begin())
        return 1;
    while (receive(&request) && request.kind != MPI_JOB_END) {
        struct mpi_answer answer = {.outcome = MPI_JOB_FAILED};
        int fd = -1;
        if (request.kind == MPI_JOB_ALLOCATE)
            allocate(&request, &memory, &answer, &fd);
        else
            run(&request, memory, &answer);
        answer_with(&answer, fd);
        if (fd >= 0)
            close(fd);
    }
    operations_close();
    return 0;
}
