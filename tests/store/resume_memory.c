/* What resuming costs: a file of a million rows within 10 s of processor time and 300 MB; a journal that holds all rows within
 * 300 bytes a row, in a time that grows with the rows and no faster, and without writing any of them again. Each resume
 * runs in a process of its own, whose peak and time are measured. */
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "store_fixture.h"

enum { FEW = 10000, MANY = 110000, ROW_MAX = 300 };             /* rows; bytes a row */
enum { MILLION = 1000000, SECONDS_MAX = 10, KIB_MAX = 292968 }; /* 300 MB */
enum { WRITTEN_MAX = 1 << 16, GROWTH_MAX = 3 };                 /* bytes; times the rows' growth */

struct cost {
    long kib;         /* peak */
    double seconds;   /* of the processor, system's included */
    double wall;      /* seconds */
    uint64_t written; /* bytes that were given to the kernel */
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

/* In a process of its own: resume and print what it cost. */
static int resume(const char *path)
{
    struct error error;
    struct store *store;
    struct store_head head = fixture_head();
    struct rusage usage;
    double start = clock_now();
    require(store_open(path, true, &head, &store, &error) == 0, &error);
    double wall = clock_now() - start;
    getrusage(RUSAGE_SELF, &usage);
    uint64_t written = written_bytes();
    printf("%ld %g %g %" PRIu64 "\n", usage.ru_maxrss,
           seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), wall, written);
    fflush(stdout);
    _exit(0); /* without an end: the next process is to find the same files */
}

static struct cost cost_of(const char *program, const char *path)
{
    struct text command = {0};
    struct cost cost;
    text_add(&command, "'%s' '%s'", program, path);
    FILE *output = popen(command.data, "r");
    bool read = output && fscanf(output, "%ld %lf %lf %" SCNu64, &cost.kib, &cost.seconds, &cost.wall,
                                 &cost.written) == 4;
    if (!output || pclose(output) != 0 || !read) {
        fprintf(stderr, "resume_memory: %s failed\n", command.data);
        exit(1);
    }
    text_free(&command);
    return cost;
}

/* Its processor time counts: the wall time depends on what else the machine does. */
static bool check_million(const char *program, const char *path)
{
    struct cost cost = cost_of(program, path);
    printf("file: %d rows: %.2f s of the processor (at most %d), %.2f s in all, %ld KiB (at most %d)\n",
           MILLION, cost.seconds, SECONDS_MAX, cost.wall, cost.kib, KIB_MAX);
    return cost.seconds <= SECONDS_MAX && cost.kib <= KIB_MAX;
}

/* The peak of a resume with nothing but a journal grows by at most ROW_MAX bytes a row. */
static bool check_memory(const char *program, const char *few, const char *many)
{
    long before = cost_of(program, few).kib, after = cost_of(program, many).kib;
    double bytes = 1024.0 * (double)(after - before) / (MANY - FEW);
    printf("journal: %d rows: %ld KiB, %d rows: %ld KiB, %.0f bytes a row (at most %d)\n", FEW, before, MANY,
           after, bytes, ROW_MAX);
    return bytes <= ROW_MAX;
}

/* A killed run's rows are neither written again nor passed over more than a few times. The shortest of several times
 * counts: other processes may lengthen one. */
static bool check_work(const char *program, const char *few, const char *many)
{
    enum { TIMES = 3 };
    struct cost before = {.seconds = HUGE_VAL}, after = {.seconds = HUGE_VAL};
    for (int i = 0; i < TIMES; i++) {
        struct cost less = cost_of(program, few), more = cost_of(program, many);
        before = less.seconds < before.seconds ? less : before;
        after = more.seconds < after.seconds ? more : after;
    }
    double most = GROWTH_MAX * (double)MANY / FEW * before.seconds;
    printf("journal: %d rows: %.3f s, %d rows: %.3f s (at most %.3f); %" PRIu64
           " bytes written (at most %d)\n",
           FEW, before.seconds, MANY, after.seconds, most, after.written, WRITTEN_MAX);
    return after.seconds <= most && after.written <= WRITTEN_MAX;
}

int main(int argc, char **argv)
{
#ifdef __SANITIZE_ADDRESS__ /* which keeps what is released, and puts room around everything */
    (void)argc, (void)argv;
    printf("skipped: AddressSanitizer's own memory would be measured\n");
    return 77;
#endif
    if (argc > 1)
        return resume(argv[1]);
    fixture_make_folder();
    char *million = fixture_path("million.h5");
    char *few = fixture_path("few.h5"), *many = fixture_path("many.h5"); /* journals alone */
    make(million, MILLION, false);
    make_killed(few, FEW);
    make_killed(many, MANY);
    bool file = check_million(argv[0], million);
    bool memory = check_memory(argv[0], few, many), work = check_work(argv[0], few, many);
    free(million);
    free(few);
    free(many);
    fixture_remove_folder();
    return !(file && memory && work);
}
