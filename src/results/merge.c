#include "results/merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/roof.h"
#include "family/time/roof.h"

/* "runs/h200.h5" → "h200" */
static void file_stem(const char *path, char *out, size_t size)
{
    snprintf(out, size, "%s", io_file_name(path));
    char *dot = strrchr(out, '.');
    if (dot && dot != out)
        *dot = '\0';
}

static void describe_group(const struct dataset *from, size_t device, struct merge_group *group)
{
    const struct frame *devices = &from->devices;
    const char *backend = frame_find_text(devices, device, DEVICE_COLUMN(backend)),
               *name = frame_find_text(devices, device, DEVICE_COLUMN(name));
    const char *driver = frame_find_text(devices, device, DEVICE_COLUMN(driver));
    const char *date = dataset_environment(from, "start"), *commit = dataset_environment(from, "commit");
    group->on_host = !strcmp(backend, "host");
    group->predicted = !strcmp(backend, "predicted");
    if (group->on_host)
        snprintf(group->caption, sizeof group->caption, "host back end: C reference on CPU\n%.60s\n", name);
    else if (group->predicted)
        snprintf(group->caption, sizeof group->caption, "%.60s by the time model: not measured\n", name);
    else
        snprintf(group->caption, sizeof group->caption, "%.60s, %s back end, driver %s\n", name, backend,
                 *driver ? driver : "unknown");
    const char *note = dataset_environment(from, "counters_note");
    snprintf(group->note, sizeof group->note, "%s", note ? note : "");
    size_t length = strlen(group->caption);
    snprintf(group->caption + length, sizeof group->caption - length, "%.10s, warpsweep commit %.24s\n",
             date ? date : "date unknown", commit ? commit : "unknown");
}

int merge_find_group(const struct merged *merged, const char *label)
{
    for (int i = 0; i < merged->groups; i++)
        if (!strcmp(merged->group[i].label, label))
            return i;
    return -1;
}

/* The group of a file's device, added for the first device of its product in that file. `first_group`: the file's first
 * group. */
static int group_of_device(struct merged *merged, int first_group, const struct dataset *from,
                           const char *path, size_t device)
{
    char label[512], stem[256];
    const char *name = frame_find_text(&from->devices, device, DEVICE_COLUMN(name));
    double peak = frame_find_real(&from->devices, device, DEVICE_COLUMN(peak_copy));
    file_stem(path, stem, sizeof stem);
    snprintf(label, sizeof label, "%s", name);
    int found = merge_find_group(merged, label);
    if (found >= 0 && found < first_group) { /* another file has that product */
        snprintf(label, sizeof label, "%.250s (%s)", name, stem);
        found = merge_find_group(merged, label);
    }
    if (found < 0) {
        merged->group = memory_resize(merged->group, (size_t)merged->groups + 1, sizeof *merged->group);
        found = merged->groups++;
        merged->group[found] =
            (struct merge_group){.label = frame_text(&merged->all.results, label),
                                 .file = frame_text(&merged->all.results, io_file_name(path)),
                                 .peak_copy = NAN};
        describe_group(from, device, &merged->group[found]);
    }
    if (!(peak <= merged->group[found].peak_copy)) /* also when nothing is known yet */
        merged->group[found].peak_copy = isnan(peak) ? merged->group[found].peak_copy : peak;
    return found;
}

/* Rows of the first file are taken over, those of the others copied. */
static int append_rows(struct frame *results, struct frame *from)
{
    if (results->columns)
        return frame_append(results, from);
    frame_free(results);
    *results = *from;
    *from = frame_new();
    return 0;
}

static void take_spans(struct dataset *to, struct dataset *from)
{
    to->spans = from->spans;
    to->span_count = from->span_count;
    to->span_spill = from->span_spill;
    from->spans = NULL;
    from->span_count = 0;
    from->span_spill = NULL;
}

