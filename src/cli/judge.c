/* judge - is this machine as it should be? */
#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/health.h"
#include "analysis/tables.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "output/document.h"
#include "process/shipped.h"

#define FILES_MAX 256
#define LIST_MAX  (64 << 10) /* bytes of references.txt */

static const struct command_option options[] = {
    {"threshold", 't', "SHARE", "1%", NULL, "the smallest difference that matters"},
    {"format", 'f', "FORMAT", "md", document_formats, "Markdown, or LaTeX for \\input"},
    {"quiet", 'q', NULL, NULL, NULL, "print devices with a deviation only"},
    OPTION_SALVAGE,
    {0},
};

/* ---- References ---- */

struct references {
    struct dataset *file;
    size_t count;
};

static void references_free(struct references *references)
{
    datasets_free(references->file, references->count);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

static int add_reference(struct references *references, const char *path, struct error *error)
{
    references->file = memory_resize(references->file, references->count + 1, sizeof *references->file);
    if (dataset_read_columns(path, true, &references->file[references->count], error) != 0)
        return -1;
    references->count++;
    return 0;
}

/* The files that analysis/references.txt lists, without the one to judge. */
static int add_shipped(struct references *references, const struct arguments *arguments, struct error *error)
{
    static const char list[] = "references.txt";
    char *folder = shipped_folder(NULL, list, error), *rest = NULL;
    struct text path = {0};
    size_t length;
    if (!folder)
        return -1;
    text_add(&path, "%s/%s", folder, list);
    char *lines = io_read_file(path.data, LIST_MAX, &length, error);
    int failed = lines ? 0 : -1;
    for (char *line = lines ? strtok_r(lines, "\n", &rest) : NULL; line && !failed;
         line = strtok_r(NULL, "\n", &rest)) {
        path.length = 0;
        text_add(&path, "%s/%s", folder, line);
        if (*line != '#' && !is_same_file(path.data, arguments->operand[0]))
            failed = add_reference(references, path.data, error);
    }
    free(lines);
    free(folder);
    text_free(&path);
    return failed;
}

static int read_references(struct references *references, const struct arguments *arguments,
                           struct error *error)
{
    if (arguments->operands == 1)
        return add_shipped(references, arguments, error);
    for (int i = 1; i < arguments->operands; i++) {
        if (is_same_file(arguments->operand[i], arguments->operand[0]))
            return error_set(error, ERROR_USAGE, "%s is the file to judge: it cannot be its own reference",
                             arguments->operand[i]);
        if (add_reference(references, arguments->operand[i], error) != 0)
            return -1;
    }
    return 0;
}

/* ---- What is printed ---- */

static void put_percent(struct document *document, double ratio)
{
    if (isnan(ratio))
        document_cell(document, "-");
    else
        document_cell(document, "%+.1f", 100 * (ratio - 1));
}

static void print_part(struct document *document, const struct health *health, enum health_part part)
{
    const struct verdict_ratio *ratio = &health->part[part].ratio;
    struct text cause = {0};
    if (health_is_slow(health, part))
        health_cause(health, part, &cause);
    document_cell(document, "%s", health_parts[part].description);
    document_cell(document, "%zu", health->part[part].points);
    put_percent(document, ratio->ratio);
    put_percent(document, ratio->low);
    put_percent(document, ratio->high);
    document_cell(document, "%s", health_is_slow(health, part) ? "SLOW" : verdict_words[ratio->verdict]);
    document_cell(document, "%s", cause.data ? cause.data : "");
    text_free(&cause);
}

static void print_parts(struct document *document, const struct health *health)
{
    static const char *const heads[] = {"part", "points", "time, %", "from", "to", "verdict", "likely cause"};
    document_table_begin(document, "lrrrrll", heads);
    for (int part = 0; part < HEALTH_PART_COUNT; part++)
        if (health->part[part].points)
            print_part(document, health, (enum health_part)part);
    document_table_end(document);
}

static void print_facts(struct document *document, const struct health *health)
{
    static const char *const heads[] = {"property", "here", "reference", "verdict"};
    if (!health->facts)
        return;
    document_table_begin(document, "lllr", heads);
    for (size_t i = 0; i < health->facts; i++) {
        const struct health_fact *fact = &health->fact[i];
        document_cell(document, "%s", fact->column);
        document_cell(document, "%s", fact->here);
        document_cell(document, "%s", fact->there);
        document_cell(document, "%s", !fact->judged ? "not judged" : fact->fault ? "WRONG" : "differs");
    }
    document_table_end(document);
}

/* A device without links to others has none to judge. */
static void print_unjudged(struct document *document, const struct frame *devices,
                           const struct health *health)
{
    struct text names = {0};
    bool linked = frame_find_integer(devices, health->device, DEVICE_COLUMN(nvlinks)) > 0;
    for (int part = 0; part < HEALTH_PART_COUNT; part++)
        if (!health->part[part].points && part != HEALTH_other && (part != HEALTH_link_peer || linked))
            text_add(&names, "%s%s", names.length ? ", " : "", health_parts[part].description);
    if (names.length)
        document_paragraph(document, "Not judged, for lack of points in common with a reference: %s.",
                           names.data);
    text_free(&names);
}

static void print_device(struct document *document, const struct dataset *file, const struct health *health)
{
    const struct frame *devices = &file->devices;
    document_heading(document, 2, "Device %zu: %s on %s, %s: %s", health->device,
                     frame_find_text(devices, health->device, DEVICE_COLUMN(name)),
                     frame_find_text(devices, health->device, DEVICE_COLUMN(host)),
                     frame_find_text(devices, health->device, DEVICE_COLUMN(uuid)),
                     health_is_wrong(health) ? "NOT AS IT SHOULD BE" : "as it should be");
    print_parts(document, health);
    print_facts(document, health);
    if (health->failed)
        document_paragraph(document, "%zu of its points FAILED: warpsweep status lists them.",
                           health->failed);
    print_unjudged(document, devices, health);
}

/* Returns the exit code; -1 if a device has no reference. */
static int print(struct document *document, const struct arguments *arguments, const struct dataset *file,
                 const struct references *references, double threshold, struct error *error)
{
    size_t devices;
    struct health *health = health_of(file, references->file, references->count, threshold, &devices);
    int code = EXIT_FINE;
    if (!devices)
        code = error_set(error, ERROR_USAGE, "%s: no device has measured a point", arguments->operand[0]);
    for (size_t d = 0; d < devices && code >= 0; d++)
        if (!health[d].references)
            code = error_set(error, ERROR_USAGE,
                             "no reference for device %zu, %s: give results files of good devices of this "
                             "product, measured by the same job",
                             health[d].device,
                             frame_find_text(&file->devices, health[d].device, DEVICE_COLUMN(name)));
    if (code >= 0)
        document_heading(document, 1, "Are the devices as they should be?");
    for (size_t d = 0; d < devices && code >= 0; d++) {
        bool wrong = health_is_wrong(&health[d]);
        if (wrong || !options_given(arguments, "quiet"))
            print_device(document, file, &health[d]);
        code = wrong ? EXIT_POINTS : code;
    }
    free(health);
    return code;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct document document = document_new(stdout, options_text(arguments, "format"));
    struct references references = {0};
    struct dataset file;
    double threshold;
    int code = -1;
    if (options_share(arguments, "threshold", &threshold, error) != 0 ||
        dataset_read_columns(arguments->operand[0], true, &file, error) != 0)
        return -1;
    if (read_references(&references, arguments, error) == 0)
        code = print(&document, arguments, &file, &references, threshold, error);
    references_free(&references);
    dataset_free(&file);
    return code;
}

const struct command command_judge = {
    .name = "judge",
    .operands = "FILE.h5 [GOOD.h5]...",
    .operands_min = 1,
    .operands_max = FILES_MAX,
    .summary = "is this machine right? A results file against those of good devices",
    .details =
        "Compares each device of a file with devices of the same product that are known to be good. It\n"
        "judges the times of each part of the machine: arithmetic, shared memory, L2, DRAM, host links. It\n"
        "lists what the driver tells differently: clocks, power limit, ECC, PCIe lanes, NVLinks.\n"
        "\n"
        "A part is slow if it is slower than in every reference by more than the threshold, with an error\n"
        "rate of one in a thousand. The threshold of links is at least 5 %, that of latencies of L2 and "
        "DRAM\n"
        "10 %, because good devices differ by half of that. The table shows the nearest reference, the 95 %\n"
        "interval, and a likely cause. Intervals include what another unit adds, if the profile tells.\n"
        "\n"
        "Without GOOD.h5, the references are files that ship with warpsweep: two H100s and two H200s, by\n"
        "jobs/paper.yaml. The points of jobs/judge.yaml are among them. Your own references are results\n"
        "files of jobs/judge.yaml from devices that you trust: the more, the better.\n"
        "\n"
        "Exit code: 1 if a part is slow, a property of the hardware is wrong, or a point failed; 2 if there\n"
        "is no reference for a device.\n",
    .examples = "  mpirun -n 8 warpsweep run jobs/judge.yaml -o node17.h5\n"
                "  warpsweep judge node17.h5\n"
                "  warpsweep judge node17.h5 good1.h5 good2.h5\n",
    .options = options,
    .run = run,
};
