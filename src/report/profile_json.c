/* A device's profile as JSON, for models and simulators: what a run measured, and where each number comes from. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/laws.h"
#include "analysis/saturation.h"
#include "base/io.h"
#include "table/print.h"

#define SCHEMA "warpsweep-profile-1"

struct writer {
    FILE *out;
    const struct dataset *dataset;
    size_t device;
    const struct profile *profile;
    bool first; /* of the members of the innermost object */
};

/* ---- Members ---- */

static void put_name(struct writer *w, const char *name)
{
    fputs(w->first ? "" : ", ", w->out);
    print_json_text(w->out, name);
    fputs(": ", w->out);
    w->first = false;
}

static void put_text(struct writer *w, const char *name, const char *text)
{
    put_name(w, name);
    if (text && *text)
        print_json_text(w->out, text);
    else
        fputs("null", w->out);
}

static void put_real(struct writer *w, const char *name, double value)
{
    put_name(w, name);
    print_json_real(w->out, value);
}

static void put_interval(struct writer *w, double value, double low, double high)
{
    put_real(w, "value", value);
    put_real(w, "low", low);
    put_real(w, "high", high);
}

static void begin(struct writer *w, const char *name, char bracket)
{
    if (name)
        put_name(w, name);
    else if (!w->first)
        fputs(",\n    ", w->out);
    fputc(bracket, w->out);
    w->first = true;
}

static void end(struct writer *w, char bracket)
{
    fputc(bracket, w->out);
    w->first = false;
}

/* A part of the document, in lines of its own. */
static void begin_part(struct writer *w, const char *name, char bracket)
{
    fputs(w->first ? "\n  " : ",\n  ", w->out);
    print_json_text(w->out, name);
    fprintf(w->out, ": %c\n    ", bracket);
    w->first = true;
}

/* A member of such a part. */
static void begin_member(struct writer *w, const char *name)
{
    if (!w->first)
        fputs(",\n    ", w->out);
    w->first = true;
    begin(w, name, '{');
}

/* ---- Values ---- */

static size_t row_of_point(const struct dataset *dataset, const char *id, size_t length)
{
    const struct frame *results = &dataset->results;
    size_t row = 0;
    while (row < results->rows &&
           (!dataset_is_point(dataset, row) || strlen(frame_find_text(results, row, COLUMN(id))) != length ||
            memcmp(frame_find_text(results, row, COLUMN(id)), id, length) != 0))
        row++;
    return row;
}

/* The interval of a value that one point or the device's peak has shown. */
static void find_interval(const struct writer *w, int field, struct profile_value *value)
{
    const struct profile_info *info = &profile_info[field];
    const struct frame *results = &w->dataset->results;
    char end_name[2][64];
    if (value->low < value->high || isnan(value->value))
        return;
    double low = NAN, high = NAN;
    size_t row = row_of_point(w->dataset, value->source, strcspn(value->source, " "));
    snprintf(end_name[0], sizeof end_name[0], "%s_low", info->name);
    snprintf(end_name[1], sizeof end_name[1], "%s_high", info->name);
    if (frame_find(&w->dataset->devices, end_name[0]) >= 0) {
        low = frame_find_real(&w->dataset->devices, w->device, end_name[0]);
        high = frame_find_real(&w->dataset->devices, w->device, end_name[1]);
    } else if (row < results->rows && !strcmp(info->unit, "cycles")) {
        low = frame_find_real(results, row, COLUMN(latency_p05));
        high = frame_find_real(results, row, COLUMN(latency_p95));
    } else if (row < results->rows) {
        double median = frame_find_real(results, row, COLUMN(time_median));
        double least = frame_find_real(results, row, COLUMN(time_ci_low)) / median;
        double most = frame_find_real(results, row, COLUMN(time_ci_high)) / median;
        bool time = !strcmp(info->unit, "s");
        low = time ? value->value * least : value->value / most;
        high = time ? value->value * most : value->value / least;
    }
    value->low = low;
    value->high = high;
}

