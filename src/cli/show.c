/* show - all data of one point in a results file. */
#include "cli/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/activity.h"
#include "cli/options/user_kernels.h"
#include "core/bound.h"
#include "family/family.h"
#include "output/mark.h"
#include "table/print_text.h"
#include "prediction/judge.h"
#include "prediction/profile_data.h"
#include "table/row_point.h"
#include "statistics/quantile.h"
#include "toolkit/machine_code.h"

static const struct command_option options[] = {
    {"arch", 'a', "ARCH", NULL, NULL,
     "architecture of the machine code; default: that of the point or its device"},
    {"no-code", 0, NULL, NULL, NULL, "without machine code"},
    OPTION_KERNELS,
    OPTION_SALVAGE,
    {0},
};

enum { BINS = 15, BAR_WIDTH = 40, IDS_SHOWN = 10, NAME_WIDTH = 36 };

/* ---- Finding ---- */

/* The row of repeat 0 whose id begins with `id`. */
static int find_row(const struct dataset *file, const char *id, const char *path, size_t *found,
                    struct error *error)
{
    const struct frame *results = &file->results;
    struct text others = {0};
    size_t matches = 0;
    for (size_t row = 0; row < results->rows; row++) {
        const char *own = frame_find_text(results, row, COLUMN(id));
        if (!dataset_is_point(file, row) || strncmp(own, id, strlen(id)) != 0)
            continue;
        *found = row;
        if (matches++ < IDS_SHOWN)
            text_add(&others, "%s%s", matches > 1 ? ", " : "", own);
    }
    if (!matches)
        error_set(error, ERROR_USAGE,
                  "%.200s has no point whose id begins with '%.40s'; `warpsweep table FILE -c id,...` lists "
                  "the ids",
                  path, id);
    else if (matches > 1)
        error_set(error, ERROR_USAGE, "the ids of %zu points begin with '%.40s'; type more digits: %.600s",
                  matches, id, others.data);
    text_free(&others);
    return matches == 1 ? 0 : -1;
}

static bool is_id(const char *text)
{
    size_t length = strspn(text, "0123456789abcdef");
    return length && !text[length] && length <= 16;
}

static int check_operands(const char *id, const char *path, struct error *error)
{
    if (is_id(id))
        return 0;
    if (is_id(path)) {
        struct text quoted = {0};
        text_add_quoted(&quoted, id);
        error_set(error, ERROR_USAGE, "the id comes before the file: warpsweep show %s %s", path,
                  quoted.data);
        text_free(&quoted);
        return -1;
    }
    return error_set(error, ERROR_USAGE,
                     "'%.40s' is not an id; expected up to 16 hexadecimal digits, as in the column id", id);
}

/* ---- Columns ---- */

/* Requests, sectors and elements are printed in full, not with four digits. */
static bool is_count(const struct column *column, union cell cell)
{
    static const char *const scaled[] = {"",      "s",       "%",    "W",      "J", "Hz",
                                         "bytes", "bytes/s", "flop", "flop/s", NULL};
    if (column->type != COLUMN_REAL || !(fabs(cell.real) < 0x1p53) || cell.real != floor(cell.real))
        return false;
    return text_find(scaled, column->unit) < 0;
}

static void print_line(const char *name, const char *text, const char *meaning)
{
    printf("  %-*s %-22s %s\n", NAME_WIDTH, name, text, meaning);
}

static void print_value(const struct column *column, union cell cell)
{
    char text[600];
    if (is_count(column, cell))
        snprintf(text, sizeof text, "%.0f %s", cell.real, column->unit);
    else
        print_human(column, cell, text, sizeof text);
    print_line(column->name, text, column->meaning);
}

/* Files keep a bound only where it was predicted. */
static bool is_unset_bound(const struct column *column, union cell cell)
{
    return (!strcmp(column->name, COLUMN(bound)) || !strcmp(column->name, COLUMN(bound_second))) &&
           !strcmp(cell.text, bound_words[BOUND_none]);
}

/* The bound of a measured point by the time model, as `report --bounds` has it. */
static void print_bound(const struct dataset *file, size_t row, const char *path)
{
    int64_t of = dataset_device_of(file, row);
    struct judged judged = {0};
    if (of < 0 || !profile_device_measured(file, (size_t)of))
        return;
    struct profile profile = profile_of_dataset(file, (size_t)of, path);
    profile_assume(&profile);
    if (!judge_row(file, row, &profile, &judged))
        return;
    char ratio[32];
    snprintf(ratio, sizeof ratio, "%.2f", judge_ratio(&judged));
    printf("\ntime model, from the peaks of the device and the counters\n");
    print_line("bound", bound_words[judged.time.bound], bound_name(judged.time.bound));
    print_line("bound_second", bound_words[judged.time.second], bound_name(judged.time.second));
    print_line("measured / predicted", ratio, "measured time over the time that the model predicts");
}

