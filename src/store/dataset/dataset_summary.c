#include "store/dataset/dataset.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "statistics/summary.h"
#include "store/dataset/admission.h"

static const struct sample *samples_of(const struct dataset *dataset, size_t row, size_t *count)
{
    const union cell *cell = frame_row(&dataset->results, row);
    *count = (size_t)cell[dataset->columns.fixed[FIXED_sample_count]].integer;
    return dataset_samples(dataset, cell[dataset->columns.fixed[FIXED_sample_offset]].integer);
}

/* What one process took on one device. */
struct process_median {
    uint32_t device, process;
    double log_seconds;
};

static int compare_medians(const void *a, const void *b)
{
    const struct process_median *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

static bool same_process(const struct sample *a, const struct sample *b)
{
    return a->process == b->process && a->device == b->device;
}

static struct process_median median_of(const struct sample *sample, size_t count, int64_t own,
                                       double *scratch)
{
    struct process_median median = {.device = (uint32_t)(sample->device >= 0 ? sample->device : own),
                                    .process = sample->process};
    for (size_t i = 0; i < count; i++)
        scratch[i] = sample[i].seconds;
    median.log_seconds = log(statistics_of(scratch, count).median);
    return median;
}

/* A process begins where another one ends. One that goes on later counts again. */
static size_t count_processes(const struct sample *sample, size_t count)
{
    size_t many = count > 0;
    for (size_t i = 1; i < count; i++)
        many += !same_process(&sample[i - 1], &sample[i]);
    return many;
}

/* Sorted. `own`: the device of samples that do not say theirs, in files of release 0.1. */
static size_t medians_of(const struct sample *sample, size_t count, int64_t own,
                         struct process_median *median)
{
    double *scratch = memory_new(count, sizeof *scratch);
    size_t many = 0;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && same_process(&sample[first], &sample[end]);)
            end++;
        median[many++] = median_of(&sample[first], end - first, own, scratch);
    }
    free(scratch);
    qsort(median, many, sizeof *median, compare_medians);
    return many;
}

/* Replace the sorted medians of each device, or of each process, by their mean; returns how many there are.
 */
static size_t average(struct process_median *median, size_t count, bool by_process)
{
    size_t many = 0;
    for (size_t first = 0, end; first < count; first = end) {
        struct process_median mean = {.device = median[first].device, .process = median[first].process};
        for (end = first; end < count && median[end].device == mean.device &&
                          (!by_process || median[end].process == mean.process);
             end++)
            mean.log_seconds += median[end].log_seconds;
        mean.log_seconds /= (double)(end - first);
        median[many++] = mean;
    }
    return many;
}

static void put(struct dataset *dataset, size_t row, enum result_real real, double value)
{
    frame_put_real(&dataset->results, row, dataset->columns.real[real], value);
}

void summary_put_throttle(struct dataset *dataset, size_t row, uint64_t reasons)
{
    const int *fixed = dataset->columns.fixed;
    struct text words = {0};
    throttle_words(reasons, &words);
    if (fixed[FIXED_throttle] >= 0)
        frame_put_text(&dataset->results, row, fixed[FIXED_throttle], words.data ? words.data : "");
    if (fixed[FIXED_throttle_mask] >= 0)
        frame_put_integer(&dataset->results, row, fixed[FIXED_throttle_mask], (int64_t)reasons);
    text_free(&words);
}

/* Samples of earlier releases have no reasons: their rows keep what one process saw. */
static void fill_throttle(struct dataset *dataset, size_t row, const struct sample *sample, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(sample[i].throttle_mask))
            return;
    summary_put_throttle(dataset, row, throttle_of(sample, count));
}

static void fill_row(struct dataset *dataset, size_t row)
{
    size_t count;
    const struct sample *sample = samples_of(dataset, row, &count);
    const double known = frame_find_real(&dataset->results, row, COLUMN(processes));
    const size_t most = count_processes(sample, count);
    if (most < 2 || (double)most <= known)
        return;
    struct process_median *median = memory_new(most, sizeof *median);
    const int64_t own = frame_cell(&dataset->results, row, dataset->columns.fixed[FIXED_device])->integer;
    size_t processes = average(median, medians_of(sample, count, own, median), true);
    if (processes > 1 && !((double)processes <= known)) {
        put(dataset, row, REAL_processes, (double)processes);
        size_t devices = average(median, processes, false);
        for (size_t i = 0; i < devices; i++)
            median[i].device = 0;
        average(median, devices, false);
        put(dataset, row, REAL_time_median, exp(median->log_seconds));
        fill_throttle(dataset, row, sample, count);
        admit_row(dataset, row);
    }
    free(median);
}

void summary_fill(struct dataset *dataset)
{
    const int *real = dataset->columns.real, status = dataset->columns.fixed[FIXED_status];
    if (real[REAL_processes] < 0 || real[REAL_time_median] < 0)
        return;
    for (size_t row = 0; row < dataset->results.rows; row++)
        if (status_is_ok(frame_cell(&dataset->results, row, status)->text))
            fill_row(dataset, row);
}

void summary_settle(struct dataset *dataset)
{
    for (size_t row = 0; row < dataset->results.rows; row++)
        admit_row(dataset, row);
    summary_fill(dataset);
}
