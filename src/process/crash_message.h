/* crash_message.h - something to say should a library end this process, in place of what the library says. */
#ifndef PROCESS_CRASH_MESSAGE_H
#define PROCESS_CRASH_MESSAGE_H

#include <sys/types.h>

struct crash_message {
    int captured, real_stderr; /* -1: stderr is where it was */
    int told;                  /* the watcher's pipe; -1: there is none */
    pid_t watcher;
};

/* From now on stderr is held back, and a watching process calls `say` when this one ends, by _exit or a signal even,
 * before crash_message_disarm. Call it before there are threads. Where that cannot be had nothing changes. */
struct crash_message crash_message_arm(void (*say)(void));

/* Nothing has ended: what was held back goes to stderr. */
void crash_message_disarm(struct crash_message *words);

#endif