/* The kernels of a call, as they were recorded. */
static void print_activity(const struct frame *results, size_t row)
{
    const char *text = frame_find_text(results, row, COLUMN(activity));
    double span = frame_find_real(results, row, COLUMN(activity_span));
    struct activity_row kernel;
    if (!*text)
        return;
    printf("\nkernels of one launch\n");
    if (*text != '[') {
        printf("  %s\n", text);
        return;
    }
    printf("  %9s %6s %8s %-16s %-14s %s\n", "us", "share", "launches", "grid", "block", "name");
    while (activity_next(&text, &kernel)) {
        char grid[40] = "-", block[40] = "-";
        if (kernel.grid[0]) {
            snprintf(grid, sizeof grid, "%ux%ux%u", kernel.grid[0], kernel.grid[1], kernel.grid[2]);
            snprintf(block, sizeof block, "%ux%ux%u", kernel.block[0], kernel.block[1], kernel.block[2]);
        }
        printf("  %9.2f %5.1f%% %8u %-16s %-14s %s\n", 1e6 * kernel.seconds, 100 * kernel.seconds / span,
               kernel.count, grid, block, kernel.name);
    }
    printf("  %9.2f %5.1f%% nothing ran\n", 1e6 * span * frame_find_real(results, row, COLUMN(activity_idle)),
           100 * frame_find_real(results, row, COLUMN(activity_idle)));
}

/* The columns of one role. Names of missing ones are added to `missing`. */
static void print_role(const struct frame *results, size_t row, enum column_role role, struct text *missing)
{
    bool headed = false;
    for (int i = 0; i < results->columns; i++) {
        const struct column *column = &results->column[i];
        union cell cell = *frame_cell(results, row, i);
        if (column->role != role)
            continue;
        if (is_unset_bound(column, cell) || !strcmp(column->name, COLUMN(activity)))
            continue;
        if (frame_is_missing(column, cell)) {
            text_add(missing, "%s%s", missing->length ? ", " : "", column->name);
            continue;
        }
        if (!headed)
            printf("\n%s\n", column_role_words[role]);
        headed = true;
        struct column shown = *column;
        if (!strncmp(column->name, COLUMN(roof_rate), strlen(COLUMN(roof_rate))))
            snprintf(shown.unit, sizeof shown.unit, "%s/s",
                     strncmp(frame_find_text(results, row, COLUMN(roof)), "flop", 4) ? "bytes" : "flop");
        print_value(&shown, cell);
    }
}

static void print_folded(const char *head, const char *list)
{
    int width = printf("\n%s:", head);
    while (*list) {
        size_t length = strcspn(list, " ");
        if (width + (int)length > 110)
            width = printf("\n ") - 1;
        width += printf(" %.*s", (int)length, list);
        list += length + strspn(list + length, " ");
    }
    putchar('\n');
}

static void print_columns(const struct dataset *file, size_t row)
{
    struct text missing = {0};
    for (int role = 0; role < ROLE_COUNT; role++)
        print_role(&file->results, row, (enum column_role)role, &missing);
    if (missing.length)
        print_folded("missing", missing.data);
    text_free(&missing);
}

static void print_device(const struct dataset *file, size_t row)
{
    int64_t device = dataset_device_of(file, row);
    if (device < 0)
        return;
    printf("\ndevice %" PRId64 "\n", device);
    for (int i = 0; i < file->devices.columns; i++)
        if (!frame_is_missing(&file->devices.column[i], *frame_cell(&file->devices, (size_t)device, i)))
            print_value(&file->devices.column[i], *frame_cell(&file->devices, (size_t)device, i));
}

/* ---- Samples ---- */

static void print_bins(const double *seconds, size_t count)
{
    size_t bin[BINS] = {0}, most = 0;
    double low = seconds[0], width = (seconds[count - 1] - low) / BINS;
    int bins = width > 0 ? BINS : 1;
    for (size_t i = 0; i < count; i++) {
        int at = width > 0 ? (int)((seconds[i] - low) / width) : 0;
        bin[at < bins ? at : bins - 1]++;
    }
    for (int b = 0; b < bins; b++)
        most = bin[b] > most ? bin[b] : most;
    for (int b = 0; b < bins; b++) {
        char edge[32], bar[BAR_WIDTH + 1];
        size_t filled = (bin[b] * BAR_WIDTH + most - 1) / most; /* at least one mark */
        snprintf(edge, sizeof edge, "%.5g us", 1e6 * (low + b * width));
        memset(bar, '#', filled);
        bar[filled] = '\0';
        printf("  from %14s |%-*s %zu\n", edge, BAR_WIDTH, bar, bin[b]);
    }
}

static void print_samples(const struct dataset *file, size_t row)
{
    const struct frame *results = &file->results;
    int64_t offset = frame_find_integer(results, row, COLUMN(sample_offset)),
            count = frame_find_integer(results, row, COLUMN(sample_count));
    if (count <= 0 || offset < 0)
        return;
    double *seconds = memory_new((size_t)count, sizeof *seconds);
    size_t known = 0;
    uint32_t processes = 0, last = 0;
    for (int64_t i = 0; i < count; i++) {
        const struct sample *sample = &file->samples[offset + i];
        processes += !i || sample->process != last;
        last = sample->process;
        if (!isnan(sample->seconds))
            seconds[known++] = sample->seconds;
    }
    printf("\nsamples: %" PRId64 ", of %u process%s\n", count, processes, processes == 1 ? "" : "es");
    quantile_sort(seconds, known);
    if (known)
        print_bins(seconds, known);
    free(seconds);
}

