/* launch.c - the main loop of a rank. Every rank is a runner; rank 0 is also the coordinator. */
#include "launch/launch.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#include "base/clock.h"
#include "coordinator/coordinator.h"
#include "family/family.h"
#include "mailbox/heartbeat.h"
#include "mailbox/mailbox.h"
#include "mailbox/signals.h"
#include "plan/job.h"
#include "runner/binding.h"
#include "runner/runner.h"

#define OPEN_SECONDS    60.0  /* to wait for a worker's opening its device */
#define WAIT_MIN        20e-6 /* s: first pause while nothing happens */
#define WAIT_MAX        10e-3 /* s: longest pause */
#define COORDINATOR_MAX 1e-3  /* s: the same of the coordinator, for whose answers ranks wait */
#define GATHER_SECONDS  0.5   /* to wait for the last phases of the other ranks */
#define LEAVE_SECONDS   10.0  /* to wait for the other ranks in the final barrier */
#define LEAVE_SILENT    2.0   /* the same, if some are known not to answer */
#define LEAVE_ABORT     4.0   /* to wait for the abort that rank 0 has announced */
#define ABORT_SECONDS   5     /* to wait for MPI_Abort */

struct rank {
    int number, count;
    struct mailbox *mailbox;
    struct runner *runner;
    struct coordinator *coordinator; /* on rank 0 */
    struct signals reported;         /* signals that the coordinator knows */
    struct trace trace;
    int silent;     /* ranks that do not answer */
    double silence; /* s: the timeout of heartbeats */
};

/* Sleep `*pause` seconds, or until `fd` (if not negative) is readable or a signal arrives. The next pause is
 * longer, up to `max`: waiting neither delays work nor disturbs a measurement. Set `*pause` to WAIT_MIN
 * whenever something happened. */
static void wait_for(double *pause, double max, int fd)
{
    struct timespec time = {.tv_nsec = (long)(*pause * 1e9)};
    struct pollfd poll = {.fd = fd, .events = POLLIN};
    ppoll(&poll, 1, &time, NULL);
    *pause = *pause * 1.5 < max ? *pause * 1.5 : max;
}

/* A node is numbered by its first rank. */
static void find_home(struct home *home, int number)
{
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, number, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &home->local_rank);
    home->node = number;
    MPI_Bcast(&home->node, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
}

static bool take_messages(struct rank *rank)
{
    enum wire_type message;
    struct wire_reader payload;
    int from;
    bool active = false;
    while (mailbox_receive(rank->mailbox, &from, &message, &payload)) {
        active = true;
        if (message < WIRE_HELLO)
            runner_receive(rank->runner, message, &payload);
        else if (rank->coordinator)
            coordinator_receive(rank->coordinator, from, message, &payload);
    }
    return active;
}

/* Slurm may signal a single rank, so each rank reports its signals to the coordinator. */
static void report_signals(struct rank *rank)
{
    struct signals seen = signals_seen();
    if (rank->coordinator ||
        (seen.interrupts == rank->reported.interrupts && seen.terminates == rank->reported.terminates &&
         seen.users == rank->reported.users))
        return;
    struct wire wire = {0};
    wire_put_u32(&wire, (uint32_t)seen.interrupts);
    wire_put_u32(&wire, (uint32_t)seen.terminates);
    wire_put_u32(&wire, (uint32_t)seen.users);
    mailbox_send(rank->mailbox, 0, WIRE_SIGNAL, &wire);
    wire_free(&wire);
    rank->reported = seen;
}

/* End all ranks because some do not answer. By now the file is closed, or rank 0 is gone and its journal
 * holds what was measured. `announced`: rank 0 has sent WIRE_LEAVE. */
static void abort_run(const struct rank *rank, bool announced, int code)
{
    if (rank->number && announced)
        trace_say(&rank->trace, "rank 0 ends the run without waiting");
    else if (rank->number == 0)
        fprintf(stderr, "warpsweep: some ranks do not answer; ending them. The results are on disk\n");
    else
        fprintf(stderr,
                "warpsweep: rank %d: no answer from rank 0; ending the run. The results so far are in the "
                "journal: continue with --resume\n",
                rank->number);
    fflush(stderr);
    signal(SIGALRM, SIG_DFL);
    alarm(ABORT_SECONDS); /* MPI_Abort may hang: with --enable-recovery that of Open MPI does */
    MPI_Abort(MPI_COMM_WORLD, code ? code : 1);
    _exit(code ? code : 1);
}

