#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/text.h"
#include "store/store.h"

/* Texts of a results file have no control characters, which XML cannot represent. */
static void put_attribute(FILE *out, const char *name, const char *value)
{
    static const char special[] = "&<>\"";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    fprintf(out, " %s=\"", name);
    for (; *value; value++) {
        const char *found = strchr(special, *value);
        if (found)
            fputs(entity[found - special], out);
        else
            fputc(*value, out);
    }
    fputc('"', out);
}

/* Returns its seconds of a worker; 0: it met none. */
static double put_case(FILE *out, const struct dataset *dataset, size_t row)
{
    const struct frame *results = &dataset->results;
    static const char *const elements[STATUS_COUNT] = {[STATUS_UNSUPPORTED] = "skipped",
                                                       [STATUS_FAILED] = "failure",
                                                       [STATUS_CRASHED] = "error",
                                                       [STATUS_TIMED_OUT] = "error",
                                                       [STATUS_UNAVAILABLE] = "skipped"};
    const double seconds = fmax(frame_find_real(results, row, COLUMN(seconds_total)), 0);
    struct point point;
    struct text name = {0};
    enum status status = dataset_status(dataset, row);
    if (row_point(results, row, &point))
        point_describe(&point, &name);
    fputs("    <testcase", out);
    put_attribute(out, "classname", frame_find_text(results, row, COLUMN(kernel)));
    put_attribute(out, "name", name.data ? name.data : frame_find_text(results, row, COLUMN(id)));
    fprintf(out, " time=\"%.6f\"", seconds);
    text_free(&name);
    if (!elements[status]) {
        fputs("/>\n", out);
        return seconds;
    }
    fprintf(out, ">\n      <%s", elements[status]);
    if (status_is_bad(status))
        put_attribute(out, "type", status_words[status]);
    put_attribute(out, "message", frame_find_text(results, row, COLUMN(message)));
    fputs("/>\n    </testcase>\n", out);
    return seconds;
}

int junit_write(const char *path, const char *name, const struct dataset *file, struct error *error)
{
    char *cases = NULL, *text = NULL, time[20] = "";
    size_t of[STATUS_COUNT] = {0}, all = 0, size = 0;
    double seconds = 0;
    FILE *out = open_memstream(&cases, &size);
    for (size_t row = 0; row < file->results.rows; row++)
        if (dataset_is_point(file, row)) {
            of[dataset_status(file, row)]++;
            all++;
            seconds += put_case(out, file, row);
        }
    fclose(out);
    const char *start = dataset_environment(file, "start");
    snprintf(time, sizeof time, "%s", start ? start : ""); /* without the time zone */
    out = open_memstream(&text, &size);
    fprintf(out, JUNIT_BEGINS "  <testsuite");
    put_attribute(out, "name", name);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\"", all,
            of[STATUS_FAILED], of[STATUS_CRASHED] + of[STATUS_TIMED_OUT],
            of[STATUS_UNSUPPORTED] + of[STATUS_UNAVAILABLE], seconds);
    put_attribute(out, "timestamp", time);
    fprintf(out, ">\n%s  </testsuite>\n</testsuites>\n", cases);
    fclose(out);
    int failed =
        io_check_output(path, JUNIT_BEGINS, error) != 0 || io_replace_file(path, text, size, error) != 0;
    free(cases);
    free(text);
    return failed ? -1 : 0;
}
