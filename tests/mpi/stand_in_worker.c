/* stand_in_worker.c - what build_mismatch.sh puts in the place of warpsweep-worker: it greets as another
 * build would, and then waits for its end. STAND_IN says how: `altered` (another commit), `old` (a device
 * without a greeting, as before there was one), or `fatal` (no device; as another build, if it got that far).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/registry.h"
#include "process/process.h"
#include "protocol/wire.h"

int main(int argc, char **argv)
{
    const char *how = getenv("STAND_IN");
    struct greeting greeting = {.build = registry_build(), .device = device_unknown()};
    struct wire message = {0};
    bool host = false;
    for (int i = 1; i < argc; i++)
        host |= !strcmp(argv[i], "host");
    snprintf(greeting.build.commit, sizeof greeting.build.commit, "of the stand-in");
    if (how && !strcmp(how, "fatal") && !host) {
        wire_put_text(&message, "the stand-in has no GPU");
        wire_send(PROCESS_OUT, WIRE_FATAL, &message);
    } else {
        if (how && !strcmp(how, "old"))
            wire_put_fields(&message, wire_device, &greeting.device);
        else
            greeting_put(&message, &greeting);
        wire_send(PROCESS_OUT, WIRE_HELLO, &message);
    }
    wire_free(&message);
    char byte;
    while (read(PROCESS_IN, &byte, 1) > 0)
        ;
    return 0;
}
