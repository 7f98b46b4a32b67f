/* kernels - the families, their axes and variants. */
#include "cli/command.h"

#include "family/code_list.h"
#include "kernels/registry.h"

static const struct command_option options[] = {OPTION_KERNELS, OPTION_HELP};

static void print_values(const struct axis *axis)
{
    char least[AXIS_TEXT_SIZE], most[AXIS_TEXT_SIZE];
    if (axis->kind == AXIS_WORD) {
        for (const char *const *word = axis->words; *word; word++)
            printf("%s%s", word == axis->words ? "" : ", ", *word);
    } else if (axis->kind == AXIS_ARCH) {
        printf("native, or an architecture such as sm_90, sm_90a, sm_100f, compute_80");
    } else {
        axis_format(axis, axis->least, least);
        axis_format(axis, axis->most, most);
        const char *unit = axis->kind == AXIS_COUNT ? axis->unit : "";
        printf("%s to %s%s%s", least, most, *unit ? " " : "", unit);
    }
}

static void show_family(const struct family *family)
{
    printf("%s - %s\n", family->space.kernel, family->summary);
    if (family->node_exclusive)
        printf("Runs one point at a time per node, because it loads the host link.\n");
    printf("\nAxes:\n");
    for (int i = 0; i < family->space.count; i++) {
        const struct axis *axis = &family->space.axes[i];
        printf("  %-10s %s%s\n%13svalues: ", axis->name, axis->summary,
               axis->compiled ? " (compiled in)" : "", "");
        print_values(axis);
        printf("\n%13sdefault: %s\n", "", axis->standard);
    }
    if (family->call)
        printf("\nCall: its function `call` queues the launches%s.\n",
               family->call_on_host ? ", also on the host back end"
                                    : "; the host back end runs the reference");
    if (family->code)
        printf("\nMachine code: %s, %zu files\n", family->code->path, family->code->count);
}

static int unknown_family(const char *name, struct error *error)
{
    const char *known[FAMILIES_MAX + 1] = {NULL};
    for (int i = 0; families[i]; i++) {
        const struct space *space = &families[i]->space;
        const int variant = space_axis(space, "variant");
        known[i] = space->kernel;
        if (variant >= 0 && text_find(space->axes[variant].words, name) >= 0)
            return error_set(error, ERROR_USAGE,
                             "unknown kernel '%.60s'; it is a variant of %s: warpsweep kernels %s", name,
                             known[i], known[i]);
    }
    return suggest_unknown(error, "kernel", name, known);
}

static int run(const struct arguments *arguments, struct error *error)
{
    const char *name = arguments->operands ? arguments->operand[0] : NULL;
    if (user_kernels_load(arguments, error) != 0)
        return -1;
    const struct family *family = name ? family_find(name) : NULL;
    if (name && !family)
        return unknown_family(name, error);
    if (family) {
        show_family(family);
        return EXIT_FINE;
    }
    for (const struct family *const *one = families; *one; one++)
        printf("%-14s %s\n", (*one)->space.kernel, (*one)->summary);
    printf("\nwarpsweep kernels NAME shows a kernel's axes and variants.\n");
    return EXIT_FINE;
}

const struct command command_kernels = {
    .name = "kernels",
    .operands = "[NAME]",
    .operands_max = 1,
    .summary = "list the kernels, or one kernel's axes and variants",
    .examples = "  warpsweep kernels\n  warpsweep kernels copy\n"
                "  warpsweep kernels --kernels my_kernels\n",
    .options = options,
    .run = run,
};
