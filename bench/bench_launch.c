/* bench_launch.c - the overhead of a run: 100,000 points that take no time, on four ranks. Prints points per
 * second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/text.h"

#define POINTS 100000

static const char job[] = "title: Overhead of a run\n"
                          "counters: none\n"
                          "timing: {replicates: 1}\n"
                          "sweeps:\n"
                          "  - kernel: copy\n"
                          "    axes:\n"
                          "      size: {from: 64KiB, to: 16000KiB, step: 64KiB}\n"
                          "      dtype: [u8, f16, f32, f64]\n"
                          "      stride: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"
                          "      offset: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n";

int main(void)
{
    char folder[] = "/tmp/warpsweep-bench-XXXXXX", bin[4096];
    struct text path = {0}, command = {0};
    struct error error = {0};
    int failed = 1;
    io_executable_folder(bin, sizeof bin);
    if (!mkdtemp(folder))
        return 1;
    text_add(&path, "%s/job.yaml", folder);
    if (io_replace_file(path.data, job, sizeof job - 1, NULL, &error) != 0)
        goto out;
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    text_add(&command, "mpirun -q --oversubscribe -n 4 '%s/warpsweep' run '%s' -o '%s/out.h5' --backend fake",
             bin, path.data, folder);
    double start = clock_now();
    failed = system(command.data) != 0;
    double seconds = clock_now() - start;
    if (!failed)
        printf(
            "%d points on 4 ranks in %.2f s, including start and end of MPI: %.0f points/s (target: 5000)\n",
            POINTS, seconds, POINTS / seconds);
out:
    if (failed)
        fprintf(stderr, "the run failed %s\n", error.text);
    text_free(&command);
    text_add(&command, "rm -rf '%s'", folder);
    if (system(command.data) != 0)
        failed = 1;
    text_free(&command);
    text_free(&path);
    return failed;
}
