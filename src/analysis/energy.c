#include "analysis/energy.h"

#include <math.h>
#include <string.h>

#include "output/sheet.h"
#include "statistics/student.h"

/* Logarithms of the ratios: their number, sum, sum of squares, and of the squared half-widths of their intervals. */
struct sums {
    double n, sum, squares, halves;
};

static double real_of(const struct entry *entry, const char *column)
{
    return entry->dataset ? frame_find_real(&entry->dataset->results, entry->row, column) : NAN;
}

/* Half-width of the interval of the logarithm. */
static double half_of(const struct entry *entry)
{
    return log(real_of(entry, COLUMN(energy_high)) / real_of(entry, COLUMN(energy_low))) / 2;
}

static struct sums sums_of(const struct comparison *comparison, size_t section, const char *kernel)
{
    struct sums sums = {0};
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct comparison_pair *pair = &comparison->pair[i];
        comparison_evict_at(comparison, i);
        double ratio = log(real_of(&pair->b, COLUMN(energy)) / real_of(&pair->a, COLUMN(energy)));
        if (pair->section != section || !isfinite(ratio) ||
            (kernel &&
             strcmp(frame_find_text(&pair->a.dataset->results, pair->a.row, COLUMN(kernel)), kernel) != 0))
            continue;
        sums.n++;
        sums.sum += ratio;
        sums.squares += ratio * ratio;
        sums.halves += pow(half_of(&pair->a), 2) + pow(half_of(&pair->b), 2);
    }
    return sums;
}

/* The scatter over points, and the uncertainty of each. */
static double half_of_mean(const struct sums *sums)
{
    double n = sums->n, mean = sums->sum / n, half = 0;
    if (n > 1)
        half = student_critical(0.05, n - 1) * sqrt(fmax(0, sums->squares / n - mean * mean) / (n - 1));
    return sqrt(half * half + sums->halves / (n * n));
}

void energy_print(FILE *out, const struct comparison *comparison, const struct group *groups, size_t count,
                  size_t section)
{
    static const char *const header[] = {"family", "points", "energy B / A", "95 % interval"};
    struct sheet sheet = sheet_new("", false);
    bool any = false;
    for (int i = 0; i < 4; i++)
        sheet_head(&sheet, i ? SHEET_RIGHT : SHEET_WORDS, "", "%s", header[i]);
    for (size_t g = 0; g < count; g++) {
        if (groups[g].section != section)
            continue;
        struct sums sums = sums_of(comparison, section, groups[g].kernel);
        double ratio = sums.sum / sums.n, half = half_of_mean(&sums);
        if (!(sums.n > 0))
            continue;
        any = true;
        sheet_text(&sheet, "%s", groups[g].kernel ? groups[g].kernel : "all");
        sheet_text(&sheet, "%.0f", sums.n);
        sheet_text(&sheet, "%.3f", exp(ratio));
        if (isnan(half))
            sheet_text(&sheet, "-");
        else
            sheet_text(&sheet, "%.3f to %.3f", exp(ratio - half), exp(ratio + half));
    }
    if (any) {
        fputs("\n  energy of a launch; the interval is over points and their loops, not over runs\n", out);
        sheet.indent = 2;
        sheet_print(out, MARKUP_TEXT, SHEET_PLAIN, &sheet);
    }
    sheet_free(&sheet);
}
