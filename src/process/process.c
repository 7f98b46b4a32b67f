#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"

#define KILL_WAIT   10.0 /* s */
#define PRINTED_MAX (64 << 10)

extern char **environ;

/* A pipe: our end, and the child's; -1: closed. */
struct ends {
    int ours, childs;
};

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

/* The child's end lies beyond the fixed numbers, so that none is overwritten before it is duplicated. */
static int open_pipe(struct ends *ends, bool child_reads)
{
    int both[2];
    if (pipe2(both, O_CLOEXEC) != 0)
        return -1;
    ends->ours = both[child_reads];
    ends->childs = fcntl(both[!child_reads], F_DUPFD_CLOEXEC, PROCESS_OUT + 1);
    int code = errno;
    close(both[!child_reads]);
    errno = code;
    return ends->childs < 0 ? -1 : 0;
}

/* ---- Starting ---- */

struct process process_none(void)
{
    return (struct process){.to = -1, .from = -1, .errors = -1};
}

static void close_ends(struct process *process)
{
    close_end(&process->to);
    close_end(&process->from);
    close_end(&process->errors);
    *process = process_none();
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

/* 0, or an error number. The rank ignores SIGPIPE, MPI may have set more, and ignored signals would survive
 * the exec. */
static int spawn(const struct process_options *options, int in, int out, int errors, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char **environment = environment_with(options->setting);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (options->pipes) {
        posix_spawn_file_actions_adddup2(&files, in, PROCESS_IN);
        posix_spawn_file_actions_adddup2(&files, out, PROCESS_OUT);
    }
    if (options->errors)
        posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, options->pipes ? PROCESS_OUT + 1 : PROCESS_IN);
    int code =
        posix_spawnp(pid, options->path, &files, &attributes, (char *const *)options->argv, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    free(environment);
    return code;
}

int process_start(struct process *process, const struct process_options *options, struct error *error)
{
    struct ends request = {-1, -1}, answer = {-1, -1}, errors = {-1, -1};
    pid_t pid = 0;
    int failed = 0;
    if ((options->pipes && (open_pipe(&request, true) != 0 || open_pipe(&answer, false) != 0)) ||
        (options->errors && open_pipe(&errors, false) != 0))
        failed = error_set(error, ERROR_ENVIRONMENT, "cannot start %s: %s", options->path, strerror(errno));
    int code = failed ? 0 : spawn(options, request.childs, answer.childs, errors.childs, &pid);
    if (code)
        failed = error_set(error, ERROR_ENVIRONMENT, "cannot execute %s: %s", options->path, strerror(code));
    close_end(&request.childs);
    close_end(&answer.childs);
    close_end(&errors.childs);
    *process = (struct process){pid, request.ours, answer.ours, errors.ours};
    if (failed)
        close_ends(process);
    if (process->from >= 0)
        fcntl(process->from, F_SETFL, O_NONBLOCK);
    if (process->errors >= 0)
        fcntl(process->errors, F_SETFL, O_NONBLOCK);
    return failed;
}

char *process_python_path(const char *first)
{
    const char *given = getenv("PYTHONPATH");
    char *copy = memory_text(given ? given : ""), *rest = copy, *part;
    struct text path = {0};
    text_add(&path, "PYTHONPATH=%s", first ? first : "");
    while ((part = strsep(&rest, ":")))
        if (*part)
            text_add(&path, "%s%s", path.data[path.length - 1] == '=' ? "" : ":", part);
    free(copy);
    return path.data;
}

#define SYSTEM_PYTHON "/usr/bin/python3"

const char *process_python(int number)
{
    const char *named = getenv("WARPSWEEP_PYTHON");
    bool is_named = named && *named;
    if (number == 0)
        return is_named ? named : "python3";
    return number == 1 && !is_named && access(SYSTEM_PYTHON, X_OK) == 0 ? SYSTEM_PYTHON : NULL;
}

int process_become(const char *const *argv, struct error *error)
{
    execvp(argv[0], (char *const *)argv);
    return error_set(error, ERROR_ENVIRONMENT, "cannot execute %s: %s", argv[0], strerror(errno));
}

/* ---- In our place ---- */

static const int sent[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
enum { SENT = sizeof sent / sizeof *sent };
static volatile sig_atomic_t stand_in;

/* A terminal signals the child, too. */
static void pass_on(int number, siginfo_t *about, void *context)
{
    (void)context;
    if (stand_in > 0 && about->si_code <= 0)
        kill((pid_t)stand_in, number);
}

/* Never returns. `report` is closed by a successful exec, else it gets the error number. */
static void execute(const char *const *argv, pid_t parent, int report)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        execvp(argv[0], (char *const *)argv);
    int code = errno;
    io_write_full(report, &code, sizeof code);
    _exit(EXIT_FAILURE);
}

int process_stand_in(const char *const *argv, int *status, struct error *error)
{
    struct sigaction ours = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART}, before[SENT];
    int report[2], code = 0;
    pid_t parent = getpid(), pid = -1;
    if (pipe2(report, O_CLOEXEC) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "cannot start %s: %s", argv[0], strerror(errno));
    for (int i = 0; i < SENT; i++) {
        sigaction(sent[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* which the child would inherit */
            sigaction(sent[i], &ours, NULL);
    }
    if ((pid = fork()) == 0)
        execute(argv, parent, report[1]);
    if (pid < 0)
        code = errno;
    stand_in = pid;
    close(report[1]);
    if (pid > 0 && io_read_full(report[0], &code, sizeof code) <= 0)
        code = 0;
    close(report[0]);
    while (pid > 0 && waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    stand_in = 0;
    for (int i = 0; i < SENT; i++)
        sigaction(sent[i], &before[i], NULL);
    return code ? error_set(error, ERROR_ENVIRONMENT, "cannot execute %s: %s", argv[0], strerror(code)) : 0;
}

void process_end_alike(int status)
{
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    bool on_purpose = number == SIGPIPE;
    for (int i = 0; i < SENT; i++)
        on_purpose |= number == sent[i];
    if (!on_purpose)
        return;
    signal(number, SIG_DFL);
    raise(number);
}

int process_start_worker(struct process *process, const char *backend, int local_rank, const char *device,
                         const char *role, struct error *error)
{
    char folder[PATH_MAX - 32], path[PATH_MAX], rank[16], visible[128];
    io_executable_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/warpsweep-worker", folder);
    snprintf(rank, sizeof rank, "%d", local_rank);
    const char *const argv[] = {"warpsweep-worker", "--backend", backend, "--local-rank", rank, role, NULL};
    snprintf(visible, sizeof visible, "CUDA_VISIBLE_DEVICES=%s", device);
    return process_start(process,
                         &(struct process_options){
                             .path = path, .argv = argv, .setting = *device ? visible : NULL, .pipes = true},
                         error);
}

/* ---- Ends ---- */

void process_describe_end(int status, char *how, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(how, size, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, size, "exited with status %d", WEXITSTATUS(status));
}

bool process_ended(struct process *process, char *how, size_t size)
{
    int status;
    if (process->pid <= 0 || waitpid(process->pid, &status, WNOHANG) != process->pid)
        return false;
    process_describe_end(status, how, size);
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
