#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/text.h"
#include "store/store.h"
#include "table/table.h"

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

/* Of a worker; 0: the point met none. */
static double seconds_of(const struct frame *results, size_t row)
{
    return fmax(frame_find_real(results, row, COLUMN(seconds_total)), 0);
}

static void put_case(FILE *out, const struct frame *results, size_t row)
{
    static const char *const elements[STATUS_COUNT] = {[STATUS_UNSUPPORTED] = "skipped",
                                                       [STATUS_FAILED] = "failure",
                                                       [STATUS_CRASHED] = "error",
                                                       [STATUS_TIMED_OUT] = "error",
                                                       [STATUS_UNAVAILABLE] = "skipped"};
    struct point point;
    struct text name = {0};
    enum status status = row_status(results, row);
    if (row_point(results, row, &point))
        point_describe(&point, &name);
    fputs("    <testcase", out);
    put_attribute(out, "classname", frame_find_text(results, row, COLUMN(kernel)));
    put_attribute(out, "name", name.data ? name.data : frame_find_text(results, row, COLUMN(id)));
    fprintf(out, " time=\"%.6f\"", seconds_of(results, row));
    text_free(&name);
    if (!elements[status]) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n      <%s", elements[status]);
    if (status_is_bad(status))
        put_attribute(out, "type", status_words[status]);
    put_attribute(out, "message", frame_find_text(results, row, COLUMN(message)));
    fputs("/>\n    </testcase>\n", out);
}

static void put_suite(FILE *out, const struct dataset *file, const char *path)
{
    const struct frame *results = &file->results;
    const char *start = dataset_environment(file, "start");
    size_t of[STATUS_COUNT] = {0}, all = 0;
    double seconds = 0;
    char time[20] = "";
    for (size_t row = 0; row < results->rows; row++) {
        if (!dataset_is_point(file, row))
            continue;
        of[row_status(results, row)]++;
        all++;
        seconds += seconds_of(results, row);
    }
    snprintf(time, sizeof time, "%s", start ? start : ""); /* without the time zone */
    fprintf(out, JUNIT_BEGINS "  <testsuite");
    put_attribute(out, "name", path);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\"", all,
            of[STATUS_FAILED], of[STATUS_CRASHED] + of[STATUS_TIMED_OUT],
            of[STATUS_UNSUPPORTED] + of[STATUS_UNAVAILABLE], seconds);
    put_attribute(out, "timestamp", time);
    fputs(">\n", out);
    for (size_t row = 0; row < results->rows; row++)
        if (dataset_is_point(file, row))
            put_case(out, results, row);
    fputs("  </testsuite>\n</testsuites>\n", out);
}

int junit_write(const char *path, const char *results, struct error *error)
{
    struct dataset file;
    char *text = NULL;
    size_t size = 0;
    if (dataset_read(results, &file, error) != 0)
        return -1;
    FILE *out = open_memstream(&text, &size);
    put_suite(out, &file, results);
    fclose(out);
    dataset_free(&file);
    int failed =
        io_check_output(path, JUNIT_BEGINS, error) != 0 || io_replace_file(path, text, size, error) != 0;
    free(text);
    return failed ? -1 : 0;
}
