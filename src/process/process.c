#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"

#define CHILD_FAILURE (PROCESS_OUT + 1) /* where the child reports a failed exec */
#define KILL_WAIT     10000             /* ms */
#define CHILD_SPARE   16                /* beyond every fixed number */

static void close_pipe(int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* In the child, between fork and exec: only calls that are safe there. Never returns. */
static void become(const char *path, const char *const argv[], int in, int out, int failure, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    /* First out of the way of the fixed numbers, then into place. */
    int moved[3] = {fcntl(in, F_DUPFD, CHILD_SPARE), fcntl(out, F_DUPFD, CHILD_SPARE),
                    fcntl(failure, F_DUPFD, CHILD_SPARE)};
    int nothing = open("/dev/null", O_RDONLY);
    if (dup2(moved[0], PROCESS_IN) < 0 || dup2(moved[1], PROCESS_OUT) < 0 ||
        dup2(moved[2], CHILD_FAILURE) < 0)
        _exit(127);
    dup2(nothing, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    close_range(CHILD_FAILURE + 1, ~0U, 0);
    fcntl(CHILD_FAILURE, F_SETFD, FD_CLOEXEC);
    /* The rank ignores SIGPIPE; MPI may have set more. Ignored signals would survive the exec. */
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (getppid() == parent)
        execv(path, (char *const *)argv);
    int reason = errno;
    if (write(CHILD_FAILURE, &reason, sizeof reason) < 0)
        _exit(126);
    _exit(127);
}

int process_start(struct process *process, const char *path, const char *const argv[], struct error *error)
{
    int request[2] = {-1, -1}, answer[2] = {-1, -1}, failure[2] = {-1, -1}, reason = 0, failed = -1;
    *process = (struct process){.to = -1, .from = -1};
    if (pipe2(request, O_CLOEXEC) != 0 || pipe2(answer, O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0) {
        error_set(error, ERROR_ENVIRONMENT, "cannot make pipes for %s: %s", path, strerror(errno));
        goto out;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        error_set(error, ERROR_ENVIRONMENT, "cannot start %s: %s", path, strerror(errno));
        goto out;
    }
    if (pid == 0)
        become(path, argv, request[0], answer[1], failure[1], parent);
    close(failure[1]);
    failure[1] = -1;
    /* The failure pipe closes itself on a successful exec: nothing to read then. */
    if (io_read_full(failure[0], &reason, sizeof reason) == sizeof reason) {
        waitpid(pid, NULL, 0);
        error_set(error, ERROR_ENVIRONMENT, "cannot execute %s: %s", path, strerror(reason));
        goto out;
    }
    *process = (struct process){.pid = pid, .to = request[1], .from = answer[0]};
    fcntl(process->from, F_SETFL, O_NONBLOCK);
    request[1] = answer[0] = -1;
    failed = 0;
out:
    close_pipe(request);
    close_pipe(answer);
    close_pipe(failure);
    return failed;
}

static void close_ends(struct process *process)
{
    if (process->to >= 0)
        close(process->to);
    if (process->from >= 0)
        close(process->from);
    *process = (struct process){.to = -1, .from = -1};
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

void process_kill(struct process *process)
{
    /* A process that is stuck in a driver call dies only when that returns: after KILL_WAIT it is left
     * behind. */
    static const struct timespec step = {.tv_nsec = 1000000};
    if (process->pid > 0) {
        kill(process->pid, SIGKILL);
        for (int i = 0; i < KILL_WAIT && waitpid(process->pid, NULL, WNOHANG) == 0; i++)
            nanosleep(&step, NULL);
    }
    close_ends(process);
}
