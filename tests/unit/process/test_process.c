/* Child processes: pipes, end, and description of the end. */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "unit_test.h"

#include "base/clock.h"
#include "base/io.h"
#include "process/process.h"

static int start(struct process *process, const char *path, const char *const *argv, struct error *error)
{
    return process_start(process, &(struct process_options){.path = path, .argv = argv, .pipes = true},
                         error);
}

static struct process start_shell(const char *script)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct process process;
    struct error error = {0};
    assert_int_equal(start(&process, "/bin/sh", argv, &error), 0);
    assert_true(process.pid > 0);
    return process;
}

/* What the child writes to its PROCESS_OUT until it closes it. */
static void read_all(const struct process *process, char *out, size_t size)
{
    fcntl(process->from, F_SETFL, 0); /* block */
    ssize_t got = io_read_full(process->from, out, size - 1);
    out[got > 0 ? got : 0] = '\0';
}

static void await_end(struct process *process, char *how, size_t size)
{
    if (!process_wait(process, 20, how, size))
        fail_msg("the child did not end");
}

TEST(talks_over_its_pipes)
{
    char answer[32], how[128];
    struct process process = start_shell("read word <&3; echo \"got $word\" >&4");
    assert_int_equal(write(process.to, "hello\n", 6), 6);
    read_all(&process, answer, sizeof answer);
    assert_string_equal(answer, "got hello\n");
    await_end(&process, how, sizeof how);
    assert_string_equal(how, "exited with status 0");
    assert_int_equal(process.pid, 0);
    assert_int_equal(process.from, -1);
}

TEST(reading_does_not_block)
{
    char byte;
    struct process process = start_shell("read word <&3");
    assert_int_equal(read(process.from, &byte, 1), -1);
    process_kill(&process);
}

TEST(sees_the_end_of_its_input)
{
    char how[128];
    struct process process = start_shell("cat <&3 >/dev/null; exit 5");
    assert_false(process_ended(&process, how, sizeof how));
    process_close_input(&process);
    await_end(&process, how, sizeof how);
    assert_string_equal(how, "exited with status 5");
}

TEST(signal_is_named)
{
    char how[128];
    struct process process = start_shell("kill -SEGV $$");
    await_end(&process, how, sizeof how);
    assert_string_equal(how, "killed by signal 11 (Segmentation fault)");
}

TEST(missing_program)
{
    const char *const argv[] = {"nothing", NULL};
    struct process process;
    struct error error = {0};
    assert_int_equal(start(&process, "/nonexistent/warpsweep-worker", argv, &error), -1);
    assert_int_equal(error.kind, ERROR_ENVIRONMENT);
    assert_non_null(strstr(error.text, "/nonexistent/warpsweep-worker"));
    assert_non_null(strstr(error.text, "No such file or directory"));
    assert_int_equal(process.pid, 0);
    process_kill(&process); /* nothing to do, and no harm */
}

TEST(not_executable)
{
    const char *const argv[] = {"passwd", NULL};
    struct process process;
    struct error error = {0};
    assert_int_equal(start(&process, "/etc/passwd", argv, &error), -1);
    assert_non_null(strstr(error.text, "Permission denied"));
}

/* The child has 0 to 4 and nothing else of ours; its stdin is empty and its stdout is its stderr. */
TEST(inherits_nothing)
{
    char answer[256], script[256];
    int ours = fcntl(STDERR_FILENO, F_DUPFD, 7); /* without O_CLOEXEC, as MPI libraries open some */
    assert_true(ours > PROCESS_OUT + 1);
    snprintf(script, sizeof script,
             "for f in 0 1 2 3 4 %d; do [ -e /proc/$$/fd/$f ] && echo $f >&4; done; cat >&4;"
             "[ /proc/$$/fd/1 -ef /proc/$$/fd/2 ] && echo same >&4",
             ours);
    struct process process = start_shell(script);
    read_all(&process, answer, sizeof answer);
    close(ours);
    process_kill(&process);
    assert_string_equal(answer, "0\n1\n2\n3\n4\nsame\n");
}

TEST(signals_are_reset)
{
    char how[128];
    signal(SIGPIPE, SIG_IGN);
    struct process process = start_shell("kill -PIPE $$; exit 1");
    await_end(&process, how, sizeof how);
    assert_string_equal(how, "killed by signal 13 (Broken pipe)");
    signal(SIGPIPE, SIG_DFL);
}

