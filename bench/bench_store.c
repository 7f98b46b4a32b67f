/* What the results file costs: appends, checkpoints, resuming and reading, at 10,000, 100,000 and a million
 * points. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernels/registry.h"
#include "store/store.h"

enum { SAMPLES = 10 };

static void require(int failed, const struct error *error)
{
    if (failed) {
        fprintf(stderr, "bench_store: %s\n", error->text);
        exit(1);
    }
}

static double file_mib(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (double)status.st_size / (1 << 20) : 0;
}

/* Times with as much noise as a real device's, so that compression finds no more than it would there. */
static void fill_result(struct result *result, struct sample *samples, uint64_t number, int device)
{
    result->device = device;
    result->stop = STOP_CONVERGED;
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = (struct sample){.seconds = 1e-3 * (1 + 1e-3 * drand48()), .sm_clock = 1.98e9};
    result->samples = samples;
    result->sample_count = SAMPLES;
    result->real[REAL_bytes_read] = result->real[REAL_bytes_written] = 1 << 30;
    result->real[REAL_flops] = 0;
    result->real[REAL_verified] = (double)number;
    result_summarise(result);
}

static void bench(const char *path, size_t points)
{
    const struct family *family = family_find("copy");
    const struct space *spaces[] = {&family->space, NULL};
    const struct store_head head = {
        .job = "job", .job_path = "job.yaml", .planned = points, .spaces = spaces};
    struct error error;
    struct store *store;
    require(store_open(path, false, &head, &store, &error), &error);
    struct device device = device_unknown();
    device.nominal = 4.8e12;
    int row = store_device(store, &device);

    struct sample samples[SAMPLES];
    struct point point = point_standard(&family->space);
    int axis = space_axis(&family->space, "offset");
    double summarising = 0, start = clock_now();
    for (size_t i = 0; i < points; i++) {
        struct result result = result_new();
        double before = clock_now();
        point.value[axis] = (int64_t)i;
        fill_result(&result, samples, i, row);
        result.id = point_id(&point);
        summarising += clock_now() - before;
        require(store_append(store, &point, &result, &error), &error);
        require(store_tick(store, &error), &error);
    }
    double appended = clock_now() - start - summarising;
    char journal[4096];
    snprintf(journal, sizeof journal, "%s.journal", path);
    double journal_size = file_mib(journal);

    start = clock_now();
    require(store_checkpoint(store, &error), &error);
    double checkpoint = clock_now() - start;
    start = clock_now();
    require(store_close(store, &error), &error);
    double closed = clock_now() - start;

    start = clock_now();
    require(store_open(path, true, &head, &store, &error), &error);
    double resumed = clock_now() - start;
    require(store_close(store, &error), &error);

    struct dataset dataset;
    start = clock_now();
    require(dataset_read(path, &dataset, &error), &error);
    double read = clock_now() - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%7zu points: %6.0f appends/s (checkpoints and syncs included), last checkpoint %.2f s, close "
           "%.2f s, resume %.2f s, read %.2f s, file %.1f MiB, journal at the end %.1f MiB, peak memory %.0f "
           "MiB\n",
           points, (double)points / appended, checkpoint, closed, resumed, read, file_mib(path), journal_size,
           (double)usage.ru_maxrss / 1024);
    if (dataset.results.rows != points) {
        fprintf(stderr, "bench_store: %zu rows instead of %zu\n", dataset.results.rows, points);
        exit(1);
    }
    dataset_free(&dataset);
    unlink(path);
}

int main(void)
{
    char folder[] = "/tmp/warpsweep-bench-XXXXXX", path[64];
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/results.h5", folder);
    bench(path, 10000);
    bench(path, 100000);
    bench(path, 1000000);
    rmdir(folder);
    return 0;
}
