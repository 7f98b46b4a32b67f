/* bench_efficiency.c - how well the coordinator keeps many GPUs busy: simulated ranks take for every point as
 * long as it took in a results file.
 *
 * bench_efficiency FILE.h5 JOB.yaml [NODES [GPUS_PER_NODE [COUNTERS [PROFILER COUNT [START OPEN]]]]]. The
 * file has all points of the job. The profiler takes PROFILER seconds per batch, and COUNT per point; without
 * them, what the file says. Each access of a warp that the file has counted takes another 0.9 ns. A process
 * starts in START seconds, and a run takes OPEN seconds before its first point.
 *
 * Terms that four GPUs showed: a process is renewed after points that load the host link, which one rank of a
 * node has; what the driver does for the profiler takes longer where several ranks of a node count. */
#include <math.h>

#include "../tests/unit/simulated_run.h"

/* An access of a warp that CUPTI counts at the instruction: 0.6 to 0.9 ns measured on an H200. */
#define SECONDS_PER_REQUEST 0.9e-9

/* For each other rank of the node that counts: 1.55 and 2.9 s for a batch of 1.1 s where two and four did
 * (four H200s, two rounds of 32 launches). */
#define SERIALISED 0.5

/* Seconds of the file's points, by id. */
static struct {
    uint64_t id;
    double first, again; /* of the first process, and of each other one */
    double requests;     /* accesses of warps */
    bool measured;       /* a point of the job */
} * known;
static size_t known_count;
static double start_seconds, open_seconds, profiler_seconds, count_seconds;

/* The coordinator's clock shows made-up time (the linker's --wrap), because it learns how long counting
 * takes. */
static double now;

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    if (clock != CLOCK_MONOTONIC)
        return __real_clock_gettime(clock, time);
    *time = (struct timespec){1000 + (time_t)now, (long)(1e9 * (now - floor(now)))};
    return 0;
}

