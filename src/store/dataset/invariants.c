#include "store/dataset/invariants.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/limits.h"

/* ---- The tables ---- */

static const struct integer_rule {
    enum fixed_column column;
    int64_t least, most;
    bool may_miss; /* FRAME_NO_INTEGER */
} integer_rules[] = {
#define X(name, least, most, may_miss) {FIXED_##name, least, most, may_miss},
    INTEGER_LIMITS(X)
#undef X
};

static const struct {
    enum result_real column;
    double least, most;
} real_limits[] = {
#define X(name, least, most, may_miss) {REAL_##name, least, most},
    REAL_LIMITS(X)
#undef X
};

/* What is wrong with a row of a table; returns -1. */
__attribute__((format(printf, 4, 5))) static int bad_row(struct error *error, const char *table, size_t row,
                                                         const char *format, ...)
{
    char what[256];
    va_list arguments;
    if (!error)
        return -1;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(error, ERROR_ENVIRONMENT, "row %zu of /%s %s", row, table, what);
}

/* ---- Columns ---- */

int invariants_type_of(const char *table, const char *column)
{
#define X(name, type, role, unit, meaning) {#name, COLUMN_##type},
    static const struct {
        const char *name;
        enum column_type type;
    } timeline[] = {TIMELINE_COLUMNS(X)};
#undef X
    if (!strcmp(table, "results")) {
        const struct column_info *known = column_find(column), *derived = column_find_readers(column);
        if (known || derived)
            return (int)(known ? known : derived)->type;
        return column_axis_has_words(column) ? COLUMN_TEXT : -1;
    }
    for (int i = 0; i < column_device_count && !strcmp(table, "devices"); i++)
        if (!strcmp(column_devices[i].info.name, column))
            return column_devices[i].info.type;
    for (size_t i = 0; i < sizeof timeline / sizeof *timeline && !strcmp(table, "timeline"); i++)
        if (!strcmp(timeline[i].name, column))
            return timeline[i].type;
    return -1;
}

int invariants_types(const char *table, const struct frame *frame, struct error *error)
{
    for (int i = 0; i < frame->columns; i++) {
        const struct column *column = &frame->column[i];
        int wanted = invariants_type_of(table, column->name);
        if (wanted >= 0 && (int)column->type != wanted)
            return error_set(error, ERROR_ENVIRONMENT, "/%s column '%s' has type %s, expected %s", table,
                             column->name, column_type_words[column->type], column_type_words[wanted]);
    }
    return 0;
}

/* Whether what /columns says of a column is the type that it has, here or in the file. */
static int check_described(const struct frame *frame, const char *table, const struct frame *columns,
                           size_t row, struct error *error)
{
    const char *name = frame_find_text(columns, row, COLUMN(name));
    int told = text_find(column_type_words, frame_find_text(columns, row, COLUMN(type)));
    if (told < 0 || strcmp(frame_find_text(columns, row, COLUMN(table)), table) != 0)
        return 0;
    int index = frame_find(frame, name),
        type = index < 0 ? invariants_type_of(table, name) : (int)frame->column[index].type;
    if (type < 0 || type == told)
        return 0;
    return error_set(error, ERROR_ENVIRONMENT, "/%s column '%s' has type %s in /columns, expected %s", table,
                     name, column_type_words[told], column_type_words[type]);
}

int invariants_described(const struct dataset *dataset, const struct frame *columns, struct error *error)
{
    static const char *const texts[] = {COLUMN(table), COLUMN(name),    COLUMN(type),
                                        COLUMN(unit),  COLUMN(meaning), COLUMN(role)};
    for (size_t i = 0; i < sizeof texts / sizeof *texts && columns->rows; i++) {
        bool optional = !strcmp(texts[i], COLUMN(role)) && frame_find(columns, texts[i]) < 0;
        if (!optional && frame_find_as(columns, texts[i], COLUMN_TEXT) < 0)
            return error_set(error, ERROR_ENVIRONMENT, "/columns has no texts '%s'", texts[i]);
    }
    int failed = 0;
    for (size_t row = 0; row < columns->rows && !failed; row++)
        failed = check_described(&dataset->results, "results", columns, row, error) != 0 ||
                 check_described(&dataset->devices, "devices", columns, row, error) != 0;
    return failed ? -1 : 0;
}

#define X(name) COLUMN(name),
static const char *const required[] = {REQUIRED_COLUMNS(X) NULL};
#undef X

bool invariants_is_required(const char *column)
{
    return text_find(required, column) >= 0;
}

int invariants_columns(const struct frame *results, struct error *error)
{
    for (const char *const *name = required; *name; name++)
        if (frame_find(results, *name) < 0)
            return error_set(error, ERROR_ENVIRONMENT, "/results has no column '%s'", *name);
    return invariants_types("results", results, error);
}

