/* A writer is killed with SIGKILL again and again, at random moments, and resumed, while a reader reads all
 * the time: FILE.h5 is always whole, no row that reached the kernel is lost, none is doubled, and the last
 * run completes. */
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "store_fixture.h"

enum { KILLS = 40, SECONDS = 9, POINTS_MAX = 1 << 16 };

/* What the writer tells the others, in shared memory. */
struct progress {
    atomic_uint_fast64_t written; /* points [0, written) were handed to the kernel */
    atomic_bool opened;           /* the store was open at least once */
    atomic_bool stop;             /* for the reader: enough */
    atomic_uint_fast64_t reads;   /* how often the reader read */
};
static struct progress *progress;
static char *file;

static void require(bool holds, const char *what, const struct error *error)
{
    if (holds)
        return;
    fprintf(stderr, "kill_writer: %s%s%s\n", what, error ? ": " : "", error ? error->text : "");
    _exit(1);
}

static void append(struct store *store, uint64_t number)
{
    struct error error;
    struct sample samples[4];
    struct point point = stream_point(number);
    struct result result = numbered_result(number, &point, samples);
    require(store_append(store, &point, &result, &error) == 0, "append", &error);
}

/* Resume and append until killed, or until `last` points are there. Checkpoints come often, so that kills hit
 * them; every tenth point is measured again, which must not double it. */
static void write_points(uint64_t last)
{
    struct error error;
    struct store *store;
    struct store_head head = fixture_head();
    struct device device = fixture_device();
    require(store_open(file, true, &head, &store, &error) == 0, "open", &error);
    progress->opened = true;
    store_device(store, &device);
    for (uint64_t i = 0; i < last; i++) {
        struct store_point there;
        struct point point = stream_point(i);
        if (store_find(store, point_id(&point), &there))
            continue;
        append(store, i);
        if (i % 10 == 9)
            append(store, i - 5);
        if (i % 7 == 0) {
            require(store_tick(store, &error) == 0, "tick", &error);
            progress->written = i + 1;
        }
        if (i % 50 == 49)
            require(store_checkpoint(store, &error) == 0, "checkpoint", &error);
    }
    require(store_close(store, &error) == 0, "close", &error);
}

/* Read the file: every row is whole and there once, and the points [0, least) are among them. Returns how
 * many. */
static uint64_t check_file(uint64_t least)
{
    struct dataset dataset;
    struct error error;
    require(dataset_read(file, &dataset, &error) == 0, "read", &error);
    uint64_t rows = dataset.results.rows;
    bool *seen = memory_new(POINTS_MAX, sizeof *seen);
    for (size_t row = 0; row < rows; row++) {
        uint64_t number = (uint64_t)(fixture_cell(&dataset.results, row, "size").integer >> 10) - 1;
        require(number < POINTS_MAX && fixture_row_is(&dataset, row, number),
                "a row is not as it was written", NULL);
        require(!seen[number], "a row is there twice", NULL);
        seen[number] = true;
    }
    for (uint64_t i = 0; i < least; i++)
        require(seen[i], "a row is lost", NULL);
    free(seen);
    dataset_free(&dataset);
    return rows;
}

static void read_all_the_time(void)
{
    while (!progress->stop) {
        uint64_t least = progress->written;
        if (!progress->opened)
            continue;
        check_file(least);
        progress->reads++;
    }
    _exit(0);
}

static void expect_success(pid_t child, const char *what)
{
    int status;
    waitpid(child, &status, 0);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0, what, NULL);
}

static int kill_again_and_again(void)
{
    double end = clock_now() + SECONDS;
    int kills = 0;
    srand48(20261120);
    while (kills < KILLS && clock_now() < end) {
        pid_t writer = fork();
        if (writer == 0) {
            write_points(POINTS_MAX);
            _exit(0);
        }
        nanosleep(&(struct timespec){.tv_nsec = (long)(2e8 * drand48())}, NULL);
        kill(writer, SIGKILL);
        int status;
        waitpid(writer, &status, 0);
        require(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the writer ended by itself", NULL);
        if (progress->opened)
            check_file(progress->written);
        kills++;
    }
    return kills;
}

int main(void)
{
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(progress != MAP_FAILED, "mmap", NULL);
    fixture_make_folder();
    file = fixture_path("results.h5");
    pid_t reader = fork();
    if (reader == 0)
        read_all_the_time();
    int kills = kill_again_and_again();
    uint64_t before = progress->opened ? check_file(progress->written) : 0;
    pid_t last = fork();
    if (last == 0) {
        write_points(before + 100);
        _exit(0);
    }
    expect_success(last, "the last run failed");
    progress->stop = true;
    expect_success(reader, "the reader failed");
    uint64_t rows = check_file(before + 100);
    require(rows == before + 100, "the last run did not complete", NULL);
    require(access(file, F_OK) == 0, "no file", NULL);
    struct text journal = {0};
    text_add(&journal, "%s.journal", file);
    require(access(journal.data, F_OK) != 0, "a clean end left its journal", NULL);
    printf("%d kills, %llu rows, %llu reads beside the writers\n", kills, (unsigned long long)rows,
           (unsigned long long)progress->reads);
    text_free(&journal);
    free(file);
    fixture_remove_folder();
    return 0;
}
