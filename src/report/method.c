#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        "%s holds %zu points: %zu measured, %zu that cannot exist, and %zu that failed. They were measured "
        "by "
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
        document_item(
            document,
            "%s on %s: %lld multiprocessors, %.4g MiB of L2, %.4g GiB of memory, driver %s, %s. Measured "
            "in the same run: %.4g GB/s copying, %.4g GB/s reading, %.4g GB/s writing DRAM; a launch "
            "of an empty kernel takes %.3g us, within a CUDA graph %.3g us.",
            frame_find_text(devices, row, DEVICE_COLUMN(name)),
            known(frame_find_text(devices, row, DEVICE_COLUMN(host))),
            (long long)method_integer(devices, row, DEVICE_COLUMN(multiprocessors)),
            (double)method_integer(devices, row, DEVICE_COLUMN(l2_bytes)) / 0x1p20,
            (double)method_integer(devices, row, DEVICE_COLUMN(memory_bytes)) / 0x1p30,
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
    document_paragraph(
        document, "Each kernel's output, and guard zones around it, was compared with a reference in C on "
                  "the CPU before anything was timed.");
    if (graphs + single)
        document_paragraph(document,
                           "A sample is the time between two CUDA events around a CUDA graph of as many "
                           "launches as make their overhead "
                           "at most 0.5 %% of it (%zu points), or around a single launch (%zu points); the "
                           "overhead, measured with empty "
                           "kernels in every process, was taken off. Samples were queued behind a kernel "
                           "that blocks the stream, so that "
                           "none waited for the host.",
                           graphs, single);
    if (clock)
        document_paragraph(
            document,
            "The reference itself was run on the CPU and timed by the monotonic clock (%zu points): these "
            "are no measurements of a GPU.",
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
    if (job_parse(dataset->job_path, dataset->job, strlen(dataset->job), &job, &ignored) == 0) {
        const struct timing *timing = &job.timing;
        document_paragraph(document,
                           "Sampling of a point went on until the half-width of the median's 95 %% interval "
                           "was %.3g %%, the interval "
                           "no longer shrank, %.3g s were used up, or %u samples were taken; at least %u. "
                           "Every point was timed by %u "
                           "fresh processes%s, each in another random order.",
                           100 * timing->target_ci, timing->max_time, timing->max_samples,
                           timing->min_samples, timing->replicates,
                           timing->all_devices ? " on every device" : "");
        job_free(&job);
    }
    document_paragraph(document,
                       "Points have %.0f samples in %.0f processes (medians over points; 5th to 95th "
                       "percentile of the samples: %.0f to "
                       "%.0f). Of points with several processes, times vary by %.2g %% (median standard "
                       "deviation) within a process and by "
                       "%.2g %% between processes.",
                       method_quantile(dataset, COLUMN(sample_count), 0.5),
                       method_quantile(dataset, COLUMN(processes), 0.5),
                       method_quantile(dataset, COLUMN(sample_count), 0.05),
                       method_quantile(dataset, COLUMN(sample_count), 0.95),
                       100 * method_quantile(dataset, COLUMN(sd_sample), 0.5),
                       100 * method_quantile(dataset, COLUMN(sd_process), 0.5));
    document_paragraph(
        document,
        "A time is the geometric mean of the processes' medians. Its 95 %% interval is from the deviations "
        "between processes (Kalibera and Jones 2013; Hoefler and Belli 2015), whose variance is pooled over "
        "points "
        "of like duration by empirical Bayes (Smyth 2004). Comparisons control the false discovery rate at 1 "
        "%% "
        "(Benjamini and Hochberg 1995).");
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
        if (method_is_first(results, row) || !isfinite(time))
            continue;
        for (size_t first = 0; first < results->rows; first++)
            if (frame_cell(results, first, id)->text == frame_cell(results, row, id)->text && /* interned */
                method_integer(results, first, COLUMN(device)) ==
                    method_integer(results, row, COLUMN(device)) &&
                method_is_first(results, first)) {
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
    if (isfinite(method_quantile(dataset, COLUMN(sm_clock), 0.5)))
        document_paragraph(document,
                           "Clocks and power limits were left alone. The SM clock over the samples was %.0f "
                           "MHz (median over points; 5th to "
                           "95th percentile %.0f to %.0f MHz), power %.0f W, temperature %.0f degC "
                           "(medians). The driver reported a "
                           "reason to lower clocks at %zu of %zu points; they are kept and marked.",
                           method_quantile(dataset, COLUMN(sm_clock), 0.5) / 1e6,
                           method_quantile(dataset, COLUMN(sm_clock), 0.05) / 1e6,
                           method_quantile(dataset, COLUMN(sm_clock), 0.95) / 1e6,
                           method_quantile(dataset, COLUMN(power), 0.5),
                           method_quantile(dataset, COLUMN(temperature), 0.5),
                           (size_t)method_throttled(dataset), measured);
}

static void tell_counters(struct document *document, const struct dataset *dataset)
{
    const char *counters = dataset_environment(dataset, "counters");
    size_t count = 0;
    for (const char *at = counters; at && *at; at += strspn(at, " "), count++)
        at += strcspn(at, " ");
    if (count)
        document_paragraph(
            document,
            "%zu hardware counters were read with CUPTI's range profiler, after timing and in passes "
            "of their own, each launch in the state of L2 that was timed.",
            count);
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
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    document_heading(document, 2, "%s", name);
    tell_machine(document, dataset, name);
    tell_timing(document, dataset);
    tell_sampling(document, dataset);
    tell_clocks(document, dataset);
    tell_drift(document, dataset);
    tell_counters(document, dataset);
    tell_command(document, dataset);
}
