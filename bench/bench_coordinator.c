/* bench_coordinator.c - scalability of the coordinator: the real coordinator with one results file and
 * thousands of simulated ranks, some of which crash, fail points or are lost. Prints the cost per message and
 * per result.
 *
 * bench_coordinator [RANKS]; by default 100, 1,000 and 10,000. Fails if a point is missing or memory exceeds
 * the limit. */
#include "../tests/unit/simulated_run.h"

static const char job[] = "counters: none\n"
                          "timing: {replicates: 1}\n"
                          "sweeps:\n"
                          "  - kernel: copy\n"
                          "    axes:\n"
                          "      size: {from: 64KiB, to: 16000KiB, step: 64KiB}\n"
                          "      dtype: [u8, f16, f32, f64]\n"
                          "      stride: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"
                          "      offset: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
#define POINTS 100000

/* The memory limit: the rows of the file, of 2.5 kB each, which stay in memory, and the state of each
 * rank. */
static double allowed_megabytes(size_t rows, int ranks)
{
    return 40 + 3.5e-3 * (double)rows + 10e-3 * ranks;
}

static int run(int ranks, const char *folder)
{
    struct simulation_options options = {.job = job,
                                         .ranks = ranks,
                                         .ranks_per_node = 8,
                                         .seed = 1,
                                         .crash = 0.001,
                                         .fail = 0.001,
                                         .lose = 0.0005,
                                         .keep_first = true,
                                         .traits = {.owns_device = true, .compiles = true},
                                         .folder = folder};
    double start = clock_now();
    struct simulation_outcome outcome = simulation_run(&options);
    double wall = clock_now() - start, megabytes = simulation_megabytes();
    struct simulation_file file = simulation_read(&options);
    size_t rows = outcome.points + outcome.repeats;
    printf("%6d ranks: %zu points and %zu repetitions, %zu crashed, %zu failed, %zu ranks lost\n", ranks,
           outcome.points, outcome.repeats, outcome.crashed, outcome.failed, outcome.lost);
    printf("  coordinator  %zu messages in %.2f s, %.2f s of a processor: %.1f us/message, %.1f us/result\n",
           outcome.messages, outcome.seconds, outcome.cpu_seconds,
           1e6 * outcome.cpu_seconds / (double)outcome.messages, 1e6 * outcome.cpu_seconds / (double)rows);
    printf("  closing      %.2f s\n", outcome.end_seconds);
    printf("  memory       %.1f MB peak (limit: %.1f), %.1f MB of it messages in transit\n", megabytes,
           allowed_megabytes(rows, ranks), (double)outcome.peak_bytes / 1e6);
    printf("  wall time    %.2f s, simulated ranks included\n", wall);
    simulation_remove(&options);
    bool once = outcome.points == POINTS && file.points == POINTS && file.distinct == POINTS;
    if (!once)
        printf("  points are missing or duplicate: %zu measured, %zu rows, %zu distinct\n", outcome.points,
               file.points, file.distinct);
    if (megabytes > allowed_megabytes(rows, ranks))
        printf("  memory limit exceeded\n");
    return !once || megabytes > allowed_megabytes(rows, ranks);
}

int main(int argc, char **argv)
{
    static const int standard[] = {100, 1000, 10000};
    char *folder = simulation_folder();
    int failed = 0;
    if (!folder || !freopen("/dev/null", "w", stderr)) /* drop the messages of the coordinator */
        return 1;
    if (argc > 1)
        failed = run(atoi(argv[1]), folder);
    for (size_t i = 0; argc < 2 && i < sizeof standard / sizeof *standard; i++)
        failed |= run(standard[i], folder);
    rmdir(folder);
    free(folder);
    return failed;
}
