#include "results/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/quantile.h"
#include "store/dataset/summary.h"

#define ALARMS 0.002 /* probability of reporting any outlier in a fleet of equal devices */
enum { DEVICES_LEAST = 3 };

/* A point's cells on the devices of one product. */
struct measured {
    struct levels_cell *cell;
    size_t cells;
};

struct table {
    struct measured *point;
    size_t points;
    double *log_seconds; /* struct fleet_times' */
    uint32_t *column;    /* of each row of /devices; UINT32_MAX: of another product */
    size_t columns;
};

static bool is_of(const struct dataset *dataset, size_t device, const char *product)
{
    return !strcmp(frame_find_text(&dataset->devices, device, DEVICE_COLUMN(name)), product);
}

static struct measured measured_of(const struct dataset *dataset, size_t row, const struct table *table)
{
    struct measured measured = {NULL, 0};
    size_t kept = 0;
    if (!status_is_ok(frame_find_text(&dataset->results, row, COLUMN(status))) ||
        !dataset_is_point(dataset, row))
        return measured;
    measured.cells = summary_cells(dataset, row, &measured.cell);
    for (size_t i = 0; i < measured.cells; i++)
        if (measured.cell[i].device < dataset->devices.rows &&
            table->column[measured.cell[i].device] != UINT32_MAX)
            measured.cell[kept++] = measured.cell[i];
    measured.cells = kept;
    return measured;
}

static void table_free(struct table *table)
{
    for (size_t p = 0; p < table->points; p++)
        free(table->point[p].cell);
    free(table->point);
    free(table->log_seconds);
    free(table->column);
}

/* The mean over a device's processes of the logarithms of their medians. */
static void fill_times(struct table *table)
{
    size_t size = table->points * table->columns;
    table->log_seconds = memory_new(size + 1, sizeof *table->log_seconds);
    double *known = memory_new(table->columns + 1, sizeof *known);
    for (size_t p = 0; p < table->points; p++) {
        double *sum = table->log_seconds + p * table->columns;
        memset(known, 0, table->columns * sizeof *known);
        for (size_t i = 0; i < table->point[p].cells; i++) {
            const struct levels_cell *cell = &table->point[p].cell[i];
            sum[table->column[cell->device]] += cell->log_median;
            known[table->column[cell->device]]++;
        }
        for (size_t d = 0; d < table->columns; d++)
            sum[d] = known[d] > 0 ? sum[d] / known[d] : NAN;
    }
    free(known);
}

static struct table table_of(const struct dataset *dataset, const char *product)
{
    struct table table = {.column = memory_new(dataset->devices.rows + 1, sizeof *table.column)};
    for (size_t d = 0; d < dataset->devices.rows; d++)
        table.column[d] = is_of(dataset, d, product) ? (uint32_t)table.columns++ : UINT32_MAX;
    table.point = memory_new(dataset->results.rows + 1, sizeof *table.point);
    for (size_t row = 0; row < dataset->results.rows; row++) {
        struct measured measured = measured_of(dataset, row, &table);
        if (measured.cells)
            table.point[table.points++] = measured;
        else
            free(measured.cell);
    }
    fill_times(&table);
    return table;
}

/* ---- How sure a device's effect is ---- */

/* The deviation of a process from the mean of its device at one point. */
struct shift {
    uint32_t device, process;
    double value;
};

