/* What a run that is gone on with holds in memory for each row that is there: rows and samples themselves are kept out of
 * it, keys are not, nor the texts of ids once the rows are needed. Two files are loaded, each by a process of its own; the
 * difference of their peaks is that of their rows: where nothing is left to do, and where a row comes. Then the same of
 * rows that only a journal has: there the work is held, too, which is to grow with the rows and no faster, and to write
 * none of them anew. */
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "store_fixture.h"

enum { FEW = 10000, MANY = 110000, IDLE_MOST = 150, FILE_MOST = 300 };
enum { WRITTEN_MOST = 1 << 16, GROWTH_MOST = 3 }; /* bytes; times the rows' growth */

struct cost {
    long kib;         /* peak */
    double seconds;   /* of the processor, system's included */
    uint64_t written; /* bytes that were handed to the kernel */
};

static void require(bool holds, const struct error *error)
{
    if (holds)
        return;
    fprintf(stderr, "resume_memory: %s\n", error->text);
    exit(1);
}

static void make(const char *path, uint64_t rows, bool killed)
{
    struct error error;
    struct store *store;
    struct store_head head = fixture_head();
    struct device device = fixture_device();
    require(store_open(path, false, &head, &store, &error) == 0, &error);
    store_device(store, &device);
    for (uint64_t i = 0; i < rows; i++) {
        struct sample samples[4];
        struct point point = stream_point(i);
        struct result result = numbered_result(i, &point, samples);
        require(store_append(store, &point, &result, &error) == 0, &error);
    }
    if (killed)
        _exit(0); /* no tick, so no checkpoint either: all rows are in the journal */
    require(store_close(store, &error) == 0, &error);
}

static void make_killed(const char *path, uint64_t rows)
{
    struct error died = {.text = "a writer failed"};
    int status;
    pid_t writer = fork();
    if (writer == 0)
        make(path, rows, true);
    waitpid(writer, &status, 0);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0, &died);
}

/* Bytes that this process has written so far; whatever they were written to. */
static uint64_t written_bytes(void)
{
    uint64_t bytes = UINT64_MAX;
    char line[128];
    FILE *io = fopen("/proc/self/io", "r");
    while (io && fgets(line, sizeof line, io))
        if (sscanf(line, "wchar: %" SCNu64, &bytes) == 1)
            break;
    if (io)
        fclose(io);
    return bytes;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* In a process of its own: load and begin, as a resumed run does, and print what it cost. `needed`: with a row that
 * comes, so that those of the file are brought in. */
static int resume(const char *path, bool needed)
{
    struct error error;
    struct store *store;
    struct store_head head = fixture_head();
    struct rusage usage;
    require(store_open(path, true, &head, &store, &error) == 0, &error);
    if (needed) {
        struct sample samples[4];
        struct point point = stream_point(MANY), old = stream_point(0);
        struct result result = numbered_result(MANY, &point, samples);
        require(store_append(store, &point, &result, &error) == 0, &error);
        store_find_row(store, point_id(&old)); /* waits for it */
    }
    getrusage(RUSAGE_SELF, &usage);
    uint64_t written = written_bytes();
    printf("%ld %g %" PRIu64 "\n", usage.ru_maxrss, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
           written);
    fflush(stdout);
    _exit(0); /* no end: the next one is to find the same */
}

static struct cost cost_of(const char *program, const char *path, bool needed)
{
    struct text command = {0};
    struct cost cost;
    text_add(&command, "'%s' '%s'%s", program, path, needed ? " needed" : "");
    FILE *output = popen(command.data, "r");
    bool read = output && fscanf(output, "%ld %lf %" SCNu64, &cost.kib, &cost.seconds, &cost.written) == 3;
    if (!output || pclose(output) != 0 || !read) {
        fprintf(stderr, "resume_memory: %s failed\n", command.data);
        exit(1);
    }
    text_free(&command);
    return cost;
}

/* Whether the peak grows by no more than `most` bytes a row. */
static bool holds(const char *program, const char *what, const char *few, const char *many, bool needed,
                  int most)
{
    long before = cost_of(program, few, needed).kib, after = cost_of(program, many, needed).kib;
    double bytes = 1024.0 * (double)(after - before) / (MANY - FEW);
    printf("%s: %d rows: %ld KiB, %d rows: %ld KiB, %.0f bytes a row (at most %d)\n", what, FEW, before, MANY,
           after, bytes, most);
    return bytes <= most;
}

/* Whether a killed run's rows are neither written anew nor gone over more than a few times. The shorter of several
 * times counts: other processes may lengthen one. */
static bool holds_work(const char *program, const char *few, const char *many)
{
    enum { TIMES = 3 };
    struct cost before = {.seconds = HUGE_VAL}, after = {.seconds = HUGE_VAL};
    for (int i = 0; i < TIMES; i++) {
        struct cost less = cost_of(program, few, false), more = cost_of(program, many, false);
        before = less.seconds < before.seconds ? less : before;
        after = more.seconds < after.seconds ? more : after;
    }
    double most = GROWTH_MOST * (double)MANY / FEW * before.seconds;
    printf("journal: %d rows: %.3f s, %d rows: %.3f s (at most %.3f); %" PRIu64
           " bytes written (at most %d)\n",
           FEW, before.seconds, MANY, after.seconds, most, after.written, WRITTEN_MOST);
    return after.seconds <= most && after.written <= WRITTEN_MOST;
}

int main(int argc, char **argv)
{
#ifdef __SANITIZE_ADDRESS__ /* which keeps what is released, and puts room around everything */
    (void)argc, (void)argv;
    printf("skipped: AddressSanitizer's own memory would be measured\n");
    return 77;
#endif
    if (argc > 1)
        return resume(argv[1], argc > 2);
    fixture_make_folder();
    char *few = fixture_path("few.h5"), *many = fixture_path("many.h5");
    char *few_killed = fixture_path("few-killed.h5"), *many_killed = fixture_path("many-killed.h5");
    make(few, FEW, false);
    make(many, MANY, false);
    make_killed(few_killed, FEW);
    make_killed(many_killed, MANY);
    bool idle = holds(argv[0], "file, nothing to do", few, many, false, IDLE_MOST);
    bool file = holds(argv[0], "file", few, many, true, FILE_MOST);
    bool work = holds_work(argv[0], few_killed, many_killed);
    bool journal = holds(argv[0], "journal", few_killed, many_killed, false, FILE_MOST);
    free(few);
    free(many);
    free(few_killed);
    free(many_killed);
    fixture_remove_folder();
    return !(idle && file && journal && work);
}
