#include "command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "cli/program/cli.h"
#include "readers.h"

enum { SANITIZER_CODE = 99, LEAK_CODE = 98, KEPT_BYTES = 1 << 16, COMMANDS_MAX = 64 };

size_t forked_runs;

#ifdef __SANITIZE_ADDRESS__
int __lsan_do_recoverable_leak_check(void);
const char *__asan_default_options(void);
/* An allocation of gigabytes is a find: the files are small. A small quarantine halves the time that a command takes. */
const char *__asan_default_options(void)
{
    return "exitcode=99:leak_check_at_exit=0:max_allocation_size_mb=3000:handle_abort=1:quarantine_size_mb=4:"
           "malloc_context_size=8";
}
static bool has_leaks(void)
{
    return __lsan_do_recoverable_leak_check() != 0;
}
#else
static bool has_leaks(void)
{
    return false;
}
#endif

/* What a child tells its parent about its commands: it may die at any moment. */
struct progress {
    size_t done;
    struct command_end {
        int code;
        double seconds;
        off_t output, errors; /* where it began */
    } end[COMMANDS_MAX + 1];
};

static int run_line(char *line)
{
    char *word[COMMAND_WORDS_MAX + 1] = {(char[]){"warpsweep"}}, *rest = line;
    int words = 1;
    for (char *one; words < COMMAND_WORDS_MAX && (one = strtok_r(rest, " ", &rest));)
        word[words++] = one;
    int code = readers_run(words, word);
    return code < 0 ? cli_main(words, word) : code;
}

static void limit(int what, rlim_t soft, rlim_t hard)
{
    setrlimit(what, &(struct rlimit){soft, hard});
}

/* Counted from now on. */
static void limit_cpu(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    limit(RLIMIT_CPU, (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + COMMAND_CPU_SECONDS),
          RLIM_INFINITY);
}

static void run_child(const char *const *line, size_t count, const char *folder, bool leaks,
                      struct progress *progress)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (chdir(folder) != 0 || dup2(null, 0) < 0)
        _exit(97);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_FSIZE, 1 << 28, 1 << 28);
    for (size_t i = 0; i < count; i++) {
        struct command_end *end = &progress->end[i];
        end->output = lseek(1, 0, SEEK_END);
        end->errors = lseek(2, 0, SEEK_END);
        limit_cpu();
        double began = clock_now();
        char *copy = memory_text(line[i]);
        end->code = run_line(copy);
        free(copy);
        fflush(stdout);
        end->seconds = clock_now() - began;
        progress->end[i + 1].output = lseek(1, 0, SEEK_END);
        progress->end[i + 1].errors = lseek(2, 0, SEEK_END);
        progress->done = i + 1;
    }
    _exit(leaks && has_leaks() ? LEAK_CODE : 0);
}

/* Bytes [from, to) of a file; to < 0: to its end. At most KEPT_BYTES, the last of them. */
static char *read_kept(int fd, off_t from, off_t to)
{
    off_t size = lseek(fd, 0, SEEK_END);
    if (to < 0 || to > size)
        to = size;
    if (to - from > KEPT_BYTES)
        to = from + KEPT_BYTES;
    size_t count = to > from ? (size_t)(to - from) : 0;
    char *kept = memory_new(count + 1, 1);
    if (pread(fd, kept, count, from) != (ssize_t)count)
        *kept = '\0';
    return kept;
}

static void judge(struct outcome *outcome, int status)
{
    outcome->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (*outcome->how)
        return;
    if (WIFSIGNALED(status))
        snprintf(outcome->how, sizeof outcome->how, "killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (outcome->code == SANITIZER_CODE || strstr(outcome->errors, "runtime error:") ||
             strstr(outcome->errors, "ERROR: AddressSanitizer"))
        snprintf(outcome->how, sizeof outcome->how, "a sanitizer's report");
    else if (outcome->code > 3)
        snprintf(outcome->how, sizeof outcome->how, "exit code %d", outcome->code);
}

/* Run lines in a child until it ends; returns how many were run. */
static size_t run_some(const char *const *line, size_t count, const char *folder, bool leaks,
                       struct outcome *outcome, struct progress *progress)
{
    int output = memfd_create("output", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC),
        status = 0;
    bool hung = false;
    memset(progress, 0, sizeof *progress);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (dup2(output, 1) < 0 || dup2(errors, 2) < 0)
            _exit(97);
        run_child(line, count, folder, leaks, progress);
    }
    int ended = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd wait = {.fd = ended, .events = POLLIN};
    for (size_t before = 0; poll(&wait, 1, COMMAND_WALL_SECONDS * 1000) == 0; before = progress->done)
        if (progress->done == before) {
            hung = true;
            kill(pid, SIGKILL);
            break;
        }
    waitpid(pid, &status, 0);
    close(ended);
    size_t done = progress->done;
    bool died = done < count;
    for (size_t i = 0; i < done + died; i++) {
        const struct command_end *end = &progress->end[i];
        outcome[i] = (struct outcome){.code = end->code, .seconds = end->seconds};
        bool last = i == done;
        outcome[i].output = read_kept(output, end->output, last ? -1 : end[1].output);
        outcome[i].errors = read_kept(errors, end->errors, last ? -1 : end[1].errors);
        if (last && hung)
            snprintf(outcome[i].how, sizeof outcome[i].how, "still running after %d s", COMMAND_WALL_SECONDS);
        judge(&outcome[i], last ? status : end->code << 8);
    }
    if (!died && WIFEXITED(status) && WEXITSTATUS(status) == LEAK_CODE) {
        free(outcome[done - 1].errors);
        outcome[done - 1].errors = read_kept(errors, progress->end[done].errors, -1);
        snprintf(outcome[done - 1].how, sizeof outcome[done - 1].how,
                 "memory was lost by this command or one before it");
    }
    close(output);
    close(errors);
    forked_runs += done + died;
    return done + died;
}

void run_forked_all(const char *const *line, size_t count, const char *folder, bool leaks,
                    struct outcome *outcome)
{
    struct progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t done = 0; done < count;) {
        size_t most = count - done < COMMANDS_MAX ? count - done : COMMANDS_MAX;
        done += run_some(line + done, most, folder, leaks, outcome + done, progress);
    }
    munmap(progress, sizeof *progress);
}

struct outcome run_forked(const char *line, const char *folder, bool leaks)
{
    struct outcome outcome;
    run_forked_all(&line, 1, folder, leaks, &outcome);
    return outcome;
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->output);
    free(outcome->errors);
}