static int append_file(struct merged *merged, struct dataset *from, const char *path, struct error *error)
{
    struct frame *results = &merged->all.results;
    size_t first_row = results->rows, first_device = merged->all.devices.rows;
    int first_group = merged->groups;
    if (append_rows(results, &from->results) != 0 || frame_append(&merged->all.devices, &from->devices) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "%s has a column of another type than the files before it",
                         path);
    int source = frame_add_column(results, MERGE_GROUP, COLUMN_TEXT, ROLE_IDENTITY, "", "device and file");
    int device = frame_find(results, COLUMN(device));
    if (source < 0 || device < 0)
        return error_set(error, ERROR_ENVIRONMENT, "%s has no column of devices", path);
    int *group = memory_new(from->devices.rows + 1, sizeof *group);
    for (size_t d = 0; d < from->devices.rows; d++)
        group[d] = group_of_device(merged, first_group, from, path, d);
    for (size_t row = first_row; row < results->rows; row++) {
        int64_t own = frame_cell(results, row, device)->integer;
        if (own < 0 || (uint64_t)own >= from->devices.rows)
            continue;
        frame_cell(results, row, source)->text = merged->group[group[own]].label;
        frame_cell(results, row, device)->integer = own + (int64_t)first_device;
    }
    free(group);
    return 0;
}

/* ---- Files of earlier releases ---- */

static double peak_at(const struct dataset *dataset, size_t row)
{
    int64_t device = dataset_device_of(dataset, row);
    return device < 0 ? NAN : frame_find_real(&dataset->devices, (size_t)device, DEVICE_COLUMN(peak_shared));
}

/* Up to release 0.2, roofs of shared memory and shares of them counted distinct words, so that points whose lanes share words
 * lay at up to twice their roof (family/time/roof.h). They are computed anew. */
static void fix_shared_roofs(struct dataset *dataset)
{
    struct frame *results = &dataset->results;
    int rate = frame_find(results, COLUMN(roof_rate)), share = frame_find(results, COLUMN(fraction_peak));
    if (rate < 0 || share < 0)
        return;
    for (size_t row = 0; row < results->rows; row++) {
        if (strcmp(frame_find_text(results, row, COLUMN(roof)), roof_words[ROOF_shared]) != 0)
            continue;
        bool reads = frame_find_real(results, row, COLUMN(bytes_read)) > 0;
        double fixed =
            roof_of_shared(peak_at(dataset, row),
                           frame_find_real(results, row, reads ? COLUMN(bytes_read) : COLUMN(bytes_written)),
                           frame_find_real(results, row,
                                           reads ? COLUMN(predicted_shared_load_wavefronts)
                                                 : COLUMN(predicted_shared_store_wavefronts)),
                           frame_find_real(results, row,
                                           reads ? COLUMN(predicted_shared_load_conflicts)
                                                 : COLUMN(predicted_shared_store_conflicts)));
        if (!(fixed > 0))
            continue;
        frame_put_real(results, row, rate, fixed);
        frame_put_real(results, row, share, frame_find_real(results, row, COLUMN(bandwidth)) / fixed);
    }
}

/* ---- Reading ---- */

int merge_read(char *const *paths, int count, struct merged *merged, struct error *error)
{
    *merged = (struct merged){.all = {.results = frame_new(), .devices = frame_new()}};
    for (int i = 0; i < count; i++) {
        struct dataset from;
        int failed = dataset_read_columns(paths[i], false, &from, error);
        if (!failed) {
            fix_shared_roofs(&from);
            failed = append_file(merged, &from, paths[i], error);
            if (count == 1)
                take_spans(&merged->all, &from);
            dataset_free(&from);
        }
        if (failed) {
            merge_free(merged);
            return -1;
        }
    }
    return 0;
}

void merge_free(struct merged *merged)
{
    dataset_free(&merged->all);
    free(merged->group);
    *merged = (struct merged){0};
}

const char *merge_text(const struct merged *merged, size_t row, const char *column)
{
    return frame_find_text(&merged->all.results, row, column);
}

double merge_real(const struct merged *merged, size_t row, const char *column)
{
    return frame_find_real(&merged->all.results, row, column);
}
