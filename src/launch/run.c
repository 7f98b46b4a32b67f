/* run.c - one rank's life: every rank is a runner, and rank 0 the coordinator too. */
#include "launch/launch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <mpi.h>

#include "base/clock.h"
#include "coordinator/coordinator.h"
#include "launch/rank.h"
#include "launch/world.h"
#include "mailbox/heartbeat.h"
#include "mailbox/mailbox_mpi.h"
#include "mailbox/signals.h"
#include "mailbox/wait.h"
#include "runner/runner.h"
#include "runner/worker_process.h"

#define COORDINATOR_MAX 1e-3  /* s: the coordinator answers sooner than others, who wait for it */
#define GATHER_SECONDS  0.5   /* for the other ranks to tell what they were at last */
#define LEAVE_SECONDS   10.0  /* for the other ranks to leave when rank 0 has */
#define LEAVE_SILENT    2.0   /* the same, when it is known that some will not */
#define LEAVE_TOLD      4.0   /* for rank 0 to end all when it said that it would */
#define ABORT_SECONDS   5     /* for MPI_Abort */
#define LEAVE_WRITING   600.0 /* for rank 0 to write the final file, as the others wait */

struct rank {
    int number, count;
    struct mailbox *mailbox;
    struct runner *runner;
    struct coordinator *coordinator; /* on rank 0 */
    struct signals told;             /* signals that the coordinator knows of */
    struct trace trace;
    int silent; /* ranks that rank 0 need not wait for */
};

/* Wait for an MPI request without spinning. */
static void await(MPI_Request *request)
{
    double pause = WAIT_FIRST;
    int done = 0;
    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        wait_for(&pause, WAIT_MAX, -1);
}

/* Where this rank stands on its node. `node` is the number of the node's first rank. */
static void find_place(struct runner_options *place, int number)
{
    MPI_Comm node;
    MPI_Request request;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, number, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &place->local_rank);
    MPI_Comm_size(node, &place->local_size);
    place->node = number;
    MPI_Ibcast(&place->node, 1, MPI_INT, 0, node, &request);
    await(&request);
    MPI_Comm_free(&node);
}

static bool take_messages(struct rank *rank)
{
    enum message message;
    struct wire_reader payload;
    int from;
    bool active = false;
    while (mailbox_receive(rank->mailbox, &from, &message, &payload)) {
        active = true;
        if (message < MESSAGE_HELLO)
            runner_receive(rank->runner, message, &payload);
        else if (rank->coordinator)
            coordinator_receive(rank->coordinator, from, message, &payload);
    }
    return active;
}

/* Slurm may signal one rank only: the coordinator wants to know. */
static void pass_signals_on(struct rank *rank)
{
    struct signals seen = signals_seen();
    if (rank->coordinator || (seen.interrupts == rank->told.interrupts &&
                              seen.terminates == rank->told.terminates && seen.users == rank->told.users))
        return;
    struct wire wire = {0};
    wire_put_u32(&wire, (uint32_t)seen.interrupts);
    wire_put_u32(&wire, (uint32_t)seen.terminates);
    wire_put_u32(&wire, (uint32_t)seen.users);
    mailbox_send(rank->mailbox, 0, MESSAGE_SIGNAL, &wire);
    wire_free(&wire);
    rank->told = seen;
}

static bool step_coordinator(struct rank *rank)
{
    coordinator_signal(rank->coordinator, signals_seen());
    return coordinator_step(rank->coordinator);
}

/* Nobody is to be left behind in a job that some rank cannot end in order. The file is closed by now, or rank 0 is
 * gone, and its journal holds what was measured. */
static void leave_alone(const struct rank *rank, bool told, int code)
{
    if (rank->number && told)
        trace_say(&rank->trace, "is told to wait for nobody");
    else if (rank->number == 0)
        fprintf(stderr, "warpsweep: some ranks do not answer: ending them; the results are safe\n");
    else
        fprintf(
            stderr,
            "warpsweep: rank %d: rank 0 gives no sign of life: ending the run; what was measured is in the "
            "journal: --resume\n",
            rank->number);
    fflush(stderr);
    signal(SIGALRM, SIG_DFL);
    alarm(ABORT_SECONDS); /* with --enable-recovery Open MPI's abort does not come back */
    MPI_Abort(MPI_COMM_WORLD, code ? code : 1);
    _exit(code ? code : 1);
}

static void work(struct rank *rank)
{
    double pause = WAIT_FIRST, most = rank->coordinator ? COORDINATOR_MAX : WAIT_MAX;
    while (!runner_is_over(rank->runner)) {
        bool active = take_messages(rank);
        active |= runner_step(rank->runner);
        if (rank->coordinator)
            active |= step_coordinator(rank);
        if (rank->number && runner_is_alone(rank->runner))
            leave_alone(rank, false, 1);
        pass_signals_on(rank);
        mailbox_is_empty(rank->mailbox); /* moves sends along */
        if (active)
            pause = WAIT_FIRST;
        else
            wait_for(&pause, most, runner_descriptor(rank->runner));
    }
}

/* What the other ranks were at belongs into the file. Who does not tell is not waited for. */
static void gather(struct rank *rank)
{
    double pause = WAIT_FIRST, until = clock_now() + GATHER_SECONDS;
    while (!coordinator_all_ranks_ended(rank->coordinator) && clock_now() < until) {
        if (take_messages(rank))
            pause = WAIT_FIRST;
        else
            wait_for(&pause, COORDINATOR_MAX, -1);
        mailbox_is_empty(rank->mailbox);
    }
}

