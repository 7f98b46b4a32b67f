#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "plan/job.h"
#include "report/method_values.h"

static const char *known(const char *text)
{
    return text && *text ? text : "unknown";
}

/* ---- Paragraphs ---- */

static void tell_machine(struct document *document, const struct dataset *dataset, const char *path)
{
    const struct frame *devices = &dataset->devices;
    document_paragraph(
        document,
        "%s holds %zu points: %zu measured, %zu unsupported, and %zu that failed. They were measured by "
        "warpsweep %s (commit %s) with the %s back end (MPI ranks: %s; nodes: %s; %s; %s), starting at %s.",
        path, method_count(dataset, COLUMN(status), NULL), method_count(dataset, COLUMN(status), "ok"),
        method_count(dataset, COLUMN(status), "unsupported"),
        method_count(dataset, COLUMN(status), NULL) - method_count(dataset, COLUMN(status), "ok") -
            method_count(dataset, COLUMN(status), "unsupported"),
        known(dataset_environment(dataset, "release")), known(dataset_environment(dataset, "commit")),
        known(dataset_environment(dataset, "backend")), known(dataset_environment(dataset, "ranks")),
        known(dataset_environment(dataset, "nodes")), known(dataset_environment(dataset, "mpi")),
        known(dataset_environment(dataset, "kernel")), known(dataset_environment(dataset, "start")));
    document_items_begin(document);
    for (size_t row = 0; row < devices->rows; row++)
        document_item(document,
                      "%s on %s: %lld multiprocessors, %.4g MiB of L2, %.4g GiB of memory, driver %s, %s. "
                      "Measured in the same run: %.4g GB/s copying, %.4g GB/s reading, %.4g GB/s writing "
                      "DRAM; a launch of an empty kernel takes %.3g us, within a CUDA graph %.3g us.",
                      frame_find_text(devices, row, DEVICE_COLUMN(name)),
                      known(frame_find_text(devices, row, DEVICE_COLUMN(host))),
                      (long long)frame_find_integer(devices, row, DEVICE_COLUMN(multiprocessors)),
                      (double)frame_find_integer(devices, row, DEVICE_COLUMN(l2_bytes)) / 0x1p20,
                      (double)frame_find_integer(devices, row, DEVICE_COLUMN(memory_bytes)) / 0x1p30,
                      known(frame_find_text(devices, row, DEVICE_COLUMN(driver))),
                      known(frame_find_text(devices, row, DEVICE_COLUMN(toolkit))),
                      frame_find_real(devices, row, DEVICE_COLUMN(peak_copy)) / 1e9,
                      frame_find_real(devices, row, DEVICE_COLUMN(peak_read)) / 1e9,
                      frame_find_real(devices, row, DEVICE_COLUMN(peak_write)) / 1e9,
                      frame_find_real(devices, row, DEVICE_COLUMN(launch_floor)) * 1e6,
                      frame_find_real(devices, row, DEVICE_COLUMN(graph_floor)) * 1e6);
    document_items_end(document);
}

static void tell_timing(struct document *document, const struct dataset *dataset)
{
    static const struct {
        const char *word, *meaning;
    } states[] = {
        {"cold", "with none of the point's data in L2, which is full of other data's modified lines"},
        {"clean", "with none of the point's data in L2, which is full of unmodified lines"},
        {"hot", "on buffers that the launch before has used"},
        {"rotate", "walking over sets of buffers of more than twice L2"},
    };
    size_t graphs = method_timed(dataset, COLUMN(timer), "graph"),
           single = method_timed(dataset, COLUMN(timer), "single"),
           clock = method_timed(dataset, COLUMN(timer), "clock");
    document_paragraph(document, "Each kernel's output, and guard zones around it, was compared with a "
                                 "reference on the CPU before anything was timed.");
    if (graphs + single)
        document_paragraph(
            document,
            "A sample is the time between two CUDA events around a CUDA graph of as many launches as make "
            "their overhead at most 0.5 %% of it (%zu points), or around a single launch (%zu points); the "
            "overhead, measured with empty kernels in every process, was taken off. Samples were queued "
            "behind a kernel that blocks the stream, so that none waited for the host.",
            graphs, single);
    if (clock)
        document_paragraph(document,
                           "The reference itself was run on the CPU and timed by the monotonic clock (%zu "
                           "points): these are no measurements of a GPU.",
                           clock);
    document_items_begin(document);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        size_t points = method_timed(dataset, COLUMN(cache), states[i].word);
        if (points)
            document_item(document, "%zu points were timed %s: %s.", points, states[i].word,
                          states[i].meaning);
    }
    document_items_end(document);
}

