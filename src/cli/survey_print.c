#include "cli/command.h"

#include <stdio.h>

#include "base/text.h"

#define REASONS_SHOWN 8

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_kernel(const struct survey_kernel *kernel, uint32_t replicates)
{
    printf("\n%s: %zu point%s", kernel->family->space.kernel, kernel->points, plural(kernel->points));
    if (kernel->unsupported)
        printf(", %zu of them unsupported", kernel->unsupported);
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
    text_format_seconds(kernel->seconds * replicates, seconds, sizeof seconds);
    point_describe(&kernel->largest, &largest);
    printf("  to compile   %8zu  distinct kernel%s\n", kernel->codes, plural(kernel->codes));
    printf(
        "  expected     %8s  on one rank with %u process%s per point, as estimated for a data-centre GPU\n",
        seconds, replicates, replicates == 1 ? "" : "es");
    printf("  most memory  %8s  %s\n", bytes, largest.data);
    text_free(&largest);
}

void survey_print(const struct survey *survey, uint32_t replicates)
{
    double seconds = 0;
    for (int k = 0; k < survey->kernels; k++) {
        print_kernel(&survey->kernel[k], replicates);
        seconds += survey->kernel[k].seconds;
    }
    if (survey->kernels > 1) {
        char text[64];
        text_format_seconds(seconds * replicates, text, sizeof text);
        printf("\ntotal: %zu distinct kernel%s to compile, %s expected on one rank (estimate)\n",
               survey->codes, plural(survey->codes), text);
    }
}

void survey_print_head(const struct job *job, const struct grid *grid)
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
