#include "cli/junit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "table/row_point.h"
#include "store/store.h"

struct counts {
    size_t of[STATUS_COUNT], all;
    double seconds;
};

/* Texts of a results file have no control characters, which XML cannot represent. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    put_text(out, value);
    fputc('"', out);
}

static enum status status_of(const struct frame *results, size_t row)
{
    int status = text_find(status_words, frame_find_text(results, row, COLUMN(status)));
    return status < 0 ? STATUS_FAILED : (enum status)status;
}

static double seconds_of(const struct frame *results, size_t row)
{
    double seconds = frame_find_real(results, row, COLUMN(seconds_total));
    return isnan(seconds) ? 0 : seconds;
}

static struct counts count_rows(const struct dataset *file)
{
    const struct frame *results = &file->results;
    struct counts counts = {0};
    for (size_t row = 0; row < results->rows; row++) {
        if (!dataset_is_point(file, row))
            continue;
        counts.of[status_of(results, row)]++;
        counts.all++;
        counts.seconds += seconds_of(results, row);
    }
    return counts;
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
    enum status status = status_of(results, row);
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

static void put_property(FILE *out, const struct dataset *file, const char *name)
{
    const char *value = dataset_environment(file, name);
    if (!value)
        return;
    fputs("      <property", out);
    put_attribute(out, "name", name);
    put_attribute(out, "value", value);
    fputs("/>\n", out);
}

static void put_suite(FILE *out, const struct dataset *file, const char *path)
{
    static const char *const names[] = {"release", "commit", "command", "backend",
                                        "hosts",   "ranks",  "seed",    "counters"};
    const struct frame *results = &file->results;
    struct counts counts = count_rows(file);
    char start[64];
    snprintf(start, sizeof start, "%.19s",
             dataset_environment(file, "start") ? dataset_environment(file, "start") : "");
    fprintf(out, JUNIT_BEGINS "  <testsuite");
    put_attribute(out, "name", path);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\"", counts.all,
            counts.of[STATUS_FAILED], counts.of[STATUS_CRASHED] + counts.of[STATUS_TIMED_OUT],
            counts.of[STATUS_UNSUPPORTED] + counts.of[STATUS_UNAVAILABLE], counts.seconds);
    put_attribute(out, "timestamp", start);
    fputs(">\n    <properties>\n", out);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_property(out, file, names[i]);
    fputs("    </properties>\n", out);
    for (size_t row = 0; row < results->rows; row++)
        if (dataset_is_point(file, row))
            put_case(out, results, row);
    fputs("  </testsuite>\n</testsuites>\n", out);
}

int junit_write(FILE *out, const char *results, struct error *error)
{
    struct dataset file;
    if (dataset_read_columns(results, false, &file, error) != 0)
        return -1;
    put_suite(out, &file, results);
    dataset_free(&file);
    if (fflush(out) != 0 || ferror(out))
        return error_set(error, ERROR_ENVIRONMENT, "cannot write the JUnit file: %s", strerror(errno));
    return 0;
}
