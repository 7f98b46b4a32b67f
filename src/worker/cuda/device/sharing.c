#include "worker/cuda/device/cuda_device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"

#define LOOK_SECONDS 0.5

/* A worker of this run: in a job with points of several devices, each opens the devices of others. */
static bool is_worker(unsigned process)
{
    char name[32];
    return io_read_line(name, sizeof name, "/proc/%u/comm", process) && !strncmp(name, "warpsweep-", 10);
}

/* Remove this process, and workers of the run. Returns the number of the others; -1: this process is not
 * among them. */
static int remove_own(const struct cuda_session *session, unsigned *id, int count)
{
    int others = 0;
    bool seen = false;
    for (int i = 0; i < count; i++) {
        bool self = id[i] == (unsigned)getpid();
        seen |= self;
        if (!self && (session->config.one_device || !is_worker(id[i])))
            id[others++] = id[i];
    }
    return seen ? others : -1;
}

static void look(struct cuda_session *session)
{
    unsigned id[NVML_PROCESSES_MAX];
    int count = nvml_processes(session->nvml, id), others = remove_own(session, id, count);
    if (count < 0)
        snprintf(session->shared, sizeof session->shared, "unknown: NVML does not list processes");
    else if (others < 0)
        snprintf(session->shared, sizeof session->shared,
                 "unknown: NVML does not list this process, as in a container that hides processes");
    else if (!others)
        snprintf(session->shared, sizeof session->shared, "no");
    else
        snprintf(session->shared, sizeof session->shared, "%d other process%s: %u%s", others,
                 others == 1 ? "" : "es", id[0], others == 1 ? "" : " ...");
}

void cuda_sharing_observe(struct cuda_session *session, struct result *result)
{
    double now = clock_now();
    if (!session->shared[0] || now - session->shared_at >= LOOK_SECONDS) {
        look(session);
        session->shared_at = now;
    }
    snprintf(result->shared, sizeof result->shared, "%s", session->shared);
}