static void put_points(struct writer *w, const char *source)
{
    const char *file = strstr(source, " of ");
    begin(w, "points", '[');
    for (const char *id = source; file && id < file; id += strcspn(id, " ") + 1) {
        size_t length = strcspn(id, " ");
        if (row_of_point(w->dataset, id, length) == w->dataset->results.rows)
            break; /* words about /devices or all points */
        fprintf(w->out, "%s\"%.*s\"", id == source ? "" : ", ", (int)length, id);
    }
    end(w, ']');
}

static void put_value(struct writer *w, int field, const char *missing)
{
    struct profile_value value = w->profile->value[field];
    const struct profile_info *info = &profile_info[field];
    double clock = w->profile->value[PROFILE_clock_max].value;
    find_interval(w, field, &value);
    begin_member(w, info->name);
    put_interval(w, value.value, value.low, value.high);
    put_text(w, "unit", info->unit);
    if (!strcmp(info->unit, "cycles"))
        put_real(w, "seconds", value.value / clock);
    put_text(w, "meaning", info->meaning);
    put_text(w, "source", value.source);
    put_points(w, value.source);
    put_text(w, "reason", isnan(value.value) ? missing : NULL);
    end(w, '}');
}

struct part {
    const char *name;
    const char *prefix, *unit; /* of the values in it; "" for any */
};

