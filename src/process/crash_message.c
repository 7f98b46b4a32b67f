#include "process/crash_message.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

/* The pipe ends with a word, or with the process that holds its other end. */
static void watch(int pipe, void (*say)(void))
{
    char word;
    if (io_read_full(pipe, &word, 1) != 1)
        say();
    fflush(stderr);
    _exit(0);
}

struct crash_message crash_message_arm(void (*say)(void))
{
    struct crash_message words = {.captured = -1, .real_stderr = -1, .told = -1};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return words;
    fflush(stderr);
    words.watcher = fork();
    if (words.watcher == 0) {
        close(ends[1]);
        watch(ends[0], say);
    }
    close(ends[0]);
    if (words.watcher < 0) {
        close(ends[1]);
        return words;
    }
    words.told = ends[1];
    words.captured = memfd_create("stderr", MFD_CLOEXEC);
    words.real_stderr = words.captured < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (words.real_stderr >= 0)
        dup2(words.captured, STDERR_FILENO);
    return words;
}

static void show_captured(struct crash_message *words)
{
    char block[4096];
    ssize_t size;
    fflush(stderr);
    dup2(words->real_stderr, STDERR_FILENO);
    close(words->real_stderr);
    lseek(words->captured, 0, SEEK_SET);
    while ((size = io_read_full(words->captured, block, sizeof block)) > 0)
        if (io_write_full(STDERR_FILENO, block, (size_t)size) != 0)
            break;
}

void crash_message_disarm(struct crash_message *words)
{
    if (words->told >= 0) {
        io_write_full(words->told, "", 1);
        close(words->told);
        waitpid(words->watcher, NULL, 0);
    }
    if (words->real_stderr >= 0)
        show_captured(words);
    if (words->captured >= 0)
        close(words->captured);
    *words = (struct crash_message){.captured = -1, .real_stderr = -1, .told = -1};
}