/* ---- Rows of /results ---- */

static int check_integers(const struct dataset *dataset, const union cell *cell, size_t row,
                          struct error *error)
{
    for (size_t i = 0; i < sizeof integer_rules / sizeof *integer_rules; i++) {
        const struct integer_rule *rule = &integer_rules[i];
        int column = dataset->columns.fixed[rule->column];
        if (column < 0)
            continue;
        int64_t value = cell[column].integer;
        if ((value >= rule->least && value <= rule->most) || (rule->may_miss && value == FRAME_NO_INTEGER))
            continue;
        return bad_row(error, "results", row, "has %s %" PRId64 ", expected %" PRId64 " to %" PRId64,
                       column_fixed[rule->column].name, value, rule->least, rule->most);
    }
    return 0;
}

bool invariants_time(double seconds)
{
    return seconds >= SECONDS_MIN && seconds <= SECONDS_MAX;
}

bool invariants_real(enum result_real real, double value)
{
    if (isnan(value))
        return true;
    for (size_t i = 0; i < sizeof real_limits / sizeof *real_limits; i++)
        if (real_limits[i].column == real)
            return value >= real_limits[i].least && value <= real_limits[i].most;
    return invariants_is_amount(value);
}

bool invariants_exchanged(const struct dataset *dataset, const union cell *cell)
{
    const int low = dataset->columns.real[REAL_energy_low], high = dataset->columns.real[REAL_energy_high];
    return low >= 0 && high >= 0 && cell[low].real > cell[high].real;
}

static int check_reals(const struct dataset *dataset, const union cell *cell, size_t row, struct error *error)
{
    const int *real = dataset->columns.real;
    for (int i = 0; i < REAL_COUNT; i++)
        if (real[i] >= 0 && !invariants_real((enum result_real)i, cell[real[i]].real))
            return bad_row(error, "results", row, "has %s %g, which cannot be", column_reals[i].name,
                           cell[real[i]].real);
    if (invariants_exchanged(dataset, cell))
        return bad_row(error, "results", row, "has energy_low %g above energy_high %g",
                       cell[real[REAL_energy_low]].real, cell[real[REAL_energy_high]].real);
    return 0;
}

/* One of a pair whose higher end is `high`, or -1. */
static int check_ends(const struct frame *results, int low, int high, struct error *error)
{
    const struct column *column = &results->column[low];
    for (size_t row = 0; row < results->rows; row++) {
        double value = frame_cell(results, row, low)->real;
        if (!isnan(value) && !invariants_is_amount(value))
            return bad_row(error, "results", row, "has %s %g, which cannot be", column->name, value);
        if (high >= 0 && value > frame_cell(results, row, high)->real)
            return bad_row(error, "results", row, "has %s above %s", column->name,
                           results->column[high].name);
    }
    return 0;
}

int invariants_derived(const struct frame *results, struct error *error)
{
    int failed = 0;
    for (int i = 0; i < results->columns && !failed; i++) {
        char high[sizeof results->column->name + sizeof "_high"];
        const struct column *column = &results->column[i];
        if (column->type != COLUMN_REAL || !column_find_readers(column->name))
            continue;
        size_t length = strlen(column->name);
        bool is_low = length > 4 && !strcmp(column->name + length - 4, "_low");
        snprintf(high, sizeof high, "%.*s_high", (int)length - 4, column->name);
        failed = check_ends(results, i, is_low ? frame_find_as(results, high, COLUMN_REAL) : -1, error);
    }
    return failed;
}

static bool is_id(const char *text)
{
    return strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16;
}

static int check_texts(const struct dataset *dataset, const union cell *cell, size_t row, struct error *error)
{
    const int *fixed = dataset->columns.fixed;
    const char *id = cell[fixed[FIXED_id]].text, *kernel = cell[fixed[FIXED_kernel]].text,
               *status = cell[fixed[FIXED_status]].text;
    if (!is_id(id))
        return bad_row(error, "results", row, "has id '%.40s', expected 16 hexadecimal digits", id);
    if (!*kernel)
        return bad_row(error, "results", row, "has no kernel");
    if (text_find(status_words, status) < 0)
        return bad_row(error, "results", row, "has status '%.40s', which this release does not know", status);
    return 0;
}

int invariants_row(const struct dataset *dataset, const union cell *cell, size_t row, struct error *error)
{
    const int *fixed = dataset->columns.fixed;
    if (check_texts(dataset, cell, row, error) != 0 || check_integers(dataset, cell, row, error) != 0 ||
        check_reals(dataset, cell, row, error) != 0)
        return -1;
    int64_t first = cell[fixed[FIXED_sample_offset]].integer, count = cell[fixed[FIXED_sample_count]].integer,
            device = cell[fixed[FIXED_device]].integer, all = (int64_t)dataset->sample_count;
    if (first > all || count > all - first)
        return bad_row(error, "results", row, "names samples that do not exist");
    if (device >= 0 && (uint64_t)device >= dataset->devices.rows)
        return bad_row(error, "results", row, "names device %" PRId64 "; /devices has %zu", device,
                       dataset->devices.rows);
    return 0;
}

