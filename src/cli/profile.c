/* profile - the numbers of a device that the time model needs, from a results file. */
#include "cli/command.h"

#include "base/text.h"
#include "output/mark.h"
#include "prediction/profile_data.h"
#include "plan/profile_file.h"
#include "report/report.h"

enum { YAML, JSON };
static const char *const formats[] = {"yaml", "json", NULL};

static const struct command_option options[] = {
    {"output", 'o', "FILE", NULL, NULL, "the file to write; default: stdout"},
    {"format", 'f', "FORMAT", "yaml", formats,
     "yaml, which predict reads; json, with knees, laws and points"},
    {"device", 'd', "ROW", "0", NULL, "row of /devices"},
    OPTION_SALVAGE,
    {0},
};

static void print_gaps(const struct profile *profile)
{
    for (int i = 0; i < PROFILE_spread_run_short; i++) /* spreads need several runs */
        if (profile->value[i].value != profile->value[i].value)
            fprintf(stderr, "warpsweep: not measured: %s (%s)\n", profile_info[i].name,
                    profile_info[i].meaning);
}

static int write_to(const struct arguments *arguments, const struct dataset *dataset, size_t device,
                    const struct profile *profile, struct error *error)
{
    const char *path = options_text(arguments, "output");
    FILE *out = path ? fopen(path, "w") : stdout;
    if (!out)
        return error_set(error, ERROR_ENVIRONMENT, "cannot write %s", path);
    if (text_find(formats, options_text(arguments, "format")) == JSON) {
        report_profile_json(out, dataset, device, profile, arguments->operand[0]);
    } else {
        mark_print(out, MARKUP_TEXT, "# ", "\n");
        profile_write(profile, out);
    }
    if ((path ? fclose(out) : fflush(out)) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "cannot write %s", path ? path : "to stdout");
    return EXIT_FINE;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct dataset dataset;
    int64_t device;
    const char *text = options_text(arguments, "device");
    if (!text_parse_integer(text, &device) || device < 0)
        return error_set(error, ERROR_USAGE, "--device '%.40s': expected a row number of /devices", text);
    if (dataset_read_columns(arguments->operand[0], false, &dataset, error) != 0)
        return -1;
    int code = -1;
    if ((size_t)device >= dataset.devices.rows) {
        error_set(error, ERROR_USAGE, "%s has %zu devices, counted from 0; --device %s does not exist",
                  arguments->operand[0], dataset.devices.rows, text);
    } else if (!profile_device_measured(&dataset, (size_t)device)) {
        error_set(error, ERROR_USAGE, "%s: device %s is not a GPU, or has no measured point",
                  arguments->operand[0], text);
    } else {
        struct profile profile = profile_of_dataset(&dataset, (size_t)device, arguments->operand[0]);
        print_gaps(&profile);
        code = write_to(arguments, &dataset, (size_t)device, &profile, error);
    }
    dataset_free(&dataset);
    return code;
}

const struct command command_profile = {
    .name = "profile",
    .operands = "FILE.h5",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "extract a device's numbers for predictions from a results file",
    .details =
        "Writes roofs, floors and capacities from /devices, and other values from the points of\n"
        "jobs/profile.yaml. Each value has a unit, the point it comes from, and an interval if it was\n"
        "measured several times. Missing values are omitted and listed on stderr.\n"
        "\n"
        "With --format json the file is for models and simulators. It adds how many bytes in flight, blocks "
        "and\n"
        "bytes of a message reach 50 and 95 % of the best rate, the laws that the counters keep, and the ids "
        "of the\n"
        "points. Missing values are null with a reason.\n",
    .examples = "  warpsweep run jobs/profile.yaml -o h200-profile.h5\n"
                "  warpsweep profile h200-profile.h5 -o h200.yaml\n"
                "  warpsweep profile results.h5 --format json -o h200.json\n",
    .options = options,
    .run = run,
};
