/* What a run that is gone on with holds in memory for each row that is there: rows and samples themselves are kept out of
 * it, keys are not, nor the texts of ids once the rows are needed. Two files are loaded, each by a process of its own; the
 * difference of their peaks is that of their rows: where nothing is left to do, and where a row comes. Then the same of
 * rows that only a journal has, which the new file's own bytes come to. */
#include <sys/resource.h>
#include <sys/wait.h>

#include "store_fixture.h"

enum { FEW = 10000, MANY = 110000, IDLE_MOST = 150, FILE_MOST = 300, JOURNAL_MOST = 600 };

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

/* In a process of its own: load and begin, as a resumed run does, and print the peak in KiB. `needed`: with a row that
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
    require(store_close(store, &error) == 0, &error);
    printf("%ld\n", usage.ru_maxrss);
    return 0;
}

static long peak_of(const char *program, const char *path, bool needed)
{
    struct text command = {0};
    long kib = 0;
    text_add(&command, "'%s' '%s'%s", program, path, needed ? " needed" : "");
    FILE *output = popen(command.data, "r");
    bool read = output && fscanf(output, "%ld", &kib) == 1;
    if (!output || pclose(output) != 0 || !read) {
        fprintf(stderr, "resume_memory: %s failed\n", command.data);
        exit(1);
    }
    text_free(&command);
    return kib;
}

/* Whether the peak grows by no more than `most` bytes a row. */
static bool holds(const char *program, const char *what, const char *few, const char *many, bool needed,
                  int most)
{
    long before = peak_of(program, few, needed), after = peak_of(program, many, needed);
    double bytes = 1024.0 * (double)(after - before) / (MANY - FEW);
    printf("%s: %d rows: %ld KiB, %d rows: %ld KiB, %.0f bytes a row (at most %d)\n", what, FEW, before, MANY,
           after, bytes, most);
    return bytes <= most;
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
    bool journal = holds(argv[0], "journal", few_killed, many_killed, false, JOURNAL_MOST);
    free(few);
    free(many);
    free(few_killed);
    free(many_killed);
    fixture_remove_folder();
    return !(idle && file && journal);
}
