#include "worker/mpi/mpi_job.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "worker/handover/message.h"
#include "worker/mpi/mpi_start.h"

#define LOOK_MS     100   /* between two looks whether mpirun has ended */
#define END_SECONDS 5.0   /* for MPI_Finalize, and for what mpirun still prints */
#define PRINTED_MAX 16384 /* bytes that are kept of what the job prints */

struct mpi_job {
    struct process process; /* the shell around mpirun */
    struct scratch scratch; /* its temporary folder; path NULL: none */
    int count, listening;
    int socket[DEVICES_MAX]; /* of each process, by seat; -1: not connected */
    struct mpi_answer answer[DEVICES_MAX];
    struct text printed;                   /* by mpirun and the processes */
    int in[DEVICES_MAX], out[DEVICES_MAX]; /* buffers of each process */
    uint64_t in_at[DEVICES_MAX], out_at[DEVICES_MAX], set_bytes;
    uint32_t sets;
    char library[96];
    int version;
    bool broken; /* a process has ended, or failed */
};

/* ---- What goes wrong ---- */

/* Take what the job has printed, so that the pipe does not fill. False at its end. */
static bool drain(struct mpi_job *job)
{
    char block[4096];
    ssize_t got = 0;
    while (job->process.errors >= 0 && (got = read(job->process.errors, block, sizeof block)) > 0)
        if (job->printed.length < PRINTED_MAX)
            text_append(&job->printed, block, (size_t)got);
    return got < 0 && (errno == EAGAIN || errno == EINTR);
}

/* The same until mpirun and all processes have ended, or the time is over. */
static void drain_to_end(struct mpi_job *job)
{
    double end = clock_now() + END_SECONDS;
    while (drain(job) && clock_now() < end) {
        struct pollfd ready = {.fd = job->process.errors, .events = POLLIN};
        poll(&ready, 1, LOOK_MS);
    }
}

/* The first line with words in it: Open MPI draws lines of dashes around its messages. */
static const char *first_line(const char *text, int *length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    while (text && *text) {
        *length = (int)strcspn(text, "\n");
        if ((int)strcspn(text, letters) < *length)
            return text;
        text += *length + (text[*length] == '\n');
    }
    *length = 0;
    return "";
}

/* Write `what`, how mpirun has ended, and what it has printed. A process that has ended takes the others with it soon. */
static void describe_end(struct mpi_job *job, const char *what, char *reason, size_t size)
{
    char how[96] = "still runs";
    int length = 0;
    drain_to_end(job);
    process_wait(&job->process, END_SECONDS / 5, how, sizeof how);
    const char *line = first_line(job->printed.data, &length);
    snprintf(reason, size, "%s; mpirun %s%s%s%.*s", what, *how == 'k' ? "was " : "", how, length ? ": " : "",
             length < 120 ? length : 120, line);
}

/* ---- Talking ---- */

static bool send_to(struct mpi_job *job, int seat, const struct mpi_request *request)
{
    return handover_send(job->socket[seat], request, sizeof *request, -1);
}

static int fail_for(struct mpi_job *job, int seat, char *reason, size_t size)
{
    char what[64];
    snprintf(what, sizeof what, "process %d of its MPI job has ended", seat);
    job->broken = true;
    describe_end(job, what, reason, size);
    return -1;
}

/* Wait for the answers of all processes, or of one if `only` is not negative. `*fd` (may be NULL): the descriptor that came with it. */
static int await(struct mpi_job *job, int only, int *fd, char *reason, size_t size)
{
    bool has[DEVICES_MAX] = {false};
    for (int left = only < 0 ? job->count : 1; left;) {
        struct pollfd ready[DEVICES_MAX + 1];
        for (int s = 0; s < job->count; s++)
            ready[s] = (struct pollfd){.fd = has[s] || (only >= 0 && s != only) ? -1 : job->socket[s],
                                       .events = POLLIN};
        ready[job->count] = (struct pollfd){.fd = job->process.errors, .events = POLLIN};
        poll(ready, (nfds_t)job->count + 1, LOOK_MS);
        drain(job);
        for (int s = 0; s < job->count; s++) {
            struct mpi_answer *answer = &job->answer[s];
            if (ready[s].fd < 0 || !ready[s].revents)
                continue;
            if (handover_receive(job->socket[s], answer, sizeof *answer, fd) != sizeof *answer)
                return fail_for(job, s, reason, size);
            has[s] = true;
            left--;
            if (answer->outcome == MPI_JOB_OK)
                continue;
            job->broken = true;
            snprintf(reason, size, "%s", answer->reason);
            return -1;
        }
    }
    return 0;
}

