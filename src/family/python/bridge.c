#include "family/python/python.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "process/process.h"
#include "process/folders.h"

#define SCRIPT        "python/src/warpsweep", "_family.py"
#define PROBE_SECONDS 60.0                 /* a file system of a cluster may be slow */
#define ANSWER_MAX    (UINT32_C(64) << 20) /* bytes; longer than any description */

static int (*attached)(const char *request, void *to);

/* The interpreter as a child, and the lock over it. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct process child;
static bool started;
static char **load; /* the requests that loaded families; they live as long as the process */
static size_t loads, capacity;

/* The first that can load a family, else the first. Processes that we start use the same without trying. */
static const char *interpreter(void)
{
    static const char *const probe = "import sys; from importlib.util import find_spec as find\n"
                                     "sys.exit(sys.version_info < (3, 9) or not find('numpy'))";
    const char *chosen = NULL, *python;
    for (int i = 0; !chosen && process_python(1) && (python = process_python(i)); i++) {
        const char *const argv[] = {python, "-c", probe, NULL};
        struct text printed = {0};
        struct error error;
        if (process_run(&(struct process_options){.path = python, .argv = argv}, PROBE_SECONDS, &printed,
                        &error) == 0)
            chosen = python;
        text_free(&printed);
    }
    if (chosen)
        setenv(PYTHON_VARIABLE, chosen, 1);
    return process_python(0);
}

static int missing(struct error *error)
{
    return error_set(
        error, ERROR_ENVIRONMENT,
        "%.512s; families in Python need an interpreter: python3 of the PATH, or the one that the "
        "variable " PYTHON_VARIABLE " names",
        error->text);
}

/* Read `size` bytes from the pipe, which does not block. */
static int read_some(void *bytes, size_t size, double end)
{
    for (size_t got = 0; got < size;) {
        ssize_t n = read(child.from, (char *)bytes + got, size - got);
        if (n > 0)
            got += (size_t)n;
        else if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return -1;
        else if (clock_now() > end) {
            errno = ETIMEDOUT;
            return -1;
        } else
            poll(&(struct pollfd){.fd = child.from, .events = POLLIN}, 1, 100);
    }
    return 0;
}

static int give_up(double seconds, double end, struct error *error)
{
    char how[128];
    started = false; /* a new one has no families: the run ends by the errors of its points */
    if (clock_now() <= end && process_wait(&child, 2, how, sizeof how))
        return error_set(error, ERROR_ENVIRONMENT, "the Python interpreter %s%s",
                         strncmp(how, "killed", 6) ? "" : "was ", how);
    process_kill(&child);
    return error_set(error, ERROR_ENVIRONMENT, "the Python interpreter did not answer within %g s", seconds);
}

/* One request to a child that runs. */
static int exchange(const char *request, double seconds, struct text *answer, struct error *error)
{
    double end = clock_now() + seconds;
    uint32_t length = (uint32_t)strlen(request);
    if (io_write_full(child.to, &length, sizeof length) != 0 ||
        io_write_full(child.to, request, length) != 0 || read_some(&length, sizeof length, end) != 0 ||
        length < 1 || length > ANSWER_MAX)
        return give_up(seconds, end, error);
    char *text = memory_new((size_t)length + 1, 1);
    int failed = 0;
    if (read_some(text, length, end) != 0)
        failed = give_up(seconds, end, error);
    else if (*text != '1')
        failed = error_set(error, ERROR_USAGE, "%s", text + 1);
    else
        text_append(answer, text + 1, length - 1);
    free(text);
    return failed;
}

/* Start the interpreter, and let it load what an earlier one, which died, had loaded. */
static int start(struct error *error)
{
    char *path = shipped_file(SCRIPT, error);
    if (!path)
        return -1;
    const char *const argv[] = {interpreter(), path, "serve", NULL};
    char *setting = process_python_path(NULL);
    int failed = process_start(
        &child, &(struct process_options){.path = argv[0], .argv = argv, .setting = setting, .pipes = true},
        error);
    free(setting);
    free(path);
    if (failed)
        return missing(error);
    started = true;
    for (size_t i = 0; i < loads && !failed; i++) {
        struct text ignored = {0};
        failed = exchange(load[i], PYTHON_LOAD_SECONDS, &ignored, error);
        text_free(&ignored);
    }
    return failed;
}

static int ask_child(const char *request, double seconds, struct text *answer, struct error *error)
{
    if ((!started && start(error) != 0) || exchange(request, seconds, answer, error) != 0)
        return -1;
    if (!strncmp(request, "load\t", 5)) {
        load = memory_grow(load, loads, &capacity, sizeof *load);
        load[loads++] = memory_text(request);
    }
    return 0;
}

int python_ask(const char *request, double seconds, struct text *answer, struct error *error)
{
    if (attached) {
        struct text given = {0};
        int failed = 0;
        if (attached(request, &given) != 1)
            failed = error_set(error, ERROR_USAGE, "%s", given.data ? given.data : "Python gave no answer");
        else if (given.length)
            text_append(answer, given.data, given.length);
        text_free(&given);
        return failed;
    }
    pthread_mutex_lock(&mutex);
    int failed = ask_child(request, seconds, answer, error);
    pthread_mutex_unlock(&mutex);
    return failed;
}

bool python_is_attached(void)
{
    return attached != NULL;
}

int python_become(int argc, char *const *argv, struct error *error)
{
    char *path = shipped_file(SCRIPT, error),
         *library = path ? shipped_auxiliary("libwarpsweep-worker.so") : NULL;
    const char **arguments = memory_new((size_t)argc + 5, sizeof *arguments);
    int failed = -1;
    if (path && !library)
        error_set(
            error, ERROR_ENVIRONMENT,
            "cannot find libwarpsweep-worker.so, which runs families in Python; a build with sanitizers "
            "has none");
    if (path && library) {
        const char *const first[] = {interpreter(), path, "worker", library};
        memcpy(arguments, first, sizeof first);
        memcpy(arguments + 4, argv, (size_t)argc * sizeof *argv);
        putenv(process_python_path(NULL)); /* which keeps it */
        process_become(arguments, error);
        missing(error);
    }
    free(arguments);
    free(library);
    free(path);
    return failed;
}

void python_attach(int (*ask)(const char *request, void *to))
{
    attached = ask;
}

void python_answer(void *to, const char *text, size_t length)
{
    text_append(to, text, length);
}