static int compare_known(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static size_t find_known(uint64_t id)
{
    size_t low = 0, high = known_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (known[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == known_count || known[low].id != id) {
        printf("point %016llx is not in the file\n", (unsigned long long)id);
        exit(1);
    }
    return low;
}

static double seconds_of(uint64_t id, bool replicate, bool count)
{
    size_t point = find_known(id);
    known[point].measured = true;
    if (count)
        return count_seconds + SECONDS_PER_REQUEST * known[point].requests;
    return replicate ? known[point].again : known[point].first;
}

/* The access model is as good as exact. */
static double accesses_of(uint64_t id)
{
    return known[find_known(id)].requests;
}

/* A worker's start and the counting of a point, on average, from the timeline. */
static void read_timeline(const struct dataset *dataset, size_t counted)
{
    size_t starts = 0;
    for (size_t row = 0; row < dataset->timeline.rows; row++) {
        const union cell *span = frame_row(&dataset->timeline, row);
        double seconds = span[TIMELINE_end].real - span[TIMELINE_start].real;
        int phase = text_find(phase_words, span[TIMELINE_phase].text);
        if (isnan(seconds) || strcmp(span[TIMELINE_lane].text, lane_words[LANE_RANK]) != 0)
            continue;
        if (phase >= PHASE_energy && phase <= PHASE_count_decode)
            count_seconds += seconds / (double)counted;
        if (phase == PHASE_start || phase == PHASE_context)
            start_seconds += seconds;
        starts += phase == PHASE_start ? (size_t)span[TIMELINE_parts].integer : 0;
    }
    start_seconds /= starts ? (double)starts : 1;
}

static double requests_of(const struct frame *results, size_t row)
{
    static const char *const columns[] = {"load_requests", "store_requests", "async_copy_requests",
                                          "shared_load_requests", "shared_store_requests"};
    double sum = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double requests = frame_find_real(results, row, columns[i]);
        sum += isnan(requests) ? 0 : requests;
    }
    return sum;
}

static int read_file(const char *path)
{
    struct dataset dataset;
    struct error error = {0};
    if (dataset_read(path, &dataset, &error) != 0) {
        printf("%s\n", error.text);
        return -1;
    }
    const struct frame *results = &dataset.results;
    size_t counted = 0;
    known = memory_new(results->rows + 1, sizeof *known);
    for (size_t i = 0; i < results->rows; i++) {
        double total = frame_find_real(results, i, "seconds_total"),
               once = frame_find_real(results, i, "seconds_verify") +
                      frame_find_real(results, i, "seconds_compile");
        if (frame_row(results, i)[frame_find(results, "repeat")].integer || isnan(total))
            continue;
        counted += !strcmp(frame_find_text(results, i, "counters_status"), "counted");
        known[known_count].id = strtoull(frame_find_text(results, i, "id"), NULL, 16);
        known[known_count].first = total;
        known[known_count].requests = requests_of(results, i);
        known[known_count++].again = isnan(once) ? total : total - once;
    }
    qsort(known, known_count, sizeof *known, compare_known);
    read_timeline(&dataset, counted);
    dataset_free(&dataset);
    return 0;
}

/* No schedule is shorter: what the ranks do, divided equally, or what one of them does that has only the
 * longest point: its counting and replicates, and canaries. */
static double least_span(const struct simulation_outcome *outcome, int ranks, bool counts)
{
    double further = (double)outcome->replicates / (double)outcome->points, least = 0;
    for (size_t i = 0; i < known_count; i++)
        if (known[i].measured)
            least = fmax(least, known[i].first + further * (known[i].again + start_seconds) +
                                    (counts ? profiler_seconds + seconds_of(known[i].id, false, true) : 0));
    return fmax(least + outcome->repeating / ranks, (outcome->busy + outcome->starting) / ranks);
}

static void run(const char *folder, const char *job, int nodes, int gpus, const char *counters)
{
    struct simulation_options options = {.job = job,
                                         .ranks = nodes * gpus,
                                         .ranks_per_node = gpus,
                                         .seed = 1,
                                         .counters = counters,
                                         .counter_count = simulation_set_size(counters),
                                         .traits = {.owns_device = true, .compiles = true, .counts = true},
                                         .seconds = seconds_of,
                                         .accesses = accesses_of,
                                         .start_seconds = start_seconds,
                                         .profiler_seconds = profiler_seconds,
                                         .count_seconds = count_seconds,
                                         .serialised = SERIALISED,
                                         .now = &now,
                                         .folder = folder};
    struct simulation_outcome outcome = simulation_run(&options);
    double span = outcome.until - outcome.measured_from, all = span * nodes * gpus;
    printf("%2d x %d GPUs: %5zu points, %5zu replicates; points %.1f s, process starts %.1f s, span %.2f s, "
           "at least %.2f s: at points %.1f %%, busy %.1f %%; the whole run %.1f s\n",
           nodes, gpus, outcome.points, outcome.replicates, outcome.busy, outcome.starting, span,
           least_span(&outcome, nodes * gpus, options.counter_count > 0), 100 * outcome.busy / all,
           100 * (outcome.busy + outcome.starting) / all, open_seconds + span);
    fflush(stdout);
    simulation_remove(&options);
}

int main(int argc, char **argv)
{
    struct error error;
    char *folder = simulation_folder(), *job;
    size_t size;
    if (argc < 3 || !folder || !freopen("/dev/null", "w", stderr) || read_file(argv[1]) != 0 ||
        !(job = io_read_file(argv[2], 1 << 20, &size, &error)))
        return argc < 2 ? 0 : 1; /* as a benchmark among others it has no file */
    if (argc > 7) {
        profiler_seconds = atof(argv[6]);
        count_seconds = atof(argv[7]);
    }
    if (argc > 9) {
        start_seconds = atof(argv[8]);
        open_seconds = atof(argv[9]);
    }
    printf("%zu points in the file; a process starts in %.3f s, a point is counted in %.1f ms\n", known_count,
           start_seconds, 1e3 * count_seconds);
    const char *counters = argc > 5 ? argv[5] : "none";
    int nodes = argc > 3 ? atoi(argv[3]) : 8, gpus = argc > 4 ? atoi(argv[4]) : 8;
    run(folder, job, nodes, gpus, counters);
    free(job);
    return 0;
}