/* ---- Begin and end ---- */

static int listen_at(char *name, size_t size, int count)
{
    static unsigned opened;
    struct sockaddr_un address;
    snprintf(name, size, "mpi-%ld-%u", (long)getpid(), opened++);
    socklen_t length = handover_address(name, 0, &address);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, length) == 0 && listen(fd, count) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The processes get their seats as they come, and so their devices before MPI_Init, whoever starts them. */
static int accept_all(struct mpi_job *job, char *reason, size_t size)
{
    for (int seat = 0; seat < job->count;) {
        struct pollfd ready[2] = {{.fd = job->listening, .events = POLLIN},
                                  {.fd = job->process.errors, .events = POLLIN}};
        poll(ready, 2, LOOK_MS);
        int fd = accept4(job->listening, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0 && handover_is_ours(fd))
            job->socket[seat++] = fd;
        else if (fd >= 0)
            close(fd);
        else if (!drain(job)) { /* mpirun has closed its end: it has ended, or is about to */
            describe_end(job, "its MPI job cannot be started", reason, size);
            return -1;
        }
    }
    return 0;
}

/* The buffers of each device: what it gives and what it gets, or the one that is both; family_skip has seen to it that there are any. */
static void find_buffers(struct mpi_job *job, const struct setup *setup)
{
    for (int s = 0; s < job->count; s++)
        job->in[s] = job->out[s] = -1;
    for (int b = 0; b < setup->buffers; b++) {
        int seat = setup->buffer[b].device;
        if (buffer_is_filled(&setup->buffer[b]))
            job->in[seat] = b;
        if (buffer_is_compared(&setup->buffer[b]))
            job->out[seat] = b;
    }
    for (int s = 0; s < job->count; s++)
        job->in[s] = job->in[s] < 0 ? job->out[s] : job->in[s];
}

static int begin(struct mpi_job *job, const struct setup *setup, const int *ordinal, char *reason,
                 size_t size)
{
    for (int s = 0; s < job->count; s++) {
        struct mpi_request request = {.kind = MPI_JOB_BEGIN,
                                      .seat = s,
                                      .processes = job->count,
                                      .ordinal = ordinal ? ordinal[s] : -1,
                                      .exchange = (int32_t)setup->shape[0],
                                      .part = setup->shape[1],
                                      .dtype = setup->buffer[0].dtype,
                                      .in_place = setup_has_role(setup, BUFFER_IN_PLACE)};
        if (!send_to(job, s, &request))
            return fail_for(job, s, reason, size);
    }
    return await(job, -1, NULL, reason, size);
}

/* Did a process say that it cannot, or could the shell not find mpirun? Whatever else ends a job is a failure. */
static bool is_unsupported(const struct mpi_job *job, const char *reason)
{
    for (int s = 0; s < job->count; s++)
        if (job->answer[s].outcome == MPI_JOB_UNSUPPORTED)
            return true;
    return strstr(reason, "exited with status 127");
}

