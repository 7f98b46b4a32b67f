/* Accuracy of the time model by what a prediction knew: the prediction that the run stored, and today's without compiled code,
 * with it, and with counted instructions. */
#include <stdlib.h>

#include "base/memory.h"
#include "prediction/judge.h"
#include "report/report.h"

static void share_cell(struct document *document, size_t part, size_t of)
{
    document_cell(document, "%.1f %%", 100 * (double)part / (double)of);
}

static void print_row(struct document *document, const char *source, const struct verdicts *v, bool addresses)
{
    size_t points = 0, near = 0, within = 0, faster = 0;
    for (size_t i = 0; i < v->points; i++) {
        double ratio = judge_ratio(&v->point[i]);
        if (addresses && !v->point[i].addresses)
            continue;
        points++;
        near += judge_within(ratio, JUDGE_NEAR);
        within += judge_within(ratio, JUDGE_WRONG);
        faster += ratio < 1;
    }
    if (!points)
        return;
    struct ranking ranking = judge_ranking(v->point, v->points, addresses);
    document_cells(document, "%s\t%s\t%zu", source, addresses ? "known" : "known or not", points);
    share_cell(document, near, points);
    share_cell(document, within, points);
    share_cell(document, faster, points);
    document_cell(document, "%zu / %zu", ranking.right, ranking.pairs);
}

static void print_rows(struct document *document, const char *source, const struct verdicts *v)
{
    print_row(document, source, v, true);
    print_row(document, source, v, false);
}

/* The same points with the predictions that the file holds. Points without one are left out. */
static struct verdicts stored_of(const struct dataset *dataset, const struct verdicts *judged)
{
    struct verdicts stored = {.point = memory_new(judged->points + 1, sizeof *stored.point)};
    for (size_t i = 0; i < judged->points; i++) {
        struct judged *p = &stored.point[stored.points];
        *p = judged->point[i];
        p->time.seconds = frame_find_real(&dataset->results, p->row, COLUMN(predicted_time));
        stored.points += p->time.seconds > 0;
    }
    return stored;
}

int report_accuracy(struct document *document, const struct dataset *dataset, size_t device,
                    const struct profile *profile, enum code_use use, const struct verdicts *judged,
                    struct error *error)
{
    static const struct {
        enum code_use use;
        const char *source;
    } rows[] = {{CODE_NONE, "before a run, --code none"},
                {CODE_INSTRUCTIONS, "before a run, --code instructions"},
                {CODE_COUNTED, "after a run, --code counted"}};
    struct verdicts stored = stored_of(dataset, judged);
    int failed = 0;
    document_paragraph(document, "Accuracy by what a prediction knew. Useful bytes and flops are all that is "
                                 "known of points whose addresses are not.");
    document_table_begin(document, "llrrrrr",
                         (const char *const[]){"prediction", "addresses", "points", "within 7 %",
                                               "within 15 %", "faster than predicted", "variants in order"});
    print_rows(document, "before the run, as stored in the file", &stored);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !failed; i++) {
        struct verdicts other = {0};
        if (rows[i].use == use) {
            print_rows(document, rows[i].source, judged);
        } else if (rows[i].use != CODE_INSTRUCTIONS) { /* compiling takes minutes: only if asked for */
            failed = judge(dataset, device, profile, rows[i].use, &other, error);
            print_rows(document, rows[i].source, &other);
        }
        free(other.point);
    }
    document_table_end(document);
    free(stored.point);
    return failed;
}