static int compare_shifts(const void *a, const void *b)
{
    const struct shift *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

static struct shift *shifts_of(const struct table *table, size_t *count)
{
    size_t all = 0;
    for (size_t p = 0; p < table->points; p++)
        all += table->point[p].cells;
    struct shift *shifts = memory_new(all + 1, sizeof *shifts);
    *count = all;
    all = 0;
    for (size_t p = 0; p < table->points; p++)
        for (size_t i = 0; i < table->point[p].cells; i++) {
            const struct levels_cell *cell = &table->point[p].cell[i];
            double mean = table->log_seconds[p * table->columns + table->column[cell->device]];
            shifts[all++] = (struct shift){cell->device, cell->process, cell->log_median - mean};
        }
    qsort(shifts, *count, sizeof *shifts, compare_shifts);
    return shifts;
}

/* The standard error of a device's effect that its processes cause: each shifts all its points by its median deviation.
 * 0 if no device has two processes. Sets the devices' numbers of processes. */
static double process_error(const struct table *table, struct cluster *cluster)
{
    size_t count, processes = 0, devices = 0;
    struct shift *shifts = shifts_of(table, &count);
    double *values = memory_new(count + 1, sizeof *values), squares = 0;
    for (size_t from = 0, to = 0; from < count; from = to) {
        struct cluster_device *device = &cluster->device[table->column[shifts[from].device]];
        for (to = from; to < count && compare_shifts(&shifts[from], &shifts[to]) == 0; to++)
            values[to - from] = shifts[to].value;
        double shift = quantile_median(values, to - from);
        squares += shift * shift;
        devices += device->processes++ == 0;
        processes++;
    }
    free(values);
    free(shifts);
    if (processes == devices)
        return 0;
    double per_device = (double)processes / (double)devices;
    return sqrt(squares / (double)(processes - devices) / per_device);
}

/* ---- The cluster ---- */

static double median_of_row(const double *row, size_t columns, double *scratch, size_t *known)
{
    *known = 0;
    for (size_t d = 0; d < columns; d++)
        if (!isnan(row[d]))
            scratch[(*known)++] = row[d];
    return quantile_median(scratch, *known);
}

/* The range of each device's deviations over points. */
static void fill_ranges(const struct table *table, struct cluster *cluster)
{
    double *scratch = memory_new(table->columns + 1, sizeof *scratch);
    double *deviation = memory_new(table->points + 1, sizeof *deviation);
    double *median = memory_new(table->points + 1, sizeof *median);
    for (size_t p = 0; p < table->points; p++) {
        size_t known;
        median[p] = median_of_row(table->log_seconds + p * table->columns, table->columns, scratch, &known);
        median[p] = known >= DEVICES_LEAST ? median[p] : NAN;
        cluster->points += known >= DEVICES_LEAST;
    }
    for (size_t d = 0; d < table->columns; d++) {
        size_t many = 0;
        for (size_t p = 0; p < table->points; p++) {
            double from = table->log_seconds[p * table->columns + d] - median[p];
            if (!isnan(from))
                deviation[many++] = from;
        }
        quantile_sort(deviation, many);
        cluster->device[d].low = many ? statistics_quantile(deviation, many, 0.05) : NAN;
        cluster->device[d].high = many ? statistics_quantile(deviation, many, 0.95) : NAN;
    }
    free(median);
    free(deviation);
    free(scratch);
}

/* A node is a host name. */
static struct components split(const struct dataset *dataset, const struct table *table, size_t *nodes)
{
    const struct frame *devices = &dataset->devices;
    uint32_t *node = memory_new(devices->rows + 1, sizeof *node);
    struct components *each = memory_new(table->points + 1, sizeof *each);
    *nodes = 0;
    for (size_t d = 0; d < devices->rows; d++) {
        size_t k = 0;
        if (table->column[d] == UINT32_MAX)
            continue;
        while (k < d && (table->column[k] == UINT32_MAX ||
                         strcmp(frame_find_text(devices, k, DEVICE_COLUMN(host)),
                                frame_find_text(devices, d, DEVICE_COLUMN(host))) != 0))
            k++;
        node[d] = k < d ? node[k] : (uint32_t)(*nodes)++;
    }
    for (size_t p = 0; p < table->points; p++)
        each[p] = components_of(table->point[p].cell, table->point[p].cells, node);
    struct components mean = components_mean(each, table->points);
    free(each);
    free(node);
    return mean;
}

/* The slowest first; devices with too few points last. */
static int compare_devices(const void *a, const void *b)
{
    const struct cluster_device *x = a, *y = b;
    bool none_x = isnan(x->judged.effect), none_y = isnan(y->judged.effect);
    if (none_x != none_y)
        return none_x - none_y;
    if (!none_x && x->judged.effect != y->judged.effect)
        return x->judged.effect < y->judged.effect ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

static struct cluster cluster_of(const struct dataset *dataset, const char *product, double threshold)
{
    struct table table = table_of(dataset, product);
    struct cluster cluster = {.product = product, .devices = table.columns};
    struct fleet_device *judged = memory_new(table.columns + 1, sizeof *judged);
    cluster.device = memory_new(table.columns + 1, sizeof *cluster.device);
    cluster.rule = (struct fleet_rule){
        .threshold = threshold, .alarms = ALARMS, .floor = process_error(&table, &cluster)};
    cluster.fleet = fleet_judge(&(struct fleet_times){table.log_seconds, table.points, table.columns},
                                &cluster.rule, judged);
    fill_ranges(&table, &cluster);
    for (size_t row = 0; row < dataset->devices.rows; row++)
        if (table.column[row] != UINT32_MAX) {
            cluster.device[table.column[row]].row = row;
            cluster.device[table.column[row]].judged = judged[table.column[row]];
        }
    cluster.components = split(dataset, &table, &cluster.nodes);
    qsort(cluster.device, cluster.devices, sizeof *cluster.device, compare_devices);
    free(judged);
    table_free(&table);
    return cluster;
}

struct cluster *clusters_of(const struct dataset *dataset, double threshold, size_t *count)
{
    const struct frame *devices = &dataset->devices;
    struct cluster *clusters = memory_new(devices->rows + 1, sizeof *clusters);
    *count = 0;
    for (size_t d = 0; d < devices->rows; d++) {
        const char *product = frame_find_text(devices, d, DEVICE_COLUMN(name));
        size_t k = 0;
        while (k < d && !is_of(dataset, k, product))
            k++;
        if (k == d)
            clusters[(*count)++] = cluster_of(dataset, product, threshold);
    }
    return clusters;
}

void cluster_free(struct cluster *cluster)
{
    free(cluster->device);
    *cluster = (struct cluster){0};
}