/* In the order of the document; a value is in the first part that it fits. */
static const struct part parts[] = {
    {"flops", "peak_flop_", ""}, {"rates", "", "bytes/s"},   {"latency", "latency_", ""},
    {"launch", "wave_", ""},     {"launch", "", "blocks/s"},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* The part that a value belongs to; NULL: the device's own description. */
static const char *part_of(int field)
{
    const struct profile_info *info = &profile_info[field];
    for (int i = 0; i < PARTS; i++)
        if (!strncmp(info->name, parts[i].prefix, strlen(parts[i].prefix)) &&
            (!*parts[i].unit || !strcmp(info->unit, parts[i].unit)))
            return parts[i].name;
    return NULL;
}

static void put_part(struct writer *w, const char *name)
{
    begin_part(w, name, '{');
    for (int field = 0; field < PROFILE_spread_run_short; field++) {
        const char *part = part_of(field);
        bool of_device = frame_find(&w->dataset->devices, profile_info[field].name) >= 0;
        if (part && !strcmp(part, name))
            put_value(w, field,
                      of_device ? "/devices of the file has no value"
                                : "the file has none of the points of jobs/profile.yaml that measure it");
    }
    end(w, '}');
}

static void put_device(struct writer *w)
{
    const struct frame *devices = &w->dataset->devices;
    static const char *const texts[] = {DEVICE_COLUMN(name),    DEVICE_COLUMN(uuid),  DEVICE_COLUMN(driver),
                                        DEVICE_COLUMN(toolkit), DEVICE_COLUMN(vbios), DEVICE_COLUMN(ecc)};
    begin_part(w, "device", '{');
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(w, texts[i], frame_find_text(devices, w->device, texts[i]));
    for (int field = 0; field < PROFILE_spread_run_short; field++)
        if (!part_of(field))
            put_real(w, profile_info[field].name, w->profile->value[field].value);
    end(w, '}');
}

/* ---- Knees ---- */

static const char *id_of(const struct writer *w, const struct saturation_curve *curve, size_t point)
{
    return frame_find_text(&w->dataset->results, curve->row[point], COLUMN(id));
}

static void put_share(struct writer *w, const struct saturation_curve *curve, int i)
{
    const struct saturation_at *at = &curve->at[i];
    bool known = !isnan(at->value);
    begin(w, NULL, '{');
    put_real(w, "share", saturation_share[i]);
    put_interval(w, at->value, at->low, at->high);
    begin(w, "between", '[');
    if (known)
        fprintf(w->out, "%.17g, %.17g", curve->point[at->below].x, curve->point[at->above].x);
    end(w, ']');
    begin(w, "points", '[');
    if (known)
        fprintf(w->out, "\"%s\", \"%s\"", id_of(w, curve, at->below), id_of(w, curve, at->above));
    end(w, ']');
    put_text(w, "reason", known ? NULL : "the smallest point of the curve already has this share");
    end(w, '}');
}

static void put_curve(struct writer *w, const struct saturation *saturation,
                      const struct saturation_curve *curve)
{
    const struct knee_point *best = &curve->point[curve->best];
    struct knee_fit fit = {0};
    begin(w, NULL, '{');
    put_text(w, saturation->series, curve->series);
    put_real(w, "points", (double)curve->points);
    begin(w, "best", '{');
    put_interval(w, best->y, best->low, best->high);
    put_text(w, "unit", "bytes/s");
    put_real(w, "at", best->x);
    put_real(w, "share_of_roof",
             frame_find_real(&w->dataset->results, curve->row[curve->best], COLUMN(fraction_peak)));
    put_text(w, "point", id_of(w, curve, curve->best));
    end(w, '}');
    begin(w, "shares", '[');
    for (int i = 0; i < SATURATION_SHARES; i++)
        put_share(w, curve, i);
    end(w, ']');
    begin(w, "bends", '[');
    if (knee_fit(curve->point, curve->points, &fit))
        for (int i = 0; i < fit.knees; i++) {
            begin(w, NULL, '{');
            put_interval(w, fit.knee[i].at, fit.knee[i].low, fit.knee[i].high);
            end(w, '}');
        }
    end(w, ']');
    end(w, '}');
}

static void put_texts(struct writer *w, const char *name, const char *const *text)
{
    begin(w, name, '[');
    for (size_t i = 0; text[i]; i++) {
        fputs(i ? ", " : "", w->out);
        print_json_text(w->out, text[i]);
    }
    end(w, ']');
}

static void put_knees(struct writer *w)
{
    begin_part(w, "knees", '{');
    for (size_t i = 0; i < saturations_count(); i++) {
        const struct saturation *saturation = &saturations[i];
        struct saturation_curve *curve;
        size_t curves = saturation_curves(saturation, w->dataset, w->device, &curve);
        begin_member(w, saturation->name);
        put_text(w, "unit", saturation->unit);
        put_text(w, "meaning", saturation->meaning);
        put_text(w, "kernel", saturation->kernel);
        put_texts(w, "where", saturation->condition);
        put_texts(w, "product_of", saturation->factor);
        begin(w, "curves", '[');
        for (size_t c = 0; c < curves; c++)
            put_curve(w, saturation, &curve[c]);
        end(w, ']');
        put_text(w, "reason", curves ? NULL : "the file has no three such points that differ in this alone");
        end(w, '}');
        saturation_free(curve, curves);
    }
    end(w, '}');
}

/* ---- Laws ---- */

static void put_laws(struct writer *w)
{
    const struct law_rows rows = {w->dataset, NULL};
    begin_part(w, "laws", '{');
    for (size_t i = 0; i < laws_count(); i++) {
        struct law_kept kept = law_check(&laws[i], &rows);
        begin_member(w, laws[i].name);
        put_text(w, "quantity", laws[i].quantity);
        put_text(w, "formula", laws[i].formula);
        put_text(w, "variable", laws[i].x);
        put_text(w, "unit", laws[i].unit);
        put_real(w, "points", (double)kept.points);
        put_real(w, "within", (double)kept.within);
        put_real(w, "tolerance", laws[i].tolerance);
        put_real(w, "largest_deviation", kept.points ? kept.most : NAN);
        put_text(w, "reason", kept.points ? NULL : "the file has no counted points of this law");
        end(w, '}');
    }
    end(w, '}');
}

void report_profile_json(FILE *out, const struct dataset *dataset, size_t device,
                         const struct profile *profile, const char *path)
{
    struct writer w = {out, dataset, device, profile, true};
    fputc('{', out);
    put_text(&w, "schema", SCHEMA);
    put_text(&w, "file", io_file_name(path));
    put_text(&w, "release", dataset_environment(dataset, "release"));
    put_text(&w, "commit", dataset_environment(dataset, "commit"));
    put_text(&w, "start", dataset_environment(dataset, "start"));
    put_text(&w, STORE_SALVAGED, dataset_salvaged());
    put_device(&w);
    for (int i = 0; i < PARTS; i++)
        if (!i || strcmp(parts[i].name, parts[i - 1].name) != 0)
            put_part(&w, parts[i].name);
    put_knees(&w);
    put_laws(&w);
    fputs("\n}\n", out);
}