static void work(struct rank *rank)
{
    double pause = WAIT_MIN, max = rank->coordinator ? COORDINATOR_MAX : WAIT_MAX;
    while (!runner_is_over(rank->runner)) {
        presence_turn();
        bool active = take_messages(rank);
        active |= runner_step(rank->runner);
        if (rank->coordinator) {
            coordinator_signal(rank->coordinator, signals_seen());
            active |= coordinator_step(rank->coordinator);
        }
        if (rank->number && runner_is_alone(rank->runner))
            abort_run(rank, false, ERROR_ENVIRONMENT);
        report_signals(rank);
        mailbox_is_empty(rank->mailbox); /* drives pending sends */
        if (active)
            pause = WAIT_MIN;
        else
            wait_for(&pause, max, runner_descriptor(rank->runner));
    }
}

/* Collect the last phases of the other ranks, which belong into the file. */
static void gather_phases(struct rank *rank)
{
    double pause = WAIT_MIN, until = clock_now() + GATHER_SECONDS;
    while (!coordinator_all_ranks_ended(rank->coordinator) && clock_now() < until) {
        if (take_messages(rank))
            pause = WAIT_MIN;
        else
            wait_for(&pause, COORDINATOR_MAX, -1);
        mailbox_is_empty(rank->mailbox);
    }
}

/* A barrier with a time limit. Late messages are received and dropped, so that no sender blocks. */
static void leave(struct rank *rank, int code)
{
    MPI_Request barrier;
    bool entered = false;
    int done = 0;
    double pause = WAIT_MIN, announced_at = 0, heard_at = 0;
    struct heartbeat heartbeat = {0};
    bool announced = false;
    while (!done) {
        enum wire_type message;
        struct wire_reader payload;
        int from;
        while (mailbox_receive(rank->mailbox, &from, &message, &payload)) {
            pause = WAIT_MIN;
            heard_at = heartbeat_now(&heartbeat);
            if (message == WIRE_LEAVE && !announced) {
                announced = true;
                announced_at = heartbeat_now(&heartbeat);
            }
        }
        if (!entered && mailbox_is_empty(rank->mailbox)) {
            MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
            entered = true;
        }
        if (entered)
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        double now = heartbeat_now(&heartbeat);
        if (!rank->number && !announced && (rank->silent || now > LEAVE_SECONDS - LEAVE_SILENT)) {
            announced = true;
            for (int other = 1; other < rank->count; other++)
                mailbox_send(rank->mailbox, other, WIRE_LEAVE, NULL);
        }
        double limit = heard_at + HEARTBEAT_PATIENCE * rank->silence + LEAVE_SECONDS;
        if (!rank->number)
            limit = rank->silent ? LEAVE_SILENT : LEAVE_SECONDS;
        else if (announced)
            limit = announced_at + LEAVE_ABORT;
        if (!done && now > limit)
            abort_run(rank, announced, code);
        if (!done)
            wait_for(&pause, WAIT_MAX, -1);
    }
}

/* hwloc, in MPI_Init and for the binding, would look for GPUs through OpenCL and NVML, and wait for the
 * workers, who open them at the same time. PCI devices are all that is asked of it. */
static void leave_devices_to_workers(void)
{
    setenv("HWLOC_COMPONENTS", "-opencl,-gl,-cuda,-nvml", 0);
}

/* Initialising MPI and opening a device take most of a second each. So the worker starts before MPI, if the
 * environment tells the local rank: it opens its device and waits. It dies with this process, even if
 * MPI_Init ends that. If the start fails, the runner tries again and reports the error. */
static void start_worker_early(struct runner_options *place)
{
    struct error ignored;
    if (worker_link_is_up(place->worker))
        return;
    place->home.local_rank = rank_on_node();
    place->started = clock_now();
    if (place->home.local_rank >= 0)
        worker_link_start(place->worker, place->backend, place->home.local_rank, "", &ignored);
}

