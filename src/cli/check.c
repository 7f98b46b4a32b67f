/* check - validate and expand a job, and compile its kernels. Needs no GPU. */
#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/metric.h"
#include "family/family.h"
#include "plan/grid.h"
#include "plan/profile_file.h"
#include "toolkit/toolkit.h"

static const struct command_option options[] = {
    JOB_OPTIONS,
    {"arch", 'a', "ARCH", NULL, NULL, "compile all kernels for this architecture; may be repeated"},
    {"profile", 0, "FILE", NULL, NULL,
     "check the points against this device: a profile file, or one of this release, such as b200"},
    {"chip", 0, "NAME", NULL, NULL, "show which of the job's counters this chip has; may be repeated"},
    {"sass", 0, NULL, NULL, NULL, "with --arch: summarise each kernel's machine code"},
    {"points", 0, NULL, NULL, NULL, "list the points: id, status, axes"},
    OPTION_KERNELS,
    OPTION_HELP,
};

#define REASONS_SHOWN 8

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_kernel(const struct survey_kernel *kernel, uint32_t replicates)
{
    const struct expected *expected = &kernel->expected;
    printf("\n%s: %zu point%s", kernel->family->space.kernel, kernel->points, plural(kernel->points));
    if (kernel->unsupported > kernel->failing)
        printf(", %zu of them unsupported", kernel->unsupported - kernel->failing);
    if (kernel->failing)
        printf(", %zu failing", kernel->failing);
    putchar('\n');
    size_t hidden = kernel->unsupported;
    for (size_t i = 0; i < kernel->reasons && i < REASONS_SHOWN; i++) {
        const struct survey_reason *reason = &kernel->reason[i];
        printf("  %-11s  %8zu  %s\n", reason->fails ? "fails" : "unsupported", reason->points, reason->text);
        hidden -= reason->points;
    }
    if (hidden)
        printf("  unsupported  %8zu  for other reasons; check --points lists them\n", hidden);
    if (kernel->unsupported == kernel->points)
        return;
    char bytes[64], seconds[64];
    struct text largest = {0};
    text_format_bytes_short((int64_t)kernel->largest_bytes, bytes, sizeof bytes);
    text_format_seconds(expected->seconds * replicates + expected->once, seconds, sizeof seconds);
    point_describe(&kernel->largest, &largest);
    printf("  to compile   %8zu  distinct kernel%s\n", kernel->codes, plural(kernel->codes));
    printf(
        "  expected     %8s  on one rank with %u process%s per point, as estimated for a data-centre GPU\n",
        seconds, replicates, replicates == 1 ? "" : "es");
    printf("  most memory  %8s  %s\n", bytes, largest.data);
    text_free(&largest);
}

/* The counter columns of the job: those of its set, or the metrics that it lists. */
static int counter_columns(const struct job *job, const char *columns[RESULT_COUNTERS_MAX])
{
    for (int i = 0; i < job->counter_count; i++)
        columns[i] = job->counter[i];
    return *job->counter_set ? metric_set_columns(job->counter_set, columns) : job->counter_count;
}

/* Per kernel: points, unsupported points with reasons, kernels to compile, time of so many processes per
 * point, memory. Then the time of the whole run. */
static void print_survey(const struct survey *survey, const struct job *job)
{
    const char *columns[RESULT_COUNTERS_MAX];
    struct expected all = {0};
    char text[64];
    for (int k = 0; k < survey->kernels; k++) {
        print_kernel(&survey->kernel[k], job->timing.replicates);
        expected_add_all(&all, &survey->kernel[k].expected);
    }
    text_format_seconds(
        expected_run(&all, &job->timing, survey->codes, counter_columns(job, columns), job->energy), text,
        sizeof text);
    if (all.points)
        printf("\ntotal: %zu distinct kernel%s to compile, %s expected on one rank of 16 processors "
               "(estimate: start, compilation, counters and energies included)\n",
               survey->codes, plural(survey->codes), text);
}

/* One line: name, title, sweeps, points, excluded points. */
static void print_head(const struct job *job, const struct grid *grid)
{
    const struct grid_size *size = grid_size(grid);
    printf("%s%s%s: %d sweep%s, %zu point%s", job->path, *job->title ? ", " : "", job->title,
           job->sweep_count, plural((size_t)job->sweep_count), size->points, plural(size->points));
    if (size->excluded)
        printf(", %zu excluded", size->excluded);
    if (size->unwanted)
        printf(", %zu dropped by `only`", size->unwanted);
    if (size->duplicates)
        printf(", %zu duplicates removed", size->duplicates);
    putchar('\n');
    if (job->timing.replicates == 2) /* Student's t with one degree of freedom */
        printf(
            "warning: 2 replicates: a 95 %% interval is 12.7 standard errors to each side, and mostly says "
            "nothing; 3 replicates give 4.3\n");
}

