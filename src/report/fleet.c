#include "report/report.h"

#include <math.h>
#include <stdlib.h>

#include "results/cluster.h"

enum { DEVICES_LEAST = 3 };

static double percent(double logarithm)
{
    return 100 * expm1(logarithm);
}

static void print_device(struct document *document, const struct dataset *dataset,
                         const struct cluster_device *device, size_t rank)
{
    const struct frame *devices = &dataset->devices;
    const struct fleet_device *judged = &device->judged;
    const char *pci = frame_find_text(devices, device->row, DEVICE_COLUMN(pci)),
               *uuid = frame_find_text(devices, device->row, DEVICE_COLUMN(uuid));
    const char *verdict = !judged->outlier ? "" : judged->effect > 0 ? "OUTLIER: slow" : "OUTLIER: fast";
    document_cells(document, "%zu\t%zu\t%s\t%s", rank, device->row,
                   frame_find_text(devices, device->row, DEVICE_COLUMN(host)), *pci ? pci : uuid);
    document_number(document, "%+.2f", percent(judged->effect));
    document_number(document, "%+.1f", judged->z);
    document_cells(document, "%zu of %zu\t%s", judged->agree, judged->points, verdict);
}

static void print_devices(struct document *document, const struct dataset *dataset,
                          const struct cluster *cluster)
{
    static const char *const header[] = {
        "rank", "device", "host", "address", "slower by, %", "z", "points that say so", "verdict"};
    document_table_begin(document, "rrllrrrl", header);
    for (size_t i = 0; i < cluster->devices; i++)
        print_device(document, dataset, &cluster->device[i], i + 1);
    document_table_end(document);
}

static void print_level(struct document *document, const char *name, double variance, double total,
                        const char *unknown)
{
    bool known = !isnan(variance);
    document_cell(document, "%s", name);
    document_number(document, "%.2f", known ? 100 * components_sd(variance) : NAN);
    document_number(document, "%.0f", known ? 100 * fmax(0, variance) / total : NAN);
    document_cell(document, "%s", known ? "" : unknown);
}

/* Shares of the variance of a single sample over all levels. */
static void print_split(struct document *document, const struct cluster *cluster)
{
    const struct components *c = &cluster->components;
    const double parts[] = {c->node, c->device, c->process, c->sample};
    double total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        total += parts[i] > 0 ? parts[i] : 0;
    document_paragraph(
        document, "Where the variance of a sample's time comes from, mean over points, outliers included:");
    document_table_begin(document, "lrrl",
                         (const char *const[]){"level", "standard deviation, %", "share of the variance, %",
                                               "not known because"});
    print_level(document, "node", c->node, total,
                cluster->nodes < 2 ? "one node" : "each node has one device");
    print_level(document, "GPU", c->device, total, "one device a point");
    print_level(document, "process", c->process, total, "one process a device");
    print_level(document, "sample", c->sample, total, "");
    document_table_end(document);
}

static void print_assumed(struct document *document, const struct cluster *cluster)
{
    const struct fleet_rule *rule = &cluster->rule;
    document_paragraph(document,
                       "A device's effect is the median over points of its time relative to the median of "
                       "all devices. Effects of equal devices have a standard deviation of %.2f %%, and are "
                       "assumed to be normal. An outlier is at least %g %% and %.1f standard errors (z) "
                       "away, which happens to one of %zu equal devices in one fleet of %.0f.",
                       100 * cluster->fleet.spread, 100 * rule->threshold, cluster->fleet.critical,
                       cluster->devices, 1 / rule->alarms);
    if (rule->floor > 0)
        document_paragraph(document,
                           "Processes alone move a device's effect by %.2f %%: the spread of devices is "
                           "taken to be at least that.",
                           100 * rule->floor);
    else
        document_paragraph(
            document,
            "One process measured on each device, so effects of devices and of processes cannot be "
            "separated: an outlier may be gone in the next run. timing: {replicates: 3} separates them.");
}

static size_t print_cluster(struct document *document, const struct dataset *dataset,
                            const struct cluster *cluster)
{
    size_t outliers = 0;
    for (size_t i = 0; i < cluster->devices; i++)
        outliers += cluster->device[i].judged.outlier;
    document_heading(document, 2, "%s: %zu device%s on %zu node%s", cluster->product, cluster->devices,
                     cluster->devices == 1 ? "" : "s", cluster->nodes, cluster->nodes == 1 ? "" : "s");
    if (cluster->devices < DEVICES_LEAST || !cluster->points) {
        document_paragraph(document,
                           "Nothing to rank: ranking needs three devices of a product that measured the same "
                           "points. timing: {devices: all} in the job measures every point on every device.");
        return 0;
    }
    document_paragraph(document, "%zu points, %zu outlier%s.", cluster->points, outliers,
                       outliers == 1 ? "" : "s");
    print_devices(document, dataset, cluster);
    print_split(document, cluster);
    print_assumed(document, cluster);
    return outliers;
}

size_t report_fleet(struct document *document, const struct dataset *dataset, double threshold)
{
    size_t count, outliers = 0;
    struct cluster *clusters = clusters_of(dataset, threshold, &count);
    document_heading(document, 1, "The devices of a fleet");
    for (size_t i = 0; i < count; i++) {
        outliers += print_cluster(document, dataset, &clusters[i]);
        cluster_free(&clusters[i]);
    }
    if (!count)
        document_paragraph(document, "This file has no device.");
    outliers += report_links(document, dataset, threshold);
    free(clusters);
    return outliers;
}
