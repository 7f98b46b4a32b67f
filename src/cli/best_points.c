#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/dtype.h"

static const char variant[] = "variant", dtype[] = "dtype"; /* axes: of every family, and of many */

/* What a point can be fast by. Its roof, its interval and who is faster at the same work are the readers' to
 * say. */
static const struct rate {
    const char *unit;
    double tera; /* SI units from which on it is in T, below in G; 0: in neither */
    bool lower;  /* is better */
} rates[] = {
    {"cycles", 0, true},
    {"FLOP/s", 1e12, false},
    {"OP/s", 1e12, false},
    {"B/s", 9999e9, false},
};
enum { LATENCY, FLOP_RATE, OPERATIONS, BANDWIDTH, RATES };

struct best {
    double rate;
    size_t row, points;
};
struct family_best {
    const char *kernel;
    struct best of[RATES];
};

static double rate_of(const struct frame *results, size_t row, int which)
{
    const double seconds = frame_find_real(results, row, COLUMN(time_median));
    if (which == LATENCY)
        return frame_find_real(results, row, COLUMN(latency_p50));
    if (which == FLOP_RATE || which == OPERATIONS)
        return frame_find_real(results, row, COLUMN(flops)) / seconds;
    return (frame_find_real(results, row, COLUMN(bytes_read)) +
            frame_find_real(results, row, COLUMN(bytes_written))) /
           seconds;
}

static int own_rate(const struct frame *results, size_t row)
{
    const char *roof = frame_find_text(results, row, COLUMN(roof));
    const bool arithmetic = !strncmp(roof, "flop_", 5) || !strncmp(roof, "tensor_", 7);
    if (rate_of(results, row, LATENCY) > 0)
        return LATENCY;
    if (!arithmetic && rate_of(results, row, BANDWIDTH) > 0)
        return BANDWIDTH;
    return dtype_is_integer(frame_find_text(results, row, dtype)) ? OPERATIONS : FLOP_RATE;
}

static void take(struct family_best *family, const struct frame *results, size_t row)
{
    const int which = own_rate(results, row);
    struct best *best = &family->of[which];
    const double rate = rate_of(results, row, which);
    if (!(rate > 0))
        return;
    if (!best->points++ || (rates[which].lower ? rate < best->rate : rate > best->rate)) {
        best->rate = rate;
        best->row = row;
    }
}

/* By the rate that most of its points have. */
static void print_family(const struct frame *results, const struct family_best *family)
{
    int which = 0;
    for (int i = 1; i < RATES; i++)
        if (family->of[i].points > family->of[which].points)
            which = i;
    const struct best *best = &family->of[which];
    const struct rate *rate = &rates[which];
    const bool scaled = rate->tera > 0, tera = best->rate >= rate->tera;
    const double large = tera ? 1e12 : 1e9;
    const char *prefix = tera ? "T" : "G";
    if (best->points)
        fprintf(stderr, "  %s: %.4g %s%s (%s, id %s)\n", family->kernel,
                scaled ? best->rate / large : best->rate, scaled ? prefix : "", rate->unit,
                frame_find_text(results, best->row, variant),
                frame_find_text(results, best->row, COLUMN(id)));
}

void best_points_print(const char *path, const struct dataset *file)
{
    const struct frame *results = &file->results;
    struct family_best *family = NULL;
    size_t families = 0;
    struct text quoted = {0};
    for (size_t row = 0; row < results->rows; row++) {
        const char *kernel = frame_find_text(results, row, COLUMN(kernel));
        size_t i = 0;
        if (!dataset_is_point(file, row) || dataset_status(file, row) != STATUS_OK)
            continue;
        while (i < families && strcmp(family[i].kernel, kernel) != 0)
            i++;
        if (i == families) {
            family = memory_resize(family, families + 1, sizeof *family);
            family[families++] = (struct family_best){.kernel = kernel};
        }
        take(&family[i], results, row);
    }
    text_add_quoted(&quoted, path);
    if (families)
        fprintf(stderr, "warpsweep: medians of the fastest points:\n");
    for (size_t i = 0; i < families; i++)
        print_family(results, &family[i]);
    if (families)
        fprintf(stderr,
                "warpsweep: with intervals and roofs: warpsweep table %s --top 1\n"
                "warpsweep: draw it with: warpsweep plot %s -o figures\n",
                quoted.data, quoted.data);
    text_free(&quoted);
    free(family);
}
