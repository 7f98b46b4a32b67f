/* watcher.h - a child process that kills this one if it does not end in time, even if it is stopped. */
#ifndef PROCESS_WATCHER_H
#define PROCESS_WATCHER_H

/* SIGKILL to this process if it is still there after `seconds`. The child ends with this process, however that ends.
 * Nothing happens if there is no pipe or process to be had. */
void watcher_start(unsigned seconds);

#endif
