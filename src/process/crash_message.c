#include "process/crash_message.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

/* A byte arrives on disarming; without one the pipe ends with the process that holds its other end. */
static void watch(int pipe, void (*print)(void))
{
    char byte;
    if (io_read_full(pipe, &byte, 1) != 1)
        print();
    fflush(stderr);
    _exit(0);
}

struct crash_message crash_message_arm(void (*print)(void))
{
    struct crash_message message = {.captured = -1, .real_stderr = -1, .pipe = -1};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return message;
    fflush(stderr);
    message.watcher = fork();
    if (message.watcher == 0) {
        close(ends[1]);
        watch(ends[0], print);
    }
    close(ends[0]);
    if (message.watcher < 0) {
        close(ends[1]);
        return message;
    }
    message.pipe = ends[1];
    message.captured = memfd_create("stderr", MFD_CLOEXEC);
    message.real_stderr = message.captured < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (message.real_stderr >= 0)
        dup2(message.captured, STDERR_FILENO);
    return message;
}

static void show_captured(struct crash_message *message)
{
    char block[4096];
    ssize_t size;
    fflush(stderr);
    dup2(message->real_stderr, STDERR_FILENO);
    close(message->real_stderr);
    lseek(message->captured, 0, SEEK_SET);
    while ((size = io_read_full(message->captured, block, sizeof block)) > 0)
        if (io_write_full(STDERR_FILENO, block, (size_t)size) != 0)
            break;
}

void crash_message_disarm(struct crash_message *message)
{
    if (message->pipe >= 0) {
        io_write_full(message->pipe, "", 1);
        close(message->pipe);
        waitpid(message->watcher, NULL, 0);
    }
    if (message->real_stderr >= 0)
        show_captured(message);
    if (message->captured >= 0)
        close(message->captured);
    *message = (struct crash_message){.captured = -1, .real_stderr = -1, .pipe = -1};
}
