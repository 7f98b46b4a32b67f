#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "launch/launch.h"

enum { MESSAGE_BYTES = 4096 }; /* of MPI's text, to find its reason in */

static struct {
    void (*explain)(const char *said);
    pid_t process;             /* 0: MPI is not starting */
    int captured, real_stderr; /* -1: stderr is not captured */
} start = {.captured = -1, .real_stderr = -1};

static void capture_stderr(void)
{
    start.captured = memfd_create("stderr", MFD_CLOEXEC);
    start.real_stderr = start.captured < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    fflush(stderr);
    if (start.real_stderr >= 0)
        dup2(start.captured, STDERR_FILENO);
}

/* What was captured stays in the file. */
static void release_stderr(void)
{
    fflush(stderr);
    if (start.real_stderr >= 0)
        dup2(start.real_stderr, STDERR_FILENO);
}

/* MPI's exit code would be a verdict. Code that ends this process by ours has said why. */
int mpi_start_ends(int code)
{
    char said[MESSAGE_BYTES] = "";
    if (start.process != getpid() || code == ERROR_ENVIRONMENT)
        return code;
    start.process = 0;
    release_stderr();
    if (start.captured >= 0 && pread(start.captured, said, sizeof said - 1, 0) < 0)
        said[0] = '\0';
    start.explain(said);
    fflush(stderr);
    return ERROR_ENVIRONMENT;
}

static void end(void)
{
    if (start.process == getpid())
        _exit(1);
}

void mpi_start(bool quiet, void (*explain)(const char *said))
{
    int ignored;
    char block[MESSAGE_BYTES];
    ssize_t size;
    start.explain = explain;
    start.process = getpid();
    atexit(end);
    if (quiet)
        capture_stderr();
    /* One thread at a time calls MPI: beside the main thread that of presence.c. */
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &ignored);
    start.process = 0;
    release_stderr();
    if (start.real_stderr >= 0) {
        lseek(start.captured, 0, SEEK_SET);
        while ((size = io_read_full(start.captured, block, sizeof block)) > 0)
            if (io_write_full(STDERR_FILENO, block, (size_t)size) != 0)
                break;
        close(start.real_stderr);
    }
    if (start.captured >= 0)
        close(start.captured);
    start.captured = start.real_stderr = -1;
}