struct mpi_job *mpi_job_open(const struct setup *setup, const int *ordinal, bool *unsupported, char *reason,
                             size_t size)
{
    struct error error = {0};
    char name[64];
    struct mpi_job *job = memory_new(1, sizeof *job);
    job->process = process_none();
    job->count = setup_devices(setup);
    job->listening = listen_at(name, sizeof name, job->count);
    for (int s = 0; s < DEVICES_MAX; s++)
        job->socket[s] = -1;
    find_buffers(job, setup);
    *unsupported = false;
    int failed = job->listening < 0;
    if (failed)
        snprintf(reason, size, "no socket for its MPI job: %s", strerror(errno));
    else if ((failed = mpi_start(&job->process, job->count, name, &job->scratch, &error)) != 0) {
        snprintf(reason, size, "%s", error.text);
        *unsupported = true;
    }
    failed = failed || accept_all(job, reason, size) || begin(job, setup, ordinal, reason, size);
    if (!failed) {
        snprintf(job->library, sizeof job->library, "%s", job->answer[0].library);
        job->version = job->answer[0].version;
        return job;
    }
    *unsupported = *unsupported || is_unsupported(job, reason);
    job->broken = true;
    mpi_job_close(job);
    return NULL;
}

/* Ends the processes, wherever they are: in a barrier, too. And mpirun. */
static void hang_up(struct mpi_job *job)
{
    process_close_input(&job->process);
    for (int s = 0; s < job->count; s++) {
        if (job->socket[s] >= 0)
            close(job->socket[s]);
        job->socket[s] = -1;
    }
    if (job->listening >= 0)
        close(job->listening);
    job->listening = -1;
}

void mpi_job_close(struct mpi_job *job)
{
    struct mpi_request request = {.kind = MPI_JOB_END};
    char how[96];
    if (!job)
        return;
    for (int s = 0; s < job->count && job->socket[s] >= 0 && !job->broken; s++)
        send_to(job, s, &request);
    if (job->broken)
        hang_up(job);
    drain_to_end(job);
    hang_up(job);
    process_wait(&job->process, END_SECONDS / 5, how, sizeof how);
    process_kill(&job->process);
    if (job->scratch.path)
        scratch_free(&job->scratch);
    text_free(&job->printed);
    free(job);
}

/* ---- Requests ---- */

int mpi_job_processes(const struct mpi_job *job)
{
    return job->count;
}

const char *mpi_job_library(const struct mpi_job *job)
{
    return job->library;
}

int mpi_job_version(const struct mpi_job *job)
{
    return job->version;
}

int mpi_job_allocate(struct mpi_job *job, int seat, uint64_t bytes, int *fd,
                     unsigned char handle[MPI_HANDLE_SIZE], char *reason, size_t size)
{
    struct mpi_request request = {.kind = MPI_JOB_ALLOCATE, .bytes = bytes};
    *fd = -1;
    if (!send_to(job, seat, &request))
        return fail_for(job, seat, reason, size);
    if (await(job, seat, fd, reason, size) != 0)
        return -1;
    memcpy(handle, job->answer[seat].handle, MPI_HANDLE_SIZE);
    return 0;
}

void mpi_job_place(struct mpi_job *job, const uint64_t *offset, uint64_t set_bytes, uint32_t sets)
{
    for (int s = 0; s < job->count; s++) {
        job->in_at[s] = offset[job->in[s]];
        job->out_at[s] = offset[job->out[s]];
    }
    job->set_bytes = set_bytes;
    job->sets = sets;
}

int mpi_job_run(struct mpi_job *job, uint32_t first, uint32_t launches, double *seconds, char *reason,
                size_t size)
{
    for (int s = 0; s < job->count; s++) {
        struct mpi_request request = {.kind = MPI_JOB_RUN,
                                      .in = job->in_at[s],
                                      .out = job->out_at[s],
                                      .set_bytes = job->set_bytes,
                                      .first = first,
                                      .sets = job->sets,
                                      .launches = launches};
        if (!send_to(job, s, &request))
            return fail_for(job, s, reason, size);
    }
    if (await(job, -1, NULL, reason, size) != 0)
        return -1;
    double begin_first = job->answer[0].begin, end_last = job->answer[0].end;
    for (int s = 1; s < job->count; s++) {
        begin_first = job->answer[s].begin < begin_first ? job->answer[s].begin : begin_first;
        end_last = job->answer[s].end > end_last ? job->answer[s].end : end_last;
    }
    *seconds = end_last - begin_first;
    return 0;
}