static void tell_sampling(struct document *document, const struct dataset *dataset)
{
    struct job job;
    struct error ignored;
    double processes = method_quantile(dataset, COLUMN(processes), 0.5),
           between = method_quantile(dataset, COLUMN(sd_process), 0.9);
    if (job_parse(dataset->job_path, dataset->job, strlen(dataset->job), &job, &ignored) == 0) {
        const struct timing *timing = &job.timing;
        document_paragraph(
            document,
            "Sampling of a point went on until the half-width of the median's 95 %% interval was %.3g %%, "
            "the interval no longer shrank, %.3g s were used up, or %u samples were taken; at least %u. "
            "Every point was timed by %u fresh processes%s, each in another random order.",
            100 * timing->target_ci, timing->max_time, timing->max_samples, timing->min_samples,
            timing->replicates, timing->all_devices ? " on every device" : "");
        job_free(&job);
    }
    document_paragraph(document,
                       "Points have %.0f samples in %.0f process%s (medians over points; 5th to 95th "
                       "percentile of the samples: %.0f to %.0f).",
                       method_quantile(dataset, COLUMN(sample_count), 0.5), processes,
                       processes == 1 ? "" : "es", method_quantile(dataset, COLUMN(sample_count), 0.05),
                       method_quantile(dataset, COLUMN(sample_count), 0.95));
    if (isfinite(between))
        document_paragraph(
            document,
            "Of points with several processes, times vary by %.2g %% (median standard deviation) within a "
            "process and, at nine of ten points, by at most %.2g %% between processes.",
            100 * method_quantile(dataset, COLUMN(sd_sample), 0.5), 100 * between);
    if (!isfinite(between)) {
        document_paragraph(document, "A time is the median of one process's samples. Its 95 %% interval is "
                                     "of this process: how processes differ is not measured.");
        return;
    }
    document_paragraph(
        document, "A time is the geometric mean of the processes' medians. Its 95 %% interval is from the "
                  "deviations between processes (Kalibera and Jones 2013; Hoefler and Belli 2015), whose "
                  "variance is pooled over points of like duration by empirical Bayes (Smyth 2004). "
                  "Comparisons control the false discovery rate at 1 %% (Benjamini and Hochberg 1995).");
}

/* The largest relative difference between a canary's repetition and the first measurement of the same point on the same
 * device. */
static void tell_drift(struct document *document, const struct dataset *dataset)
{
    const struct frame *results = &dataset->results;
    int id = frame_find(results, COLUMN(id));
    size_t repetitions = 0;
    double most = 0;
    for (size_t row = 0; row < results->rows; row++) {
        double time = frame_find_real(results, row, COLUMN(time_median));
        dataset_evict_at(dataset, row);
        if (dataset_is_point(dataset, row) || !isfinite(time))
            continue;
        for (size_t first = 0; first < results->rows; first++)
            if (frame_cell(results, first, id)->text == frame_cell(results, row, id)->text && /* interned */
                frame_find_integer(results, first, COLUMN(device)) ==
                    frame_find_integer(results, row, COLUMN(device)) &&
                dataset_is_point(dataset, first)) {
                most = fmax(most, fabs(time / frame_find_real(results, first, COLUMN(time_median)) - 1));
                repetitions++;
            }
    }
    if (repetitions)
        document_paragraph(document,
                           "Canaries, points that are repeated through the run, deviated from their first "
                           "measurement by at most %.2g %% (%zu repetitions).",
                           100 * most, repetitions);
}

static void tell_clocks(struct document *document, const struct dataset *dataset)
{
    size_t measured = method_count(dataset, COLUMN(status), "ok");
    double power = method_quantile(dataset, COLUMN(power), 0.5),
           temperature = method_quantile(dataset, COLUMN(temperature), 0.5);
    if (!isfinite(method_quantile(dataset, COLUMN(sm_clock), 0.5)))
        return;
    document_paragraph(document,
                       "Clocks and power limits were left alone. The SM clock over the samples was %.0f MHz "
                       "(median over points; 5th to 95th percentile %.0f to %.0f MHz). The driver reported a "
                       "reason to lower clocks at %zu of %zu points; they are kept and marked.",
                       method_quantile(dataset, COLUMN(sm_clock), 0.5) / 1e6,
                       method_quantile(dataset, COLUMN(sm_clock), 0.05) / 1e6,
                       method_quantile(dataset, COLUMN(sm_clock), 0.95) / 1e6,
                       (size_t)method_throttled(dataset), measured);
    if (isfinite(power) && isfinite(temperature))
        document_paragraph(document, "The medians over points are %.0f W and %.0f degC.", power, temperature);
}

static void tell_counters(struct document *document, const struct dataset *dataset)
{
    size_t count = method_counters(dataset);
    if (count)
        document_paragraph(document,
                           "%zu hardware counter%s read with CUPTI's range profiler, after timing and in "
                           "passes of their own, each launch in the state of L2 that was timed.",
                           count, count == 1 ? " was" : "s were");
}

static void tell_command(struct document *document, const struct dataset *dataset)
{
    const char *command = dataset_environment(dataset, "command"),
               *seed = dataset_environment(dataset, "seed");
    if (command && seed)
        document_paragraph(document, "The command was: %s. The job is stored in the file; the seed is %s.",
                           command, seed);
}

void report_method(struct document *document, const struct dataset *dataset, const char *path)
{
    const char *name = io_file_name(path);
    document_heading(document, 2, "%s", name);
    tell_machine(document, dataset, name);
    tell_timing(document, dataset);
    tell_sampling(document, dataset);
    tell_clocks(document, dataset);
    tell_drift(document, dataset);
    tell_counters(document, dataset);
    tell_command(document, dataset);
}