static void print_points(const struct grid *grid, const struct target *target)
{
    struct text line = {0};
    char text[256];
    for (size_t i = 0; i < grid_count(grid); i++) {
        struct point point = grid_point(grid, i);
        const char *reason = family_skip(&point, target, text, sizeof text);
        const char *failure = reason ? NULL : family_failure(&point, target, text, sizeof text);
        line.length = 0;
        point_describe(&point, &line);
        printf("%016" PRIx64 "  %s", grid_id(grid, i), line.data);
        if (reason)
            printf("  unsupported: %s", reason);
        if (failure)
            printf("  fails: %s", failure);
        putchar('\n');
    }
    text_free(&line);
}

/* PTX has no machine code. */
static int check_sass(const struct survey *survey, struct error *error)
{
    struct point *points = memory_new(survey->codes + 1, sizeof *points);
    size_t count = 0;
    for (size_t i = 0; i < survey->codes; i++)
        if (!arch_is_virtual(point_value(&survey->code[i], "arch", ARCH_NATIVE)))
            points[count++] = survey->code[i];
    int failed = machine_code_print(points, count, error);
    free(points);
    return failed;
}

/* Survey and compile the job for one architecture. */
static int check_arch(const struct job *job, const struct grid *grid, struct target target, arch native,
                      bool sass, struct error *error)
{
    char name[ARCH_TEXT_SIZE];
    target.capability = arch_capability(native);
    struct survey survey = survey_take(grid, &job->timing, &target, native);
    arch_format(native, name);
    printf("\n== %s\n", name);
    print_survey(&survey, job);
    fflush(stdout);
    int failures = compile_all(survey.code, survey.codes, error);
    if (!survey.codes)
        printf("\n%s: no kernel to compile\n", name);
    else if (failures >= 0 && survey.codes == 1)
        printf("\n%s: the kernel %s\n", name, failures ? "does not compile" : "compiles");
    else if (failures == 0)
        printf("\n%s: all %zu kernels compile\n", name, survey.codes);
    else if (failures > 0)
        printf("\n%s: %d of %zu kernels do not compile\n", name, failures, survey.codes);
    if (failures == 0 && sass)
        failures = check_sass(&survey, error);
    bool fails = failures > 0 || survey.failing;
    survey_free(&survey);
    if (failures < 0)
        return -1;
    return fails ? EXIT_POINTS : EXIT_FINE;
}

/* Check the job for each --arch; without, only that some device can run some point, and none fails. */
static int check_archs(const struct arguments *arguments, const struct job *job, const struct grid *grid,
                       const struct target *target, struct error *error)
{
    const char *text;
    int worst = EXIT_FINE;
    for (int k = 0; (text = options_each(arguments, "arch", k)) && worst >= 0; k++) {
        arch value;
        arch_parse(text, &value);
        int code = check_arch(job, grid, *target, value, options_given(arguments, "sass"), error);
        worst = code < 0 || code > worst ? code : worst;
    }
    if (options_given(arguments, "arch"))
        return worst;
    struct survey survey = survey_take(grid, &job->timing, target, ARCH_NATIVE);
    bool supported = false;
    print_survey(&survey, job);
    for (int k = 0; k < survey.kernels; k++)
        supported |= survey.kernel[k].unsupported < survey.kernel[k].points;
    worst = supported && !survey.failing ? EXIT_FINE : EXIT_POINTS;
    survey_free(&survey);
    return worst;
}

/* A column that a chip lacks is missing in the results; a metric of CUPTI stops the run. */
static int check_chips(const struct arguments *arguments, const struct job *job, struct error *error)
{
    const char *columns[RESULT_COUNTERS_MAX], *chip;
    const int count = counter_columns(job, columns);
    struct toolkit toolkit;
    puts(count > 0 ? "" : "\nthe job reads no counters");
    if (count <= 0)
        return EXIT_FINE;
    int worst = toolkit_start(&toolkit, "query the counters of a chip", error);
    for (int k = 0; worst >= 0 && (chip = options_each(arguments, "chip", k)); k++) {
        int lacks = chip_print(&toolkit, chip, *job->counter_set ? job->counter_set : "the job", columns,
                               count, error);
        worst = lacks ? EXIT_POINTS : worst;
        if (lacks < 0)
            worst = -1;
    }
    toolkit_stop(&toolkit);
    return worst;
}

