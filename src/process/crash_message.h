/* crash_message.h - print a message of our own if a library ends this process, instead of the library's messages. */
#pragma once

#include <sys/types.h>

struct crash_message {
    int captured, real_stderr; /* -1: stderr is not captured */
    int pipe;                  /* to the watching process; -1: there is none */
    pid_t watcher;
};

/* Capture stderr, and fork a process that calls `print` if this one ends before crash_message_disarm, by _exit or a signal
 * too. Call it before there are threads. If it fails, nothing changes. */
struct crash_message crash_message_arm(void (*print)(void));

/* Stop watching; captured output goes to stderr. */
void crash_message_disarm(struct crash_message *message);
