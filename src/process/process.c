#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"

#define CHILD_FAILURE (PROCESS_OUT + 1)   /* descriptor on which the child reports a failed exec */
#define CHILD_SPARE   (CHILD_FAILURE + 1) /* beyond every fixed number */
#define CLOSED_MAX    (1 << 20)           /* without close_range */
#define EXEC_WAIT     2000                /* ms, for exec */
#define KILL_WAIT     10.0                /* s */
#define PRINTED_MAX   (64 << 10)

extern char **environ;

/* A pipe; -1: closed end. */
struct ends {
    int read, write;
};
static const struct ends no_pipe = {-1, -1};

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

static void close_pipe(struct ends *ends)
{
    close_end(&ends->read);
    close_end(&ends->write);
}

static int open_pipe(struct ends *ends)
{
    int both[2];
    if (pipe2(both, O_CLOEXEC) != 0)
        return -1;
    *ends = (struct ends){both[0], both[1]};
    return 0;
}

/* ---- In the child, between fork and exec: only calls that are safe there ---- */

struct child {
    const struct process_options *options;
    char **environment;
    struct ends request, answer, errors, failure;
    pid_t parent;
};

/* A copy beyond the fixed numbers, closed by exec; -1 stays -1. False, with errno, if there are too many descriptors. */
static bool move_away(int end, int *moved)
{
    *moved = end < 0 ? -1 : fcntl(end, F_DUPFD_CLOEXEC, CHILD_SPARE);
    return end < 0 || *moved >= 0;
}

/* Move a descriptor to a fixed number, which is closed if `end` is -1. */
static bool put_at(int end, int number)
{
    if (end >= 0)
        return dup2(end, number) == number;
    close(number);
    return true;
}