/* A job whose values depend on the device is of the device of this rank, whose worker says what it is;
 * without one, nothing is known. */
static struct target ask_device(void *place)
{
    struct greeting greeting;
    start_worker_early(place);
    if (!worker_link_peek(((struct runner_options *)place)->worker, OPEN_SECONDS, &greeting))
        return (struct target){0};
    return target_of_device(&greeting.device);
}

/* MPI knows the place of this rank; the environment may have been wrong. */
static void take_place(struct rank *rank, struct runner_options *place)
{
    int guessed = place->home.local_rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank->number);
    MPI_Comm_size(MPI_COMM_WORLD, &rank->count);
    find_home(&place->home, rank->number);
    if (guessed != place->home.local_rank)
        worker_link_kill(place->worker);
    rank->trace.rank = rank->number;
    if (rank->number && rank->coordinator) {
        coordinator_discard(rank->coordinator);
        rank->coordinator = NULL;
    }
}

static void discard(struct rank *rank, const struct runner_options *place)
{
    worker_link_kill(place->worker);
    worker_link_free(place->worker);
    if (rank->coordinator)
        coordinator_discard(rank->coordinator);
}

/* MPI_Finalize waits for every rank without a limit, also for one that was stopped after the barrier. Rank 0
 * exits first; its launcher then ends the rest. Behind it rank 0 writes and prints, which takes as long as
 * the file is large; the others end. */
static void finalize(const struct rank *rank, int code)
{
    limits_end_begin((unsigned)(rank->number ? LEAVE_SECONDS + LEAVE_ABORT : LEAVE_SECONDS), rank->count,
                     code ? code : 1);
    MPI_Finalize();
    if (!rank->number)
        limits_lift();
}

int launch_run(struct launch_options *options, struct dataset *results)
{
    struct rank rank = {.trace = {.on = options->verbose, .start = clock_now()},
                        .silence = heartbeat_timeout(options->silence)};
    struct runner_options place = {.backend = coordinator_first_backend(options),
                                   .home = {.local_rank = -1},
                                   .worker = worker_link_new(),
                                   .silence = options->silence,
                                   .born = clock_process_start()};
    int code = 0, threads;
    leave_devices_to_workers();
    bool refused = world_check() != 0;
    const struct job_device device = {ask_device, &place};
    options->job.device = &device;
    if (!refused && rank_is_first()) /* no device is opened for an invalid job */
        rank.coordinator = coordinator_new(options, &rank.trace);
    if (!refused && (!rank.coordinator || coordinator_is_fine(rank.coordinator)))
        start_worker_early(&place);
    place.entered = clock_now();
    limits_start_begin(rank_count(), options->time_limit, rank_is_first());
    if (refused || world_enter(options->verbose) != 0) {
        discard(&rank, &place);
        return ERROR_ENVIRONMENT;
    }
    signals_take();
    take_place(&rank, &place);
    gethostname(place.home.host, sizeof place.home.host - 1);
    place.home.cpus = binding_cpus();
    place.trace = rank.trace;
    rank.mailbox = mailbox_mpi_open();
    limits_lift();
    rank.runner = runner_new(&place, rank.mailbox);
    if (rank.number == 0 && !rank.coordinator)
        rank.coordinator = coordinator_new(options, &rank.trace);
    if (rank.coordinator) {
        MPI_Query_thread(&threads);
        if (threads >= MPI_THREAD_SERIALIZED)
            presence_begin(rank.mailbox, rank.count, rank.silence, options->output_path);
        coordinator_begin(rank.coordinator, rank.mailbox, rank.count);
    }
    work(&rank);
    if (rank.coordinator) { /* close the file first: a worker may end slowly */
        gather_phases(&rank);
        rank.silent = coordinator_silent_ranks(rank.coordinator);
        code = coordinator_end(rank.coordinator, results);
    }
    runner_free(rank.runner);
    presence_end();
    leave(&rank, code);
    trace_say(&rank.trace, "leaves");
    mailbox_close(rank.mailbox);
    finalize(&rank, code);
    return code;
}
