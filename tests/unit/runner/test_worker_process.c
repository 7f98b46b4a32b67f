/* Requests to a real worker that reads them late, or never. */
#include "unit_test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/io.h"
#include "kernels/registry.h"
#include "process/host_memory.h"
#include "runner/worker_link.h"

/* The processes that this one has started, as text. */
static const char *children(void)
{
    static char list[256];
    assert_true(io_read_line(list, sizeof list, "/proc/self/task/%d/children", (int)getpid()));
    return list;
}

enum { POINTS = 10000 }; /* in a frame of a megabyte; a pipe has 64 KiB */

/* A worker that opens its device for so long, and a request that it does not read before. */
static struct worker_link *ask(const char *opening)
{
    struct error error;
    struct wire request = {0};
    struct point point = point_standard(family_space("copy"));
    struct worker_link *link = worker_link_new();
    setenv("WARPSWEEP_FAKE", opening, 1);
    assert_int_equal(worker_link_start(link, "fake", 0, "", &error), 0);
    unsetenv("WARPSWEEP_FAKE");
    wire_put_u32(&request, POINTS);
    for (int i = 0; i < POINTS; i++)
        wire_put_point(&request, &point);
    assert_true(request.length > 500000);
    double began = clock_now();
    worker_link_send(link, WIRE_COMPILE, &request);
    assert_true(clock_now() - began < 5);
    wire_free(&request);
    return link;
}

static void end(struct worker_link *link)
{
    worker_link_kill(link);
    for (double until = clock_now() + 20; !worker_link_is_free(link) && clock_now() < until;)
        usleep(1000);
    worker_link_free(link);
}

/* The rank goes on: it can see its deadline, and kill the worker. */
TEST(never_reads)
{
    enum wire_type type;
    struct wire_reader payload;
    char why[192];
    struct worker_link *link = ask("open=60s");
    assert_int_equal(worker_link_next(link, &type, &payload, why, sizeof why), LINK_QUIET);
    end(link);
}

TEST(reads_late)
{
    enum wire_type type;
    struct wire_reader payload;
    char why[192];
    int compiled = 0;
    struct worker_link *link = ask("open=300ms");
    for (double until = clock_now() + 60; compiled < POINTS && clock_now() < until;) {
        enum link_event event = worker_link_next(link, &type, &payload, why, sizeof why);
        assert_true(event == LINK_QUIET || event == LINK_MESSAGE);
        compiled += event == LINK_MESSAGE && type == WIRE_COMPILED;
        if (event == LINK_QUIET)
            usleep(200);
    }
    assert_int_equal(compiled, POINTS);
    end(link);
}

/* It opens no device, leaves the processors to others, and ends when it is told to. */
TEST(only_compiles)
{
    enum wire_type type;
    struct wire_reader payload;
    struct wire request = {0};
    char why[192];
    struct error error;
    struct point point = point_standard(family_space("copy"));
    struct worker_link *link = worker_link_new();
    setenv("WARPSWEEP_FAKE", "open=60s", 1);
    assert_int_equal(worker_link_start_compiler(link, "fake", &error), 0);
    unsetenv("WARPSWEEP_FAKE");
    wire_put_u32(&request, 1);
    wire_put_point(&request, &point);
    worker_link_send(link, WIRE_COMPILE, &request);
    wire_free(&request);
    enum link_event event = LINK_QUIET;
    for (double until = clock_now() + 20; clock_now() < until; usleep(200)) {
        event = worker_link_next(link, &type, &payload, why, sizeof why);
        if (event != LINK_QUIET && (event != LINK_MESSAGE || type != WIRE_PHASES))
            break;
    }
    assert_int_equal(event, LINK_MESSAGE);
    assert_int_equal(type, WIRE_COMPILED);
    assert_int_equal(getpriority(PRIO_PROCESS, (id_t)atoi(children())), 19);
    end(link);
}