/* Linux before 5.9, and some containers, have no close_range. */
static void close_from(int first)
{
    struct rlimit limit;
    if (close_range((unsigned)first, ~0U, 0) == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    int last = limit.rlim_cur < CLOSED_MAX ? (int)limit.rlim_cur : CLOSED_MAX;
    for (int number = first; number < last; number++)
        close(number);
}

/* False, with errno, if a descriptor cannot be had. `*report` is where the reason goes. */
static bool arrange_descriptors(const struct child *child, int *report)
{
    int in, out, errors, failure, nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    *report = child->failure.write;
    if (!move_away(child->failure.write, &failure))
        return false;
    *report = failure;
    if (!move_away(child->request.read, &in) || !move_away(child->answer.write, &out) ||
        !move_away(child->errors.write, &errors) || !put_at(failure, CHILD_FAILURE))
        return false;
    fcntl(CHILD_FAILURE, F_SETFD, FD_CLOEXEC);
    *report = CHILD_FAILURE;
    if (!put_at(in, PROCESS_IN) || !put_at(out, PROCESS_OUT))
        return false;
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    if (errors >= 0)
        dup2(errors, STDERR_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    close_from(CHILD_FAILURE + 1);
    return true;
}

static void become(const struct child *child)
{
    sigset_t none;
    int report;
    sigemptyset(&none);
    if (arrange_descriptors(child, &report)) {
        /* The rank ignores SIGPIPE; MPI may have set more. Ignored signals would survive the exec. */
        for (int number = 1; number < NSIG; number++)
            signal(number, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        errno = ESRCH;
        if (getppid() == child->parent)
            execvpe(child->options->path, (char *const *)child->options->argv, child->environment);
    }
    int reason = errno;
    if (write(report, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

/* ---- Starting ---- */

struct process process_none(void)
{
    return (struct process){.to = -1, .from = -1, .errors = -1};
}

/* Our environment with the setting applied. The caller frees the array, not its texts. */
static char **environment_with(const char *setting)
{
    size_t ours = 0, kept = 0, name = setting ? strcspn(setting, "=") + 1 : 0;
    while (environ[ours])
        ours++;
    char **environment = memory_new(ours + 2, sizeof *environment);
    for (size_t i = 0; i < ours; i++)
        if (!setting || strncmp(environ[i], setting, name) != 0)
            environment[kept++] = environ[i];
    environment[kept] = (char *)setting;
    return environment;
}

static int open_pipes(struct child *child)
{
    const struct process_options *options = child->options;
    if (options->pipes && (open_pipe(&child->request) != 0 || open_pipe(&child->answer) != 0))
        return -1;
    if (options->errors && open_pipe(&child->errors) != 0)
        return -1;
    return open_pipe(&child->failure);
}

static void do_not_block(int end)
{
    if (end >= 0)
        fcntl(end, F_SETFL, O_NONBLOCK);
}

/* A successful exec closes the failure pipe. Once in 240 concurrent resumed runs it stayed open for an unknown reason; so a
 * child that reports nothing within EXEC_WAIT counts as started, and the caller watches it anyway. */
static int await_exec(struct child *child, pid_t pid, struct error *error)
{
    int reason = 0;
    close_end(&child->failure.write);
    struct pollfd ready = {.fd = child->failure.read, .events = POLLIN};
    double end = clock_now() + EXEC_WAIT * 1e-3;
    int seen;
    while ((seen = poll(&ready, 1, EXEC_WAIT)) < 0 && errno == EINTR && clock_now() < end)
        continue;
    if (seen <= 0)
        return 0;
    if (io_read_full(child->failure.read, &reason, sizeof reason) != sizeof reason)
        return 0;
    waitpid(pid, NULL, 0);
    return error_set(error, ERROR_ENVIRONMENT, "cannot execute %s: %s", child->options->path,
                     strerror(reason));
}

int process_start(struct process *process, const struct process_options *options, struct error *error)
{
    struct child child = {
        .options = options, .request = no_pipe, .answer = no_pipe, .errors = no_pipe, .failure = no_pipe};
    int failed = -1;
    *process = process_none();
    child.environment = environment_with(options->setting);
    child.parent = getpid();
    pid_t pid = open_pipes(&child) == 0 ? fork() : -1;
    if (pid == 0)
        become(&child);
    if (pid < 0)
        error_set(error, ERROR_ENVIRONMENT, "cannot start %s: %s", options->path, strerror(errno));
    else
        failed = await_exec(&child, pid, error);
    if (!failed) {
        *process = (struct process){pid, child.request.write, child.answer.read, child.errors.read};
        do_not_block(process->from);
        do_not_block(process->errors);
        child.request.write = child.answer.read = child.errors.read = -1;
    }
    close_pipe(&child.request);
    close_pipe(&child.answer);
    close_pipe(&child.errors);
    close_pipe(&child.failure);
    free(child.environment);
    return failed;
}

int process_become(const char *const *argv, struct error *error)
{
    execvp(argv[0], (char *const *)argv);
    return error_set(error, ERROR_ENVIRONMENT, "cannot execute %s: %s", argv[0], strerror(errno));
}

int process_start_worker(struct process *process, const char *backend, int local_rank, const char *device,
                         bool spare, struct error *error)
{
    char folder[PATH_MAX - 32], path[PATH_MAX], rank[16], visible[128];
    io_executable_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/warpsweep-worker", folder);
    snprintf(rank, sizeof rank, "%d", local_rank);
    const char *const argv[] = {"warpsweep-worker",       "--backend", backend, "--local-rank", rank,
                                spare ? "--spare" : NULL, NULL};
    snprintf(visible, sizeof visible, "CUDA_VISIBLE_DEVICES=%s", device);
    return process_start(process,
                         &(struct process_options){
                             .path = path, .argv = argv, .setting = *device ? visible : NULL, .pipes = true},
                         error);
}

/* ---- Ends ---- */

static void close_ends(struct process *process)
{
    close_end(&process->to);
    close_end(&process->from);
    close_end(&process->errors);
    *process = process_none();
}

bool process_ended(struct process *process, char *how, size_t size)
{
    int status;
    if (process->pid <= 0 || waitpid(process->pid, &status, WNOHANG) != process->pid)
        return false;
    if (WIFSIGNALED(status))
        snprintf(how, size, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, size, "exited with status %d", WEXITSTATUS(status));
    close_ends(process);
    return true;
}

bool process_wait(struct process *process, double seconds, char *how, size_t size)
{
    static const struct timespec step = {.tv_nsec = 1000000};
    double end = clock_now() + seconds;
    while (process->pid > 0) {
        if (process_ended(process, how, size))
            return true;
        if (clock_now() >= end)
            return false;
        nanosleep(&step, NULL);
    }
    return false;
}

double process_busy(const struct process *process)
{
    clockid_t clock;
    struct timespec time;
    if (process->pid <= 0 || clock_getcpuclockid(process->pid, &clock) != 0 ||
        clock_gettime(clock, &time) != 0)
        return 0;
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void process_close_input(struct process *process)
{
    close_end(&process->to);
}

pid_t process_kill_off(struct process *process)
{
    pid_t pid = process->pid > 0 ? process->pid : 0;
    if (pid)
        kill(pid, SIGKILL);
    close_ends(process);
    return pid;
}

bool process_is_reaped(pid_t pid)
{
    return pid <= 0 || waitpid(pid, NULL, WNOHANG) != 0;
}

void process_kill(struct process *process)
{
    static const struct timespec step = {.tv_nsec = 1000000};
    pid_t pid = process_kill_off(process);
    double end = clock_now() + KILL_WAIT; /* then it becomes a zombie */
    while (!process_is_reaped(pid) && clock_now() < end)
        nanosleep(&step, NULL);
}

/* ---- Running to the end ---- */

/* Read what is available; false at the end of the output. Output beyond PRINTED_MAX is dropped. */
static bool take_printed(int from, struct text *printed)
{
    char block[4096];
    ssize_t got = read(from, block, sizeof block);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    if (got > 0 && printed->length < PRINTED_MAX)
        text_append(printed, block, (size_t)got);
    return got > 0;
}

int process_run(const struct process_options *options, double seconds, struct text *printed,
                struct error *error)
{
    struct process_options captured = *options;
    struct process process;
    char how[128];
    double end = clock_now() + seconds;
    captured.errors = true;
    if (process_start(&process, &captured, error) != 0)
        return -1;
    for (bool more = true; more && clock_now() < end;) {
        struct pollfd ready = {.fd = process.errors, .events = POLLIN};
        int left = (int)((end - clock_now()) * 1000);
        if (poll(&ready, 1, left > 0 ? left : 0) > 0)
            more = take_printed(process.errors, printed);
    }
    double left = end - clock_now();
    if (!process_wait(&process, left > 0 ? left : 0, how, sizeof how)) {
        process_kill(&process);
        return error_set(error, ERROR_ENVIRONMENT, "%s did not finish within %g s", options->path, seconds);
    }
    if (!strcmp(how, "exited with status 0"))
        return 0;
    return error_set(error, ERROR_ENVIRONMENT, "%s %s%s", options->path, *how == 'k' ? "was " : "", how);
}