int invariants_row_samples(const struct dataset *dataset, uint64_t *named, const union cell *cell, size_t row,
                           struct error *error)
{
    size_t first = (size_t)cell[dataset->columns.fixed[FIXED_sample_offset]].integer,
           end = first + (size_t)cell[dataset->columns.fixed[FIXED_sample_count]].integer;
    for (size_t at = first; at < end;) { /* a word of bits at a time */
        size_t to = (at / 64 + 1) * 64 < end ? (at / 64 + 1) * 64 : end;
        uint64_t bits = (to - at == 64 ? ~UINT64_C(0) : (UINT64_C(1) << (to - at)) - 1) << at % 64;
        if (named[at / 64] & bits)
            return bad_row(error, "results", row, "names samples of another row");
        named[at / 64] |= bits;
        at = to;
    }
    return 0;
}

/* ---- Other tables ---- */

static bool is_device(const struct dataset *dataset, int64_t device)
{
    return device == -1 || (device >= 0 && (uint64_t)device < dataset->devices.rows);
}

int invariants_sample_place(const struct dataset *dataset, const struct sample *sample, size_t row,
                            struct error *error)
{
    if (sample->process > PROCESS_MAX)
        return bad_row(error, "samples", row, "has a process that is not from 0 to %d", PROCESS_MAX);
    if (!is_device(dataset, sample->device))
        return bad_row(error, "samples", row, "names device %" PRId32 "; /devices has %zu", sample->device,
                       dataset->devices.rows);
    return 0;
}

bool invariants_is_amount(double value)
{
    return value >= 0 && isfinite(value);
}

int invariants_samples(const struct dataset *dataset, const struct sample *sample, size_t count,
                       struct error *error)
{
    for (size_t i = 0; i < count; i++) {
#define X(name, least, most, may_miss)                                                                       \
    if (!(sample[i].name >= (least) && sample[i].name <= (most)) && !((may_miss) && isnan(sample[i].name)))  \
        return bad_row(error, "samples", i, "has %s %g, which cannot be", #name, sample[i].name);
        SAMPLE_LIMITS(X)
#undef X
        if (invariants_sample_place(dataset, &sample[i], i, error) != 0)
            return -1;
    }
    return 0;
}

bool invariants_device_cell(const struct column_info *info, union cell cell)
{
    if (info->type == COLUMN_TEXT)
        return true;
    if (info->type == COLUMN_INTEGER)
        return cell.integer >= -1 || cell.integer == FRAME_NO_INTEGER;
    bool is_peak = strncmp(info->name, "peak_", 5) == 0; /* readers divide by it */
    return isnan(cell.real) || (isfinite(cell.real) && (is_peak ? cell.real > 0 : cell.real >= 0));
}

int invariants_device(const struct dataset *dataset, size_t row, struct error *error)
{
    const struct frame *devices = &dataset->devices;
    for (int i = 0; i < column_device_count; i++) {
        const struct column_info *info = &column_devices[i].info;
        int column = frame_find(devices, info->name);
        if (column >= 0 && !invariants_device_cell(info, frame_row(devices, row)[column]))
            return bad_row(error, "devices", row, "has a %s that cannot be", info->name);
    }
    return 0;
}

/* ---- /timeline ---- */

int invariants_phase(const struct dataset *dataset, size_t row, struct error *error)
{
    const union cell *cell = frame_row(&dataset->timeline, row);
    double start = cell[TIMELINE_start].real, end = cell[TIMELINE_end].real;
    if (!is_device(dataset, cell[TIMELINE_device].integer))
        return bad_row(error, "timeline", row, "names device %" PRId64 "; /devices has %zu",
                       cell[TIMELINE_device].integer, dataset->devices.rows);
    if (!(fabs(start) <= SECONDS_MAX && end <= SECONDS_MAX && start <= end) ||
        cell[TIMELINE_rank].integer < 0 || cell[TIMELINE_parts].integer < 1 ||
        cell[TIMELINE_run].integer < 1 || cell[TIMELINE_run].integer > RUNS_MAX)
        return bad_row(error, "timeline", row, "is not a span of time of a rank");
    return 0;
}

int invariants_timeline(const struct dataset *dataset, struct error *error)
{
    int failed = invariants_types("timeline", &dataset->timeline, error);
    for (size_t row = 0; row < dataset->timeline.rows && !failed; row++)
        failed = invariants_phase(dataset, row, error);
    return failed;
}