static bool says_hello(struct worker_link *link)
{
    enum wire_type type;
    struct wire_reader payload;
    char why[192];
    for (double until = clock_now() + 20; clock_now() < until; usleep(200))
        if (worker_link_next(link, &type, &payload, why, sizeof why) == LINK_MESSAGE)
            return type == WIRE_HELLO;
    return false;
}

/* ---- A worker that is killed ---- */

static struct host_memory memory; /* of the control group, for the test */

struct host_memory __wrap_host_memory_read(const char *root)
{
    return memory;
}

/* What is said of one that SIGKILL ends while its group's count of such ends goes from `before` to
 * `after`. */
static const char *end_of_killed(int64_t before, int64_t after, int64_t limit)
{
    static char why[192];
    enum wire_type type;
    struct wire_reader payload;
    memory = (struct host_memory){.limit = limit, .kills = before};
    struct worker_link *link = ask("open=60s");
    memory.kills = after;
    signal(SIGPIPE, SIG_IGN); /* as in a rank */
    assert_int_equal(kill(atoi(children()), SIGKILL), 0);
    enum link_event event = LINK_QUIET;
    for (double until = clock_now() + 20; event == LINK_QUIET && clock_now() < until; usleep(200))
        event = worker_link_next(link, &type, &payload, why, sizeof why);
    assert_int_equal(event, LINK_GONE);
    end(link);
    return why;
}

TEST(killed_for_lack_of_memory)
{
    assert_string_equal(end_of_killed(3, 3, 1 << 29), "the worker was killed by signal 9 (Killed)");
    assert_string_equal(end_of_killed(-1, -1, -1), "the worker was killed by signal 9 (Killed)");
    assert_string_equal(end_of_killed(3, 4, -1),
                        "the worker was killed by signal 9 (Killed) for lack of memory");
    assert_string_equal(
        end_of_killed(0, 1, 1 << 29),
        "the worker was killed by signal 9 (Killed) for lack of memory: its control group may "
        "use 0.5 GiB");
}

/* One that was dismissed but does not leave, and one that was killed beside it: both must be gone before
 * anything is measured. */
TEST(two_ends)
{
    struct error error;
    struct worker_link *link = ask("open=60s");
    worker_link_dismiss(link);
    setenv("WARPSWEEP_FAKE", "open=60s", 1);
    assert_int_equal(worker_link_start(link, "fake", 0, "", &error), 0);
    unsetenv("WARPSWEEP_FAKE");
    worker_link_kill(link);
    usleep(1100000); /* a second for the first, which is killed then */
    end(link);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
}

/* A spare opens its device as soon as it is used, and only if it was started in the same way. */
TEST(spares)
{
    struct error error;
    struct worker_link *link = worker_link_new();
    worker_link_prepare(link, 1, "fake", 0, "");
    assert_false(worker_link_is_up(link));
    struct greeting greeting;
    assert_int_equal(worker_link_start(link, "fake", 0, "", &error), 0);
    assert_true(worker_link_peek(link, 20, &greeting)); /* which leaves the message */
    assert_true(says_hello(link));
    worker_link_prepare(link, 1, "fake", 1, "");
    worker_link_dismiss(link); /* the next one starts beside it */
    assert_true(worker_link_is_leaving(link));
    assert_int_equal(worker_link_start(link, "fake", 0, "", &error),
                     0); /* another local rank: not the spare */
    assert_true(says_hello(link));
    worker_link_kill(link);
    worker_link_prepare(link, 2, "fake", 0, "");
    setenv("WARPSWEEP_FAKE", "open=60s", 1); /* of one that is started from here on */
    for (int i = 0; i < 2; i++) {
        while (!worker_link_is_free(link))
            usleep(1000);
        assert_int_equal(worker_link_start(link, "fake", 0, "", &error), 0);
        assert_true(says_hello(link));
        worker_link_kill(link);
    }
    unsetenv("WARPSWEEP_FAKE");
    worker_link_prepare(link, 2, "fake", 0, "");
    end(link);                                        /* with its spares */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
}