TEST(kill_ends_a_stubborn_child)
{
    struct process process = start_shell("trap '' TERM INT; while :; do sleep 1; done");
    pid_t pid = process.pid;
    process_kill(&process);
    assert_int_equal(kill(pid, 0), -1);
    process_kill(&process);
}

static int run(const char *script, double seconds, struct text *printed, struct error *error)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    return process_run(&(struct process_options){.path = "sh", .argv = argv, .setting = "WARPSWEEP_TEST=new"},
                       seconds, printed, error);
}

TEST(runs_to_the_end)
{
    struct text printed = {0};
    struct error error = {0};
    setenv("WARPSWEEP_TEST", "old", 1);
    assert_int_equal(
        run("echo \"out $WARPSWEEP_TEST\"; echo err >&2; for f in 3 4; do [ -e /proc/$$/fd/$f ] && "
            "echo open; done; :",
            20, &printed, &error),
        0);
    assert_string_equal(printed.data, "out new\nerr\n");
    text_free(&printed);
}

TEST(run_reports_failures)
{
    const char *const argv[] = {"no-such-program", NULL};
    struct text printed = {0};
    struct error error = {0};
    assert_int_equal(run("echo why; exit 3", 20, &printed, &error), -1);
    assert_string_equal(error.text, "sh exited with status 3");
    assert_string_equal(printed.data, "why\n");
    assert_int_equal(run("kill -KILL $$", 20, &printed, &error), -1);
    assert_string_equal(error.text, "sh was killed by signal 9 (Killed)");
    assert_int_equal(run("sleep 20", 0.05, &printed, &error), -1);
    assert_string_equal(error.text, "sh did not finish within 0.05 s");
    text_free(&printed);
    assert_int_equal(process_run(&(struct process_options){.path = *argv, .argv = argv}, 1, &printed, &error),
                     -1);
    assert_non_null(strstr(error.text, "cannot execute no-such-program"));
}

/* More than is kept: the rest is read all the same, or the child would stand still. */
TEST(run_keeps_a_part)
{
    struct text printed = {0};
    struct error error = {0};
    assert_int_equal(run("head -c 1000000 /dev/zero | tr '\\0' x", 20, &printed, &error), 0);
    assert_in_range(printed.length, 64 << 10, 80 << 10);
    text_free(&printed);
}

/* In a process of its own, whose limits and rules go with it: its exit status. */
static int in_a_child(int (*what)(void))
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(what());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A worker either has its pipes, or is not started: 0 for each limit from the fewest descriptors on. */
static int start_with_few_descriptors(void)
{
    int started = 0, refused = 0;
    for (rlim_t most = 6; most < 32; most++) {
        const char *const argv[] = {"sh", "-c", "echo well >&4", NULL};
        struct process process;
        struct error error = {0};
        char answer[32] = "", how[128];
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){most, 4096});
        if (start(&process, "/bin/sh", argv, &error) != 0) {
            refused++;
            if (!*error.text)
                return 1;
            continue;
        }
        if (most <= 10) { /* a shell that redirects needs number 10 */
            process_kill(&process);
            continue;
        }
        started++;
        fcntl(process.from, F_SETFL, 0);
        if (io_read_full(process.from, answer, 5) != 5 || strcmp(answer, "well\n") != 0)
            return 2;
        process_wait(&process, 20, how, sizeof how);
    }
    return started && refused ? 0 : 3;
}

TEST(few_descriptors)
{
    assert_int_equal(in_a_child(start_with_few_descriptors), 0);
}

/* Older kernels and some containers: the call fails. Nothing is inherited all the same, and exec is seen at
 * once. */
static int start_without_close_range(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 77;
    int inherited = open("/dev/null", O_RDONLY); /* not closed by exec */
    const char *const argv[] = {"sh", "-c", "ls /proc/self/fd >&4; sleep 1", NULL};
    struct process process;
    struct error error = {0};
    char answer[256], how[128];
    double before = clock_now();
    if (fcntl(inherited, F_DUPFD, 100) != 100 || start(&process, "/bin/sh", argv, &error) != 0)
        return 1;
    if (clock_now() - before > 0.9)
        return 2; /* the pipe that tells of exec has stayed open */
    read_all(&process, answer, sizeof answer);
    process_wait(&process, 20, how, sizeof how);
    return strstr(answer, "100") ? 3 : 0;
}

TEST(without_close_range)
{
    int code = in_a_child(start_without_close_range);
    if (code == 77)
        skip(); /* no seccomp here */
    assert_int_equal(code, 0);
}