/* ---- Machine code ---- */

/* The architecture to compile the point for; ARCH_NATIVE with the reason if none is known. */
static arch code_arch(const struct arguments *arguments, const struct dataset *file, size_t row,
                      const struct point *point, const char **why)
{
    arch named;
    const char *given = options_text(arguments, "arch");
    int64_t device = dataset_device_of(file, row), capability = 0;
    if (given && arch_parse(given, &named))
        return named;
    if (device >= 0)
        capability = frame_find_integer(&file->devices, (size_t)device, DEVICE_COLUMN(capability));
    *why = "the point did not run on a GPU; name an architecture with --arch, for example sm_90a";
    named = capability > 0 ? arch_of_device((int)capability, true) : ARCH_NATIVE;
    return family_arch(point, named);
}

/* A failure here is printed, but is no error: the data of the file has been shown. */
static void print_code(const struct arguments *arguments, const struct dataset *file, size_t row)
{
    struct point point;
    struct error error;
    const char *why = "";
    printf("\nmachine code compiled by this build\n");
    fflush(stdout);
    if (!row_point(&file->results, row, &point)) {
        printf("  unknown: this build lacks the kernel or a value of its axes\n");
        return;
    }
    arch native = code_arch(arguments, file, row, &point, &why);
    struct target target = {.capability = arch_capability(native)};
    struct setup setup = point_setup(&point, &target);
    int axis = space_axis(point.space, "arch");
    if (native == ARCH_NATIVE || axis < 0) {
        printf("  none: %s\n", why);
    } else if (!setup_has_code(&setup)) {
        printf("  none: the point runs %s\n",
               setup.engine == ENGINE_CALL ? "a call; its kernels are listed above if they were recorded"
                                           : "vendor code");
    } else if (arch_is_virtual(native)) {
        printf("  none: PTX is compiled by the driver\n");
    } else {
        point.value[axis] = native;
        if (machine_code_print(&point, 1, &error) < 0)
            printf("  %s\n", error.text);
    }
}

/* ---- The command ---- */

static void print_head(const struct dataset *file, size_t row, const char *path)
{
    struct point point;
    struct text description = {0};
    printf("%s of %s", frame_find_text(&file->results, row, COLUMN(id)), path);
    if (row_point(&file->results, row, &point))
        point_describe(&point, &description);
    printf("\n%s\n",
           description.data ? description.data : frame_find_text(&file->results, row, COLUMN(kernel)));
    text_free(&description);
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct dataset file;
    size_t row = 0;
    arch ignored;
    const char *id = arguments->operand[0], *path = arguments->operand[1],
               *given = options_text(arguments, "arch");
    if (given && (!arch_parse(given, &ignored) || ignored == ARCH_NATIVE))
        return error_set(error, ERROR_USAGE,
                         "--arch '%.40s': unknown architecture; expected for example sm_90 or sm_90a", given);
    if (check_operands(id, path, error) != 0 || user_kernels_load(arguments, error) != 0 ||
        dataset_read_columns(path, true, &file, error) != 0)
        return -1;
    int failed = find_row(&file, id, path, &row, error);
    if (!failed) {
        mark_print(stdout, MARKUP_TEXT, "", "\n");
        print_head(&file, row, path);
        print_columns(&file, row);
        print_activity(&file.results, row);
        print_bound(&file, row, path);
        print_device(&file, row);
        print_samples(&file, row);
        if (!options_given(arguments, "no-code"))
            print_code(arguments, &file, row);
    }
    dataset_free(&file);
    return failed ? -1 : EXIT_FINE;
}

const struct command command_show = {
    .name = "show",
    .operands = "ID FILE.h5",
    .operands_min = 2,
    .operands_max = 2,
    .summary = "print all data of one point: columns, device, samples, machine code",
    .details =
        "ID is the value of the column `id`, or its first digits if no other point begins with them. "
        "Columns\n"
        "are grouped by role and printed with unit and meaning; missing ones are listed at the end. The\n"
        "samples are printed as a histogram.\n"
        "\n"
        "The machine code is compiled by this build for the architecture of the point's device. It shows\n"
        "registers, the main loop, memory accesses, and whether the family's claims hold. This needs\n"
        "nvdisasm.\n",
    .examples =
        "  warpsweep show 1ab3c62c802db7c5 results.h5\n"
        "  warpsweep show 1ab3 results.h5 --no-code\n"
        "  warpsweep show \"$(warpsweep table results.h5 --top 1 -c id -f tsv | tail -n 1)\" results.h5\n",
    .options = options,
    .run = run,
};