static bool tell_to_leave(const struct rank *rank)
{
    for (int other = 1; other < rank->count; other++)
        mailbox_send(rank->mailbox, other, MESSAGE_LEAVE, NULL);
    return true;
}

/* Leave together: whatever is still on its way is taken and dropped, so that no rank waits for another for
 * ever. */
static void leave(struct rank *rank, int code)
{
    MPI_Request barrier;
    bool entered = false;
    int done = 0;
    double pause = WAIT_FIRST, told_at = 0;
    struct heartbeat heartbeat = {0};
    bool told = false;
    while (!done) {
        enum message message;
        struct wire_reader payload;
        int from;
        while (mailbox_receive(rank->mailbox, &from, &message, &payload)) {
            pause = WAIT_FIRST;
            if (message == MESSAGE_LEAVE && !told) {
                told = true;
                told_at = heartbeat_now(&heartbeat);
            }
        }
        if (!entered && mailbox_is_empty(rank->mailbox)) {
            MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
            entered = true;
        }
        if (entered)
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        double now = heartbeat_now(&heartbeat);
        if (!rank->number && !told && (rank->silent || now > LEAVE_SECONDS - LEAVE_SILENT))
            told = tell_to_leave(rank);
        double most = !rank->number ? (rank->silent ? LEAVE_SILENT : LEAVE_SECONDS)
                      : told        ? told_at + LEAVE_TOLD
                                    : LEAVE_WRITING;
        if (!done && now > most)
            leave_alone(rank, told, code);
        if (!done)
            wait_for(&pause, WAIT_MAX, -1);
    }
}

/* MPI's start and the opening of a device take most of a second each: the worker is started before MPI, where the launcher
 * tells which device is this rank's. It opens that and waits; it dies with this process, whatever MPI makes of it. A start
 * that fails is tried again, and told, by the runner. */
static void start_early(struct runner_options *place)
{
    struct error untold;
    place->local_rank = rank_on_node();
    place->started = clock_now();
    if (place->local_rank >= 0)
        worker_link_start(place->worker, place->backend, place->local_rank, &untold);
}

/* What MPI says of this rank's place counts, not what the environment said. */
static void settle(struct rank *rank, struct runner_options *place)
{
    int told = place->local_rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank->number);
    MPI_Comm_size(MPI_COMM_WORLD, &rank->count);
    find_place(place, rank->number);
    if (told != place->local_rank)
        worker_link_kill(place->worker);
    rank->trace.rank = rank->number;
    if (rank->number && rank->coordinator) {
        coordinator_discard(rank->coordinator);
        rank->coordinator = NULL;
    }
}

static void end_early(struct rank *rank, const struct runner_options *place)
{
    worker_link_kill(place->worker);
    worker_link_free(place->worker);
    if (rank->coordinator)
        coordinator_discard(rank->coordinator);
}

static volatile sig_atomic_t late_code; /* of the process, when MPI's end takes too long */

static void end_late(int number)
{
    static const char said[] =
        "warpsweep: MPI's end takes too long, as some rank does not answer: ending; the results are safe\n";
    (void)number;
    if (write(STDERR_FILENO, said, sizeof said - 1) < 0)
        late_code = 1; /* nobody to tell */
    _exit(late_code);
}

/* MPI's end waits for every rank, without a limit: one that was stopped since all left would hold the others for ever.
 * Rank 0 ends first; its launcher then ends the rest. */
static void finalize(const struct rank *rank, int code)
{
    late_code = code ? code : 1;
    signal(SIGALRM, end_late);
    alarm((unsigned)(rank->number ? LEAVE_SECONDS + LEAVE_TOLD : LEAVE_SECONDS));
    MPI_Finalize();
    alarm(0);
}

int launch_run(const struct launch_options *options)
{
    struct rank rank = {.trace = {.on = options->verbose, .start = clock_now()}};
    struct runner_options place = {.backend = coordinator_first_backend(options),
                                   .local_rank = -1,
                                   .worker = worker_process_new(),
                                   .silence = options->silence,
                                   .born = clock_process_start()};
    char host[256] = "";
    int code = 0;
    bool refused = world_check() != 0;
    if (!refused && rank_is_first()) /* a job that cannot be read is to touch no device */
        rank.coordinator = coordinator_new(options, &rank.trace);
    if (!refused && (!rank.coordinator || coordinator_is_fine(rank.coordinator)))
        start_early(&place);
    place.entered = clock_now();
    if (refused || world_enter(options->verbose) != 0) {
        end_early(&rank, &place);
        return ERROR_ENVIRONMENT;
    }
    signals_take();
    settle(&rank, &place);
    gethostname(host, sizeof host - 1);
    place.host = host;
    place.trace = rank.trace;
    rank.mailbox = mailbox_mpi_open(MPI_COMM_WORLD);
    rank.runner = runner_new(&place, rank.mailbox);
    if (rank.number == 0 && !rank.coordinator)
        rank.coordinator = coordinator_new(options, &rank.trace);
    if (rank.coordinator)
        coordinator_begin(rank.coordinator, rank.mailbox, rank.count);
    work(&rank);
    if (rank.coordinator) { /* the file first: a worker may take its time to end */
        gather(&rank);
        rank.silent = coordinator_silent_ranks(rank.coordinator);
        code = coordinator_end(rank.coordinator);
    }
    runner_free(rank.runner);
    leave(&rank, code);
    trace_say(&rank.trace, "leaves");
    mailbox_close(rank.mailbox);
    finalize(&rank, code);
    return code;
}