/* Error at line and column of metric number `index` in the job file. */
static int fail_at_metric(const struct job *job, int index, struct error *error)
{
    const char *name = job->counter[index],
               **known = memory_new((size_t)metric_count * METRIC_NAMES_MAX + 1, sizeof *known);
    int count = 0;
    for (int i = 0; i < metric_count; i++)
        for (int k = 0; k < METRIC_NAMES_MAX && metrics[i].cupti[k]; k++)
            known[count++] = metrics[i].cupti[k];
    const char *nearest = text_nearest(name, known);
    free(known);
    return error_at(job->path, job->counter_place[index][0], job->counter_place[index][1], error,
                    "counters: no chip of this CUPTI has the metric '%.95s'%s%s%s", name,
                    nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

/* A metric that no chip has is misspelt. Without CUPTI this is not checked, and a note says so. */
static int check_metrics(const struct job *job, struct error *error)
{
    const char *columns[RESULT_COUNTERS_MAX];
    bool has[RESULT_COUNTERS_MAX] = {false};
    struct toolkit toolkit;
    struct error why;
    uint32_t passes;
    const int count = counter_columns(job, columns);
    if (*job->counter_set || count == 0)
        return 0;
    bool asked = toolkit_start(&toolkit, "check the names of metrics", &why) == 0 &&
                 toolkit_ask_chip(&toolkit, CHIP_ANY, columns, count, has, &passes, &why) == 0;
    toolkit_stop(&toolkit);
    if (!asked)
        fprintf(stderr, "warpsweep: note: %s\n", why.text);
    for (int i = 0; i < count && asked; i++)
        if (!has[i])
            return fail_at_metric(job, i, error);
    return 0;
}

static int check_options(const struct arguments *arguments, struct error *error)
{
    const char *text;
    for (int k = 0; (text = options_each(arguments, "arch", k)); k++) {
        arch value;
        if (!arch_parse(text, &value) || value == ARCH_NATIVE)
            return error_set(
                error, ERROR_USAGE,
                "--arch '%.40s': unknown architecture; expected for example sm_90, sm_90a, sm_100a or "
                "compute_80",
                text);
    }
    return 0;
}

static int check_job(const struct arguments *arguments, const struct job *job, const struct grid *grid,
                     const struct device *device, const struct target *target, struct error *error)
{
    if (options_given(arguments, "points")) {
        print_points(grid, target);
        return EXIT_FINE;
    }
    print_head(job, grid);
    if (options_given(arguments, "profile"))
        printf("for %s\n", device->name);
    else if (device->memory_bytes > 0)
        printf("for a device of at most %.4g GiB, as the largest device known, %s\n",
               (double)device->memory_bytes / 0x1p30, device->name);
    int code = check_archs(arguments, job, grid, target, error);
    if (code < 0 || !options_given(arguments, "chip"))
        return code;
    int counted = check_chips(arguments, job, error);
    return counted < 0 || counted > code ? counted : code;
}

static struct target target_of_profile(void *target)
{
    return *(const struct target *)target;
}

static int run(const struct arguments *arguments, struct error *error)
{
    const char *profile = options_text(arguments, "profile");
    struct job_source source;
    struct job job;
    struct grid *grid;
    struct device device;
    struct target target;
    int code = -1;
    if (check_options(arguments, error) != 0 || (profile && profile_read(profile, &device, error) != 0))
        return -1;
    /* Without a profile only memory is checked, against that of the largest device known. */
    target = profile ? target_of_device(&device) : profile_find_largest(&device);
    const struct job_device known = {target_of_profile, &target};
    if (user_kernels_load(arguments, error) != 0 || job_source_read(arguments, &source, error) != 0)
        return -1;
    source.device = profile ? &known : NULL;
    if (compose_job(&source, &job, error) != 0)
        return -1;
    if (grid_expand(&job, &grid, error) == 0 && check_metrics(&job, error) == 0)
        code = check_job(arguments, &job, grid, &device, &target, error);
    grid_free(grid);
    job_free(&job);
    return code;
}

const struct command command_check = {
    .name = "check",
    .operands = "[JOB]",
    .operands_min = 0,
    .operands_max = 1,
    .summary = "validate and expand a job, and compile its kernels; no GPU needed",
    .details =
        "Prints the number of points, the unsupported ones with their reasons, the largest memory needed,\n"
        "and an estimate of the time. Points that need more memory than the device of --profile, or than\n"
        "any known device, are unsupported. --kernel, --set and --only make or change the job, as for run.\n"
        "\n"
        "--arch compiles the kernels by NVRTC and shows its errors. --sass adds registers, instructions,\n"
        "main loop and memory accesses by width; it needs nvdisasm, a part of the CUDA Toolkit. --chip\n"
        "(GH100, GB100, GB110 ...) asks CUPTI which of the job's counters that chip has, and in how many\n"
        "passes.\n"
        "\n"
        "Exit code: 1 if no point is supported, a kernel does not compile, or a chip lacks one of CUPTI's\n"
        "metrics.\n",
    .examples = "  warpsweep check jobs/quickstart.yaml\n"
                "  warpsweep check job.yaml --arch sm_90 --arch sm_100a\n"
                "  warpsweep check job.yaml --set size=1GiB,8GiB --only 'stride<=8'\n"
                "  warpsweep check job.yaml --profile h100\n"
                "  warpsweep check job.yaml --chip GB100\n"
                "  warpsweep check --kernel copy --set vector=4 --sass --arch sm_90a\n"
                "  warpsweep check job.yaml --points | grep unsupported\n",
    .options = options,
    .run = run,
};
