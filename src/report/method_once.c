#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/method_values.h"

enum { NUMBER_SIZE = 64 };

static void print_number(double value, char *out)
{
    snprintf(out, NUMBER_SIZE, value < 10 ? "%.2g" : "%.0f", value);
}

static bool all_know(const struct dataset *file, int files, double (*value)(const struct dataset *file))
{
    for (int i = 0; i < files; i++)
        if (!isfinite(value(&file[i])))
            return false;
    return true;
}

/* Add `format` with a number for its @: "984", or "984 and 701" where the files differ; nothing where one is unknown. */
static void add_each(struct text *out, const struct dataset *file, int files, const char *format,
                     double (*value)(const struct dataset *file))
{
    char first[NUMBER_SIZE], number[NUMBER_SIZE];
    bool equal = true;
    if (!all_know(file, files, value))
        return;
    print_number(value(&file[0]), first);
    for (int i = 1; i < files; i++) {
        print_number(value(&file[i]), number);
        equal = equal && !strcmp(number, first);
    }
    const char *rest = strchr(format, '@');
    text_add(out, "%.*s", (int)(rest - format), format);
    for (int i = 0; i < (equal ? 1 : files); i++) {
        print_number(value(&file[i]), number);
        text_add(out, "%s%s", i == 0 ? "" : i + 1 < files ? ", " : " and ", number);
    }
    text_add(out, "%s", rest + 1);
}

static double graphs_of(const struct dataset *file)
{
    return (double)method_timed(file, COLUMN(timer), "graph");
}

static double singles_of(const struct dataset *file)
{
    return (double)method_timed(file, COLUMN(timer), "single");
}

static double samples_of(const struct dataset *file)
{
    return method_quantile(file, COLUMN(sample_count), 0.5);
}

static double processes_of(const struct dataset *file)
{
    return method_quantile(file, COLUMN(processes), 0.5);
}

static double within_of(const struct dataset *file)
{
    return 100 * method_quantile(file, COLUMN(sd_sample), 0.5);
}

/* The variance between processes is estimated as zero at half of the points of quiet devices: a median says nothing. */
static double between_of(const struct dataset *file)
{
    return 100 * method_quantile(file, COLUMN(sd_process), 0.9);
}

static double clock_of(const struct dataset *file)
{
    return method_quantile(file, COLUMN(sm_clock), 0.5) / 1e6;
}

static double cold_of(const struct dataset *file)
{
    return (double)method_timed(file, COLUMN(cache), "cold");
}

static double hot_of(const struct dataset *file)
{
    return (double)method_timed(file, COLUMN(cache), "hot");
}

/* NAN: none */
static double counters_of(const struct dataset *file)
{
    return method_counters(file) ? (double)method_counters(file) : NAN;
}

void report_method_once(struct document *document, const struct dataset *file, int files)
{
    struct text out = {0};
    text_add(&out, "The output of each kernel, and guard zones around it, was compared with a reference on "
                   "the CPU before it was timed. ");
    if (!graphs_of(&file[0]) && !singles_of(&file[0])) {
        if (method_timed(&file[0], COLUMN(timer), "clock"))
            text_add(&out, "The reference itself was run on the CPU and timed by the monotonic clock: these "
                           "are no measurements of a GPU.");
        document_paragraph(document, "%s", out.data);
        text_free(&out);
        return;
    }
    text_add(&out, "A sample is the time between two CUDA events around a graph of as many launches as make "
                   "their overhead at most 0.5 %% of it");
    add_each(&out, file, files, " (@ points)", graphs_of);
    add_each(&out, file, files, ", or around a single launch (@)", singles_of);
    text_add(&out, "; the overhead, measured with empty kernels in every process, was taken off. Samples "
                   "were queued behind a kernel that blocks the stream, so none waited for the host. ");
    add_each(&out, file, files, "L2 was cold, full of other data's modified lines, at @ points", cold_of);
    add_each(&out, file, files, ", and hot at @.", hot_of);
    document_paragraph(document, "%s", out.data);
    out.length = 0;
    add_each(&out, file, files, "Points have @ samples", samples_of);
    add_each(&out, file, files, " in @ fresh processes (medians), each in another random order. ",
             processes_of);
    if (all_know(file, files, between_of))
        add_each(&out, file, files, "Times vary by @ % within a process (median standard deviation)",
                 within_of);
    add_each(&out, file, files, " and, at nine of ten points, by at most @ % between processes. ",
             between_of);
    text_add(&out, !all_know(file, files, between_of)
                       ? "How processes differ is not measured in every file: intervals of points of one "
                         "process are of that process."
                       : "A time is the geometric mean of the processes' medians. Its 95 %% interval is from "
                         "the deviations "
                         "between processes (Kalibera and Jones, 2013; Hoefler and Belli, 2015), pooled over "
                         "points of like "
                         "duration by empirical Bayes (Smyth, 2004). Comparisons control the false discovery "
                         "rate at 1 %% "
                         "(Benjamini and Hochberg, 1995).");
    document_paragraph(document, "%s", out.data);
    out.length = 0;
    if (all_know(file, files, counters_of))
        text_add(&out, "Hardware counters were read by CUPTI's range profiler after timing, in passes of "
                       "their own, each launch in the state of L2 that was timed. ");
    add_each(&out, file, files, "Clocks and power limits were left alone: the SM clock was @ MHz (median)",
             clock_of);
    double throttled = 0;
    for (int i = 0; i < files; i++)
        throttled += method_throttled(&file[i]);
    if (throttled > 0)
        add_each(&out, file, files,
                 ", and the driver gave a reason to lower it at @ points, which are marked. ",
                 method_throttled);
    else
        text_add(&out, ", and the driver never gave a reason to lower it. ");
    text_add(
        &out,
        "The access model computes requests, sectors and wavefronts from the addresses that the lanes of a "
        "warp access; it knows neither counters nor times.");
    document_paragraph(document, "%s", out.data);
    text_free(&out);
}
